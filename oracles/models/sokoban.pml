/* A warehouse of one row with a corner: push the boxes onto their places. */
/* with WIDTH=5 */
/* with WIDTH=6 */
#ifndef WIDTH
#define WIDTH 5
#endif
#define CELLS (2 * WIDTH)
bool wall[CELLS]; bool box[CELLS]; byte man;
inline step_(dx) {
	atomic {
		to = man + dx; beyond = man + 2 * dx;
		if
		:: to >= 0 && to < CELLS && !wall[to] ->
			if
			:: !box[to] -> man = to
			:: box[to] && beyond >= 0 && beyond < CELLS -> if :: !wall[beyond] && !box[beyond] -> box[to] = 0; box[beyond] = 1; man = to :: else fi
			:: else
			fi
		:: else
		fi;
		to = 0; beyond = 0
	}
}
active proctype play() {
	short to, beyond;
	d_step { wall[WIDTH - 1] = 1; box[WIDTH + 2] = 1; box[2] = 1 };
	do
	:: man % WIDTH != WIDTH - 1 -> step_(1)
	:: man % WIDTH != 0 -> step_(-1)
	:: step_(WIDTH)
	:: step_(-WIDTH)
	od
}
ltl cannot { [] !(box[CELLS - 1] && man == CELLS - 2) }
