/* Queens, placed row by row; the assertion fails where a solution is found. */
/* with N=4 */
/* with N=5 */
/* with N=6 */
/* with N=3 */
#ifndef N
#define N 4
#endif
byte col[N]; byte row;
active proctype place() {
	byte c, k; bool ok;
	do
	:: row < N ->
	   select (c : 0 .. N - 1);
	   ok = true;
	   d_step {
	      k = 0;
	      do
	      :: k < row ->
	         if
	         :: col[k] == c || col[k] + row - k == c || col[k] - row + k == c -> ok = false
	         :: else
	         fi;
	         k++
	      :: else -> break
	      od;
	      k = 0
	   };
	   if :: ok -> d_step { col[row] = c; c = 0; row++ } :: else -> break fi
	:: row == N -> assert(false)
	od
}
