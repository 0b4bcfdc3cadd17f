/* The classic with three semaphores: mutex, empty, full. SWAPPED takes them in the wrong order. */
/* with N=1 SLOTS=2 */
/* with N=2 SLOTS=1 */
/* with N=1 SLOTS=1 SWAPPED */
/* with N=2 SLOTS=2 */
#ifndef N
#define N 1
#define SLOTS 2
#endif
#define down(s) atomic { s > 0 -> s-- }
#define up(s)   s++
byte mutex = 1, empties = SLOTS, fulls = 0, buf[SLOTS], in, out;
active [N] proctype producer() {
	byte item = 1;
	do
	::
#ifdef SWAPPED
	   down(mutex); down(empties);
#else
	   down(empties); down(mutex);
#endif
	   buf[in] = item; in = (in + 1) % SLOTS;
	   up(mutex); up(fulls);
	   item = 3 - item
	od
}
active [N] proctype consumer() {
	byte item;
	do
	:: down(fulls); down(mutex);
	   item = buf[out]; assert(item == 1 || item == 2); out = (out + 1) % SLOTS;
	   up(mutex); up(empties)
	od
}
ltl conserved { [] (empties + fulls <= SLOTS) }
