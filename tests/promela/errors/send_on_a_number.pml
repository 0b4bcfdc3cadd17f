bool b;
byte x;

active proctype P() {
    b!1;
    b?x
}
