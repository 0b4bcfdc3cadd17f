/* Recursion by processes: each asks two others and adds what they answer. */
/* with N=3 */
/* with N=5 */
/* with N=7 */
#ifndef N
#define N 3
#endif
proctype fib(byte n; chan answer) {
	chan c = [2] of { byte };
	byte a, b;
	if
	:: n < 2 -> answer!n
	:: else ->
	   run fib(n - 1, c); c?a;
	   run fib(n - 2, c); c?b;
	   answer!a + b
	fi
}
init {
	chan r = [1] of { byte };
	byte x;
	run fib(N, r);
	r?x;
	printf("fib(%d) = %d\n", N, x);
	assert(x == (N == 3 -> 2 : (N == 5 -> 5 : 13)))
}
