byte turn, x;

active proctype P() {
    trun = 1
}
