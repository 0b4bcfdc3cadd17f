/* Names used again in blocks, initial values that are computed again in loops. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte total;
active proctype P() {
	byte i;
	do
	:: i < N ->
	   byte fresh = 5;
	   fresh = fresh + i;
	   { byte inner = fresh * 2; total = total + inner }
	   { byte inner = 1; total = total - inner; assert(inner == 1) }
	   i++
	:: else -> break
	od
}
active proctype Q() { byte y = total; byte z = y + 1; assert(z == 1 || total > 0) }
