/* One round of oral messages with a traitor among four. */
/* with TRAITOR=0 */
/* with TRAITOR=3 */
#ifndef TRAITOR
#define TRAITOR 3
#endif
#define N 4
bit order[N]; typedef Row { bit said[N] }; Row heard[N]; bit decision[N]; byte done_; bit original;
active proctype Commander() {
	byte i;
	if :: original = 0 :: original = 1 fi;
	i = 1;
	do
	:: i < N -> if
	           :: TRAITOR == 0 -> if :: order[i] = 0 :: order[i] = 1 fi
	           :: else -> order[i] = original
	           fi; i++
	:: else -> break
	od;
	done_ = 1
}
active [3] proctype Lieutenant() {
	byte i = 1, votes;
	done_ >= 1;
	do
	:: i < N ->
	   if
	   :: i == _pid -> heard[i].said[_pid] = order[_pid]
	   :: i != _pid && _pid == TRAITOR -> if :: heard[i].said[_pid] = 0 :: heard[i].said[_pid] = 1 fi
	   :: else -> heard[i].said[_pid] = order[_pid]
	   fi;
	   i++
	:: else -> break
	od;
	done_++;
	done_ == 4;
	votes = heard[_pid].said[1] + heard[_pid].said[2] + heard[_pid].said[3];
	decision[_pid] = (votes >= 2)
}
active proctype Judge() {
	timeout;
	assert(TRAITOR == 0 || (decision[1] == original && decision[2] == original));
	assert(decision[1] == decision[2])
}
