byte turn, x;

active proctype P() {
    x.length = 1
}
