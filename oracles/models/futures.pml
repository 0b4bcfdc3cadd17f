/* Futures: a task is started with a channel, and whoever needs the result waits for it. */
/* with DEPTH=2 */
/* with DEPTH=3 */
#ifndef DEPTH
#define DEPTH 2
#endif
proctype task(byte d; chan f) {
	chan g = [1] of { byte }; chan h = [1] of { byte };
	byte x, y;
	if
	:: d == 0 -> f!1
	:: d > 0 -> run task(d - 1, g); run task(d - 1, h); g?x; h?y; f!(x + y)
	fi
}
init {
	chan f = [1] of { byte }; byte r;
	run task(DEPTH, f);
	f?r;
	assert(r == (1 << DEPTH))
}
