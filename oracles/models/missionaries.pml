/* Missionaries and cannibals with a boat of two or three. */
/* with M=3 BOAT=2 */
/* with M=4 BOAT=2 */
/* with M=5 BOAT=3 */
#ifndef M
#define M 3
#define BOAT 2
#endif
byte m = M, c = M; bit boat;
#define ok(x, y) ((x == 0 || x >= y) && (M - x == 0 || M - x >= M - y))
active proctype cross() {
	byte dm, dc;
	do
	:: select (dm : 0 .. BOAT);
	   select (dc : 0 .. BOAT);
	   if
	   :: dm + dc >= 1 && dm + dc <= BOAT && boat == 0 && dm <= m && dc <= c && ok(m - dm, c - dc) ->
	      d_step { m = m - dm; c = c - dc; boat = 1 }
	   :: dm + dc >= 1 && dm + dc <= BOAT && boat == 1 && m + dm <= M && c + dc <= M && ok(m + dm, c + dc) ->
	      d_step { m = m + dm; c = c + dc; boat = 0 }
	   :: else
	   fi
	od
}
ltl impossible { [] !(m == 0 && c == 0) }
