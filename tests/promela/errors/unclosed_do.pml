byte turn, x;

active proctype P() {
    do
    :: x == 1 -> break
}
