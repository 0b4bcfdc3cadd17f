/* A long queue that fills and empties. */
/* with CAP=20 */
/* with CAP=100 */
/* with CAP=250 */
#ifndef CAP
#define CAP 20
#endif
chan q = [CAP] of { byte };
active proctype In() { byte i; do :: q!i; i = (i + 1) % 2 od }
active proctype Out() { byte x, want; do :: q?x -> assert(x == want); want = (want + 1) % 2 od }
ltl fills { <> (len(q) == CAP) }
