proctype Worker(byte n, m) {
    skip
}

active proctype P() {
    run Worker(1);
    run Worker(1, 2, 3)
}
