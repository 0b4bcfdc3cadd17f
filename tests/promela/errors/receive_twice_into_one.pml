chan q = [2] of { byte, byte };
byte x;

active proctype P() {
    q?x,x
}
