byte x;
#define STEP (1 + stp)
inline advance(counter) {
    counter = counter + STEP
}

active proctype P() {
    advance(x)
}
