/* Taubenfeld's black-white bakery: tickets stay below N. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
bit color; bit mycolor[N]; bool choosing[N]; byte number[N]; byte in;
active [N] proctype B() {
	byte j, m;
	do
	:: choosing[_pid] = 1;
	   mycolor[_pid] = color;
	   m = 0; j = 0;
	   do
	   :: j < N -> if :: mycolor[j] == mycolor[_pid] && number[j] > m -> m = number[j] :: else fi; j++
	   :: else -> break
	   od;
	   assert(m < N);
	   number[_pid] = m + 1;
	   choosing[_pid] = 0;
	   j = 0;
	   do
	   :: j < N ->
	      choosing[j] == 0;
	      if
	      :: mycolor[j] == mycolor[_pid] ->
	         (number[j] == 0 || number[j] > number[_pid] || (number[j] == number[_pid] && j >= _pid)
	          || mycolor[j] != mycolor[_pid])
	      :: else ->
	         (number[j] == 0 || mycolor[_pid] != color || mycolor[j] == mycolor[_pid])
	      fi;
	      j++
	   :: else -> break
	   od;
	   in++; assert(in == 1); in--;
	   color = 1 - mycolor[_pid];
	   number[_pid] = 0
	od
}
ltl in1 { [] (in <= 1) }
