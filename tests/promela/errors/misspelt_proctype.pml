proctype Worker(byte n) {
    skip
}

active proctype P() {
    run Wroker(1)
}
