mtype = { red, green, red };

active proctype P() {
    skip
}
