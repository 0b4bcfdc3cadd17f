byte turn, x;

active proctype P() {
L:  byte y;
    y = 1
}
