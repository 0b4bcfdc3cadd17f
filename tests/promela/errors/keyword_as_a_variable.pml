byte turn, x;

active proctype P() {
    timeout = 1
}
