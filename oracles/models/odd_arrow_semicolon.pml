/* Arrows where others write semicolons, and missing ones behind braces. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
byte a, b
chan q = [N] of { byte }
proctype S() {
	byte i
	for (i : 1 .. N) {
		q!i -> a++
	}
	if :: a == N -> skip -> b = 1 :: a < N ; b = 2 fi
	atomic { a = 0 -> a = 1 }
	do :: a > 0 ; a-- ; :: a == 0 -> break od
}
proctype R() { byte x; do :: q?x ; if :: x == N -> break :: else fi od }
init { run S() ; run R() }
