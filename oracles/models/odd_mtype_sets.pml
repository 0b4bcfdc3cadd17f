/* Several sets of names, as values, in channels and arrays, compared as numbers. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
mtype = { a, b, c };
mtype = { d };
mtype:fruit = { apple, pear, plum };
mtype:car = { vw, bmw };
chan q = [2] of { mtype, mtype:fruit };
mtype last; mtype:fruit f; mtype:car k[2];
active [N] proctype S() { mtype x = b; if :: x = a :: x = d fi; q!x, pear; k[0] = bmw }
active [N] proctype R() { mtype y; q?y, f; last = y; assert(y == a || y == d); assert(f != plum && a != b && a > c) }
ltl pears { <> (f == pear) }
