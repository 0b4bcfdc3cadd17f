/* Gossip: who calls exchanges all secrets; the run that violates `ignorant` is a plan of calls. */
/* with N=3 CALLS=3 */
/* with N=4 CALLS=4 */
/* with N=4 CALLS=3 */
/* with N=5 CALLS=5 */
#ifndef N
#define N 3
#define CALLS 3
#endif
#define ALL ((1 << N) - 1)
byte knows[N]; byte calls;
active proctype Town() {
	byte i, j;
	d_step { i = 0; do :: i < N -> knows[i] = 1 << i; i++ :: else -> i = 0; break od };
	do
	:: calls < CALLS ->
	   select (i : 0 .. N - 1);
	   select (j : 0 .. N - 1);
	   if
	   :: i < j -> d_step { knows[i] = knows[i] | knows[j]; knows[j] = knows[i]; calls++ }
	   :: else
	   fi;
	   d_step { i = 0; j = 0 }
	:: else -> break
	od
}
ltl ignorant { [] !(knows[0] == ALL && knows[1] == ALL && knows[2] == ALL && knows[N - 1] == ALL) }
