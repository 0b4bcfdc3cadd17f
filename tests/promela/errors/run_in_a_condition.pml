proctype Worker(byte n) {
    skip
}

active proctype P() {
    run Worker(1) > 2;
    !(run Worker(1));
    d_step { run Worker(2) }
}
