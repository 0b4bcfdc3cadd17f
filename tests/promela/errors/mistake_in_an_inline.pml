byte x;
inline advance(counter) {
    counter = counter + stp
}

active proctype P() {
    advance(x)
}
