/* A monitor with two conditions, waiting and signalling written as inlines. */
/* with N=1 M=1 SIZE=1 */
/* with N=2 M=1 SIZE=1 */
/* with N=2 M=2 SIZE=2 */
/* with N=2 M=2 SIZE=1 IF_FOR_WHILE */
#ifndef N
#define N 1
#define M 1
#define SIZE 1
#endif
bool lock; byte waiting_full, waiting_empty, woken_full, woken_empty, items;
inline enter() { atomic { !lock -> lock = true } }
inline leave() { lock = false }
inline wait(w, k) { atomic { w++; lock = false }; atomic { k > 0 && !lock -> k--; lock = true } }
inline signal(w, k) { atomic { if :: w > 0 -> w--; k++ :: else fi } }
active [N] proctype producer() {
	do
	:: enter();
#ifdef IF_FOR_WHILE
	   if :: items == SIZE -> wait(waiting_full, woken_full) :: else fi;
#else
	   do :: items == SIZE -> wait(waiting_full, woken_full) :: else -> break od;
#endif
	   items++; assert(items <= SIZE);
	   signal(waiting_empty, woken_empty);
	   leave()
	od
}
active [M] proctype consumer() {
	do
	:: enter();
#ifdef IF_FOR_WHILE
	   if :: items == 0 -> wait(waiting_empty, woken_empty) :: else fi;
#else
	   do :: items == 0 -> wait(waiting_empty, woken_empty) :: else -> break od;
#endif
	   assert(items > 0); items--;
	   signal(waiting_full, woken_full);
	   leave()
	od
}
ltl flows { []<> (items > 0) && []<> (items == 0) }
