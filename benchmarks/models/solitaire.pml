/* expect: holds; 1534 states */

/*
 * Peg solitaire on a triangle with ROWS rows: a peg jumps over a neighbour into a hole, and the
 * neighbour is taken away. One process, many choices, and each jump is a single d_step.
 * The place of row r and column c has the number r * (r + 1) / 2 + c.
 */

#ifndef ROWS
#define ROWS 4
#endif
#define PLACES (ROWS * (ROWS + 1) / 2)
#define NUMBER(r, c) ((r) * ((r) + 1) / 2 + (c))

bool peg[PLACES] = true;
byte left;                     /* pegs on the board */

/* If there is room, a jump from one place over the second to the third. */
#define JUMP(room, from, over, to) \
    d_step { \
        (room) && peg[from] && peg[over] && !peg[to] -> \
        peg[from] = false; peg[over] = false; peg[to] = true; left-- \
    }

active proctype Player() {
    byte r, c;

    d_step { peg[0] = false; left = PLACES - 1 };
    do
    :: /* choose a place, beginning at the top */
       do
       :: r < ROWS - 1 -> r++
       :: c < r -> c++
       :: break
       od;
end:   /* a peg that cannot jump was a bad choice, and the game ends */
       if
       :: JUMP(c + 2 <= r, NUMBER(r, c), NUMBER(r, c + 1), NUMBER(r, c + 2))
       :: JUMP(c >= 2, NUMBER(r, c), NUMBER(r, c - 1), NUMBER(r, c - 2))
       :: JUMP(r + 2 < ROWS, NUMBER(r, c), NUMBER(r + 1, c), NUMBER(r + 2, c))
       :: JUMP(r >= c + 2, NUMBER(r, c), NUMBER(r - 1, c), NUMBER(r - 2, c))
       :: JUMP(r + 2 < ROWS, NUMBER(r, c), NUMBER(r + 1, c + 1), NUMBER(r + 2, c + 2))
       :: JUMP(c >= 2, NUMBER(r, c), NUMBER(r - 1, c - 1), NUMBER(r - 2, c - 2))
       fi;
       assert(left > 0);
       r = 0;
       c = 0
    od
}
