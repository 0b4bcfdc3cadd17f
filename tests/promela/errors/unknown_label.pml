byte turn, x;

active proctype P() {
    goto Done;
    x = 1
}
