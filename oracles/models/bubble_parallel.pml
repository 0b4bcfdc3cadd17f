/* Neighbours exchange values in parallel until sorted; every pair has a process. */
/* with N=3 */
/* with N=4 */
/* with N=5 */
#ifndef N
#define N 3
#endif
byte a[N]; byte swaps;
proctype pair(byte i) {
	byte t;
end:	do
	:: atomic { a[i] > a[i + 1] -> t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; t = 0; swaps++ }
	od
}
init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) { a[i] = N - i }
		for (i : 0 .. N - 2) { run pair(i) }
	};
	timeout; assert(swaps == (N * (N - 1)) / 2)
}
ltl sorted { <> [] (a[0] <= a[1] && a[1] <= a[2]) }
