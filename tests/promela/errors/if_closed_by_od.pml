byte turn, x;

active proctype P() {
    if
    :: x == 1
    od
}
