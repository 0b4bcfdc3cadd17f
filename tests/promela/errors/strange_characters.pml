byte turn, x;

active proctype P() {
    x = 1 $ 2;
    turn ≥ 1;
    x = 'ab'
}
