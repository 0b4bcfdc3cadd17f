byte x;
inline pong(n) {
    ping(n)
}
inline ping(n) {
    x = n;
    pong(n)
}

active proctype P() {
    ping(1)
}
