/* A knight visits each square of a small board once. */
/* with W=3 H=3 */
/* with W=3 H=4 */
/* with W=4 H=3 */
#ifndef W
#define W 3
#define H 3
#endif
bool seen[W * H]; byte x, y, moves;
#define hop(dx, dy) \
	:: d_step { x + dx >= 0 && x + dx < W && y + dy >= 0 && y + dy < H -> \
	     if :: !seen[(x + dx) + W * (y + dy)] -> x = x + dx; y = y + dy; seen[x + W * y] = 1; moves++ \
	        :: else -> moves = 0 fi }; if :: moves == 0 -> break :: else fi
active proctype knight() {
	seen[0] = true; moves = 1;
	do
	hop(1, 2) hop(2, 1) hop(-1, 2) hop(-2, 1)
	hop(1, -2) hop(2, -1) hop(-1, -2) hop(-2, -1)
	od
}
ltl no_tour { [] (moves < W * H) }
