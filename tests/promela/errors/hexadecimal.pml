byte turn, x;

active proctype P() {
    x = 0x1F
}
