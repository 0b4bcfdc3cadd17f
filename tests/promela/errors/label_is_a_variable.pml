byte turn, x;

active proctype P() {
turn: x = 1
}
