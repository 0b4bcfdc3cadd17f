byte turn, x;

active proctype P() {
    printf("turn is %d\n, turn);
    x = 1
}
