byte x;
int x;

active proctype P() {
    byte x;
    byte y;
    byte y;
    skip
}
