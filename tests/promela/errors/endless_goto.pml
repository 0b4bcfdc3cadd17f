byte turn, x;

active proctype P() {
A:  goto B;
B:  goto A
}
