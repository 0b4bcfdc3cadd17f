byte list[3], x;

active proctype P() {
    x = list;
    list = 1
}
