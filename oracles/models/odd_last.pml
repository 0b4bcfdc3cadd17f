/* Formulas and claims that ask who has moved last. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte x;
active [N] proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }
ltl moved { []<> (_last == 0) }
ltl alternate { [] (_last == 0 -> <> (_last == 1)) }
