byte x, turn, list[2];

active proctype P() {
    for (x : 5 .. 1) { skip };
    for (x in turn) { skip };
    for (list : 1 .. 2) { skip };
    for (x 1 .. 2) { skip };
    select (x : 1, 2)
}
