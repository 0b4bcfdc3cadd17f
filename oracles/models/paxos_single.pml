/* Paxos for one decision: PROPOSERS with fixed ballots, ACCEPTORS, messages in sets of flags. */
/* with PROPOSERS=1 ACCEPTORS=3 */
/* with PROPOSERS=2 ACCEPTORS=2 */
/* with PROPOSERS=2 ACCEPTORS=3 */
/* with PROPOSERS=2 ACCEPTORS=3 FORGETS */
#ifndef PROPOSERS
#define PROPOSERS 2
#define ACCEPTORS 3
#endif
typedef Acceptor { byte promised; byte voted; byte value };
Acceptor acc[ACCEPTORS];
byte decided;
active [PROPOSERS] proctype Proposer() {
	byte ballot = _pid + 1;
	byte best, value = _pid + 1, count, i;
	/* prepare */
	i = 0;
	do
	:: i < ACCEPTORS ->
	   if
	   :: atomic { acc[i].promised < ballot -> acc[i].promised = ballot;
	      if :: acc[i].voted > best -> best = acc[i].voted; value = acc[i].value :: else fi;
	      count++ }
	   :: skip                 /* lost, or refused */
	   fi;
	   i++
	:: else -> break
	od;
	if :: count * 2 > ACCEPTORS :: else -> goto stop fi;
	d_step { count = 0; i = 0; }
	do
	:: i < ACCEPTORS ->
	   if
	   :: atomic { acc[i].promised <= ballot ->
#ifndef FORGETS
	      acc[i].promised = ballot;
#endif
	      acc[i].voted = ballot; acc[i].value = value; count++ }
	   :: skip
	   fi;
	   i++
	:: else -> break
	od;
	if
	:: count * 2 > ACCEPTORS -> assert(decided == 0 || decided == value); decided = value
	:: else
	fi;
stop:	skip
}
ltl stable { [] (decided == 1 -> [] (decided == 1)) }
ltl may_fail { <> (decided != 0) }
