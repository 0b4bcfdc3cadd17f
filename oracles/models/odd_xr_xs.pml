/* Promises of exclusive access, kept. */
/* with N=2 */
/* with N=5 */
#ifndef N
#define N 2
#endif
chan a = [2] of { byte }; chan b = [2] of { byte };
active proctype S() { xs a; byte i; for (i : 1 .. N) { a!i } a!0 }
active proctype M() { xr a; xs b; byte x; do :: a?x -> b!x; if :: x == 0 -> break :: else fi od }
active proctype R() { xr b; byte x, last; do :: b?x -> if :: x == 0 -> break :: else -> assert(x == last + 1); last = x fi od }
