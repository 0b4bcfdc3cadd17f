/* Dekker's algorithm, written with labels and goto as it was published. */
/* with ROUNDS=0 */
/* with ROUNDS=3 */
/* with ROUNDS=0 NO_TURN */
#ifndef ROUNDS
#define ROUNDS 0
#endif
bool c1 = true, c2 = true;   /* true: not interested */
byte turn = 1, inside, r1, r2;

proctype one() {
A1:	c1 = false;
L1:	if
	:: !c2 -> if
#ifndef NO_TURN
	          :: turn == 1 -> goto L1
#endif
	          :: else -> c1 = true; goto B1
	          fi
	:: else
	fi;
	inside++; assert(inside == 1); inside--;
	turn = 2; c1 = true;
	if
	:: ROUNDS == 0 -> goto A1
	:: ROUNDS > 0 && r1 < ROUNDS -> r1++; goto A1
	:: else -> goto done1
	fi;
B1:	turn == 1; goto A1;
done1:	skip
}

proctype two() {
A2:	c2 = false;
L2:	if
	:: !c1 -> if
	          :: turn == 2 -> goto L2
	          :: else -> c2 = true; goto B2
	          fi
	:: else
	fi;
	inside++; assert(inside == 1); inside--;
	turn = 1; c2 = true;
	if
	:: ROUNDS == 0 -> goto A2
	:: ROUNDS > 0 && r2 < ROUNDS -> r2++; goto A2
	:: else -> goto done2
	fi;
B2:	turn == 2; goto A2;
done2:	skip
}

init { atomic { run one(); run two() } }
ltl returns { []<> (inside == 1) }
ltl safe { [] (inside < 2) }
