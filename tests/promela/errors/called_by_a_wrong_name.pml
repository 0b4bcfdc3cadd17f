byte x;
inline reset() { x = 0 }
active proctype P() {
    asert(x == 0);
    rest();
    x = max(x, 1)
}
