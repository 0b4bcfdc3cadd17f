/* Forks as processes, taken and given back by rendezvous. */
/* with N=2 */
/* with N=3 */
/* with N=4 */
#ifndef N
#define N 3
#endif
chan take[N] = [0] of { byte }; chan put[N] = [0] of { byte };
proctype Fork(byte i) { byte who;
end:	do :: take[i]?who -> put[i]?eval(who) od
}
proctype Phil(byte i) {
	do
	:: take[i]!i;
	   take[(i + 1) % N]!i;
	   printf("philosopher %d eats\n", i);
	   put[i]!i; put[(i + 1) % N]!i
	od
}
init { byte k;
	atomic {
		do
		:: k < N -> run Fork(k); run Phil(k); k++
		:: else -> break
		od
	}
}
