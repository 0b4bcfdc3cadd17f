unsigned a;
unsigned b : 40;
byte c : 3;

active proctype P() {
    skip
}
