/* A sliding puzzle of two rows. */
/* with COLS=2 */
/* with COLS=3 */
/* with COLS=4 */
#ifndef COLS
#define COLS 3
#endif
#define N (2 * COLS)
byte tile[N]; byte hole;
init {
	byte i;
	d_step { i = 0; do :: i < N -> tile[i] = N - 1 - i; i++ :: else -> break od; hole = N - 1; i = 0 };
	do
	:: d_step { hole % COLS != 0 -> tile[hole] = tile[hole - 1]; hole--; tile[hole] = 0 }
	:: d_step { hole % COLS != COLS - 1 -> tile[hole] = tile[hole + 1]; hole++; tile[hole] = 0 }
	:: d_step { hole >= COLS -> tile[hole] = tile[hole - COLS]; hole = hole - COLS; tile[hole] = 0 }
	:: d_step { hole < COLS -> tile[hole] = tile[hole + COLS]; hole = hole + COLS; tile[hole] = 0 }
	od
}
ltl unsorted { [] !(tile[0] == 1 && tile[1] == 2 && tile[2] == 3) }
