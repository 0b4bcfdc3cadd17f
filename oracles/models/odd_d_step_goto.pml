/* d_step with loops, choices that both hold, gotos inside, and a send at its start. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
chan q = [3] of { byte }; byte x, found = 255;
active [N] proctype P() {
	byte i, j;
	d_step {
		q!_pid;
		i = 0;
next:		if
		:: i < 3 -> i++; goto next
		:: i >= 3 -> j = i
		:: else -> assert(false)
		fi;
		do :: j > 0 -> j--; x++ :: j == 0 -> break od
	};
	d_step { i = 0; do :: i < 3 -> if :: x == i * 3 -> found = i; break :: else fi; i++ :: else -> break od; i = 0 };
	d_step { q?i -> x = x - 3; i = 0; found = 255 }
}
ltl back { <> [] (x == 0) }
