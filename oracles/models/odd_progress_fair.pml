/* Progress of one process only under fairness to another. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
byte x;
active [N] proctype Busy() { do :: x = 1 - x od }
active proctype Slow() { do ::
progress: skip; x = x
	od }
