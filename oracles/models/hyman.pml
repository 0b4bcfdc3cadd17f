/* Hyman's algorithm, published and wrong: two variants of where the failure is looked for. */
/* with CHECK=0 */
/* with CHECK=1 */
#ifndef CHECK
#define CHECK 1
#endif
bool interested[2]; bit favoured; bool busy[2];
proctype Contender(bit me) {
	do
	:: interested[me] = true;
	   do
	   :: favoured == me -> break
	   :: favoured != me -> interested[1 - me] == false; favoured = me
	   od;
	   busy[me] = true;
#if CHECK
	   assert(!busy[1 - me]);
#endif
	   busy[me] = false;
	   interested[me] = false
	od
}
init { run Contender(0); run Contender(1) }
ltl p { [] !(busy[0] && busy[1]) }
ltl enters { []<> busy[0] }
