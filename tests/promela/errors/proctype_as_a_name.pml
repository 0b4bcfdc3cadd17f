proctype P0(byte n) {
    skip
}

active proctype P() {
    P0 = 1;
    P0(1)
}
