/* Macros with arguments, with # and ##, over several lines, and conditional text. */
/* with MODE=1 */
/* with MODE=2 */
/* with MODE=3 */
#ifndef MODE
#define MODE 1
#endif
#define CAT(a, b) a ## b
#define VAR(n) CAT(v, n)
#define TWICE(s) s; s
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define LOOP(i, n, body) \
	i = 0; \
	do \
	:: i < n -> body; i++ \
	:: else -> break \
	od
#if MODE > 1 && defined(MODE)
#define EXTRA VAR(2) = 7
#else
#define EXTRA skip
#endif
#undef UNKNOWN
#ifdef UNKNOWN
this is never read
#endif
byte VAR(1), VAR(2), m;
active proctype P() { byte i;
	LOOP(i, 3, TWICE(VAR(1)++));
	EXTRA;
	m = MAX(v1, v2);
	assert(m == (MODE > 1 -> 7 : 6))
}
active proctype Q() { byte j; LOOP(j, MODE, v2 = v2) }
