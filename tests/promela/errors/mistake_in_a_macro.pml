byte x;
#define ADVANCE(counter) counter = counter + stp

active proctype P() {
    ADVANCE(x);
    x = 2
}
