/* Statements that change nothing, choices with equal options, loops that go nowhere. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
byte x;
active [N] proctype P() { do :: x = x :: x = x + 0 :: x < 2 -> x++ :: x < 2 -> x++ :: x >= 2 -> x = 0 od }
ltl zero { []<> (x == 0) }
ltl moves { [] (x == 1 -> <> (x != 1)) }
