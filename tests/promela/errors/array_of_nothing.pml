byte n = 2;
byte list[0];
byte more[n + 1];

active proctype P() {
    skip
}
