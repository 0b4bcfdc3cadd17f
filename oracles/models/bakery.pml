/* Lamport's bakery; tickets are bounded by giving up above MAX. */
/* with N=2 MAX=4 */
/* with N=2 MAX=7 */
/* with N=3 MAX=3 */
/* with N=2 MAX=4 NO_CHOOSING */
#ifndef N
#define N 2
#endif
#ifndef MAX
#define MAX 4
#endif
bool choosing[N];
byte ticket[N];
byte critical;

active [N] proctype Customer() {
	byte j, max;
	do
	:: choosing[_pid] = true;
	   max = 0; j = 0;
	   do
	   :: j < N -> if :: ticket[j] > max -> max = ticket[j] :: else fi; j++
	   :: j == N -> break
	   od;
	   if
	   :: max < MAX -> ticket[_pid] = max + 1
	   :: else -> choosing[_pid] = false; break
	   fi;
	   choosing[_pid] = false;
	   for (j : 0 .. N - 1) {
#ifndef NO_CHOOSING
	   	!choosing[j];
#endif
	   	(ticket[j] == 0 || ticket[j] > ticket[_pid] || (ticket[j] == ticket[_pid] && j >= _pid))
	   };
	   critical++;
	   assert(critical == 1);
	   critical--;
	   ticket[_pid] = 0
	od
}
ltl only_one { [] (critical < 2) }
ltl goes_on { []<> (critical == 1) }
