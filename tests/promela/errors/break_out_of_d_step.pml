byte turn, x;

active proctype P() {
    do
    :: d_step { x = 1; break }
    od
}
