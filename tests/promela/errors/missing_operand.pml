byte turn, x;

active proctype P() {
    x = 1 +;
    turn = 2
}
