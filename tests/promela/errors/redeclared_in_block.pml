byte turn, x;

active proctype P() {
    byte y;
    {
        byte y;
        y = 1
    }
}
