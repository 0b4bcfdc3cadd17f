chan q = [2] of byte;

active proctype P() {
    skip
}
