byte turn, x;

active proctype P() {
    byte do;
    do = 1
}
