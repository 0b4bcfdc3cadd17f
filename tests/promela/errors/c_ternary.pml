byte turn, x;

active proctype P() {
    x = turn ? 1 : 2
}
