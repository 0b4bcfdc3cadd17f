/* Guards that overlap, sends and receives as guards, several true at once. */
/* with CAP=1 */
/* with CAP=2 */
/* with CAP=0 */
#ifndef CAP
#define CAP 1
#endif
chan a = [CAP] of { byte }; chan b = [CAP] of { byte }; byte x, y;
active proctype P() { byte k;
	do
	:: k < 3 -> if :: a!k :: b!k :: a?x :: b?x fi; k++
	:: k >= 3 -> break
	od }
active proctype Q() { byte k;
	do
	:: k < 3 -> if :: a?y -> b!y :: b?y -> a!y :: b!9 :: y == 2 fi; k++
	:: k >= 2 -> break
	od }
