byte turn, x;

active proctype P() {
    atomic {
L:      x = 1;
        turn = 1
    }
}
