byte x;
proctype Q() provided x == 1 {
    skip
}

active proctype P() {
    skip
}
