/* Inlines within inlines, with parameters that are expressions, channels and fields. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
typedef Pair { byte fst; byte snd };
Pair p; chan q = [2] of { byte }; byte result;
inline inc(x, by) { x = x + by }
inline both(s, by) { inc(s.fst, by); inc(s.snd, (by) * 2) }
inline send_twice(ch, v) { ch!v; ch!(v) + 1 }
inline local_(v) { byte tmp = v; inc(tmp, 1); result = tmp }
active proctype A() { byte i; for (i : 1 .. N) { both(p, i) } send_twice(q, p.fst) }
active proctype B() { byte x; q?x; local_(x + 1); q?x; local_(x); assert(result >= N) }
