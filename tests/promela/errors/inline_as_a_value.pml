byte x;
inline set(variable, value) {
    variable = value
}

active proctype P() {
    x = set;
    x = 1 + set(x, 1)
}
