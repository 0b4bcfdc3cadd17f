/* Read-copy-update: readers look through a pointer, the writer waits for them before it frees. */
/* with READERS=1 */
/* with READERS=2 */
/* with READERS=3 */
/* with READERS=2 NO_WAIT */
#ifndef READERS
#define READERS 1
#endif
bool valid[2] = { true, false }; bit ptr; bool reading[READERS]; byte frees;
active [READERS] proctype Reader() {
	bit p;
	do
	:: reading[_pid] = true;
	   p = ptr;
	   assert(valid[p]);
	   assert(valid[p]);
	   reading[_pid] = false; p = 0
	od
}
active proctype Writer() {
	bit old; byte r;
	do
	:: old = ptr;
	   valid[1 - old] = true;
	   ptr = 1 - old;
#ifndef NO_WAIT
	   for (r : 0 .. READERS - 1) { !reading[r] }
#endif
	   valid[old] = false; frees = (frees + 1) % 3
	od
}
init priority 1 { skip }
ltl frees_again { []<> (frees == 2) }
