/* Optimistic locking: read a version, write only if it has not changed. */
/* with N=2 WRITES=2 */
/* with N=3 WRITES=1 */
/* with N=3 WRITES=2 */
#ifndef N
#define N 2
#define WRITES 2
#endif
byte version, value_; byte retries;
active [N] proctype Tx() { byte v, x, k; bool ok;
	do
	:: k < WRITES ->
	   atomic { v = version; x = value_ };
	   x = x + 1;
	   atomic { ok = (v == version); if :: ok -> value_ = x; version++ :: else -> retries = 1 fi };
	   if :: ok -> k++ :: else fi
	:: else -> break
	od
}
active proctype Audit() { timeout -> assert(value_ == N * WRITES) }
ltl sum { <> (value_ == N * WRITES) }
ltl no_retry { [] (retries == 0) }
