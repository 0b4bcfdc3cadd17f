chan q;

active proctype P() {
    q = 1;
    q++
}
