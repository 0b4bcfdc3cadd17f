active proctype P() {
    turns = 1;
    turns[2] = 3;
    turns.field[1] = turns;
    turns!2;
    xs turns
}

active proctype Q() {
    byte turns;
    turns = 1
}
