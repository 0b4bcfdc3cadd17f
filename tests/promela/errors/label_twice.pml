byte turn, x;

active proctype P() {
L:  x = 1;
L:  x = 2
}
