byte x;

active proctype P() {
    atomic {
        x = 1;

active proctype Q() {
    x = 2
}
