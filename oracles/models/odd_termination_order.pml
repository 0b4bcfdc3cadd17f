/* Processes end in reverse order: the older waits for the younger. */
/* with N=2 */
/* with N=3 */
/* with N=4 */
#ifndef N
#define N 2
#endif
byte gone; bool go[N];
proctype P(byte k) { go[k]; gone++ }
init {
	byte i;
	atomic { for (i : 0 .. N - 1) { run P(i) } };
	for (i : 0 .. N - 1) { go[i] = true }
	_nr_pr == 1;
	assert(gone == N);
	run P(0); _nr_pr == 1
}
