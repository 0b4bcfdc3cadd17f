/* Merging two sorted streams of channels into one. */
/* with L=2 */
/* with L=4 */
#ifndef L
#define L 2
#endif
chan left = [1] of { byte }; chan right = [1] of { byte }; chan out = [1] of { byte };
#define END 255
proctype source(chan c; byte start, step_) {
	byte i;
	do :: i < L -> c!(start + i * step_); i++ :: else -> c!END; break od
}
active proctype merge() {
	byte l, r;
	left?l; right?r;
	do
	:: l <= r && l != END -> out!l; left?l
	:: r < l -> out!r; right?r
	:: l == END && r == END -> out!END; break
	od
}
active proctype sink() {
	byte last, x, n;
	do
	:: out?x; if :: x == END -> break :: else fi; assert(x >= last); last = x; n++
	od;
	assert(n == 2 * L)
}
init { run source(left, 0, 2); run source(right, 1, 3) }
