hidden bit flag;

active proctype P() {
    hidden byte x;
    x = 1
}
