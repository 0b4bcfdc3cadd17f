byte x;
#define ADVANCE(counter) counter = counter + 1

active proctype P() {
    ADVANCE(y)
}
