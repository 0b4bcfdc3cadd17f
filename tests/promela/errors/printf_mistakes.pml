byte turn, x;

active proctype P() {
    printf(x);
    printf("%d" x);
    x = "three"
}
