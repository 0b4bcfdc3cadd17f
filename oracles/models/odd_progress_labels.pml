/* Progress and accept labels: cycles without progress, and accepting ones. */
/* with BAD=0 */
/* with BAD=1 */
/* with BAD=2 */
#ifndef BAD
#define BAD 0
#endif
byte n;
active proctype P() {
	do
	:: n < 3 ->
progress:  n++
	:: n > 0 -> n--
#if BAD >= 1
	:: n == 2 -> skip
#endif
	od
}
active proctype Q() {
	do
	:: n == 1 ->
accept:	   n = 2
#if BAD == 2
progress_q: skip
#endif
	:: n == 3 -> n = 0
	od
}
