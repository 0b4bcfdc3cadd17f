/* An escape by rendezvous. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
chan kill_ = [0] of { bit }; byte alive = N, work;
active [N] proctype W() {
	{ do :: work < 3 -> work++ :: work > 0 -> work-- od } unless { kill_?1 };
	alive--
}
active proctype K() { byte i; for (i : 1 .. N) { kill_!1 } }
ltl dead { <> (alive == 0) }
