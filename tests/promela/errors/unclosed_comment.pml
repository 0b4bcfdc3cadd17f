byte x;
/* the counter
active proctype P() {
    x = 1
}
