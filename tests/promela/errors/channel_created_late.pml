byte turn, x;

active proctype P() {
    x = 1;
    chan q = [2] of { byte };
    q!x
}
