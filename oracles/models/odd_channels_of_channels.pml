/* Channels sent through channels, three deep. */
/* with CAP=0 */
/* with CAP=1 */
/* with CAP=2 */
#ifndef CAP
#define CAP 1
#endif
chan a = [CAP] of { chan };
byte total;
active proctype P() {
	chan b = [CAP] of { chan };
	chan c;
	a!b;
	b?c;
	c!1; c!2
}
active proctype Q() {
	chan b; chan c = [CAP] of { byte }; byte x;
	a?b;
	b!c;
	c?x; total = total + x;
	c?x; total = total + x
}
active [2] proctype Noise() { byte k; do :: k < 2 -> k++ :: else -> break od }
ltl three { <> (total == 3) }
