/* The towers of Hanoi, each peg a set of bits. */
/* with DISKS=3 */
/* with DISKS=5 */
/* with DISKS=7 */
#ifndef DISKS
#define DISKS 3
#endif
#define ALL ((1 << DISKS) - 1)
int peg[3];
#define lowest(x) ((x) & (-(x)))
inline move(a, b) {
	d_step { peg[a] != 0 && (peg[b] == 0 || lowest(peg[a]) < lowest(peg[b])) ->
		t = lowest(peg[a]); peg[a] = peg[a] ^ t; peg[b] = peg[b] | t; t = 0 }
}
active proctype solve() {
	int t;
	peg[0] = ALL;
	do
	:: move(0, 1) :: move(0, 2) :: move(1, 0) :: move(1, 2) :: move(2, 0) :: move(2, 1)
	od
}
ltl unsolved { [] (peg[2] != ALL) }
