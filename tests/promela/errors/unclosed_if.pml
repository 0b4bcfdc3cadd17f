byte turn, x;

active proctype P() {
    if
    :: x == 1 -> turn = 1
    :: else
    turn = 2
}
