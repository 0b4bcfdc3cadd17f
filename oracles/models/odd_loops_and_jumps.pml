/* Breaks and jumps out of nested loops of all kinds. */
/* with K=2 */
/* with K=3 */
#ifndef K
#define K 2
#endif
byte hits, i, j;
active proctype P() {
	for (i : 0 .. K) {
		for (j : 0 .. K) {
			if
			:: i == j -> goto next
			:: i + j == K -> break
			:: else -> hits++
			fi;
next:			skip
		}
	}
	do
	:: do
	   :: hits > 0 -> hits--; if :: hits == 1 -> goto out :: else fi
	   :: hits == 0 -> break
	   od;
	   break
	od;
out:	assert(hits <= 1)
}
active proctype Q() { do :: i == 1 -> break :: i > 1 -> goto gone od; hits = hits; gone: skip }
