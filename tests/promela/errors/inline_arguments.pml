byte x;
inline set(variable, value) {
    variable = value
}

active proctype P() {
    set(x);
    set(x, 1, 2)
}
