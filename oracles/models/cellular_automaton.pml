/* A ring of cells that change one at a time, or all at once. */
/* with N=6 RULE=110 */
/* with N=8 RULE=30 */
/* with N=8 RULE=30 TOGETHER */
#ifndef N
#define N 6
#define RULE 110
#endif
bit cell[N];
#define new_(k) ((RULE >> (4 * cell[(k + N - 1) % N] + 2 * cell[k] + cell[(k + 1) % N])) & 1)
#ifdef TOGETHER
active proctype All() { bit next_[N]; byte k;
	cell[0] = 1;
	do
	:: d_step { k = 0; do :: k < N -> next_[k] = new_(k); k++ :: else -> break od;
	      k = 0; do :: k < N -> cell[k] = next_[k]; next_[k] = 0; k++ :: else -> break od; k = 0 }
	od }
#else
bool go;
active proctype Start() { cell[0] = 1; go = true }
active [N] proctype Cell() provided (go) { do :: cell[_pid - 1] = new_((_pid - 1)) od }
#endif
ltl dead { <>[] (cell[0] == 0) }
