byte x;
inline reset() { x = 0 }
active proctype P() {
    asert(x == 0);
    rest();
    x = max(x, 1)
}

active proctype Q() {
    chan q = [1] of { byte, byte };
    q!message(1);
    q?message(x)
}
