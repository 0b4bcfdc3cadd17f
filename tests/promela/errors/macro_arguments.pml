#define MAX(a, b) ((a) > (b) -> (a) : (b))
byte x;

active proctype P() {
    x = MAX(1)
}
