/* Chandy and Misra: dirty forks must be given away, clean ones are kept until eating. */
/* with N=3 */
/* with N=2 */
#ifndef N
#define N 3
#endif
mtype = { request, give };
chan to[N] = [4] of { mtype, bit };     /* the bit: from the left (0) or the right (1) */
byte meals;
proctype phil(byte me; bool l; bool r; bool lt; bool rt) {
	bool dirty_l = l, dirty_r = r, hungry;
	byte ln = (me + N - 1) % N, rn = (me + 1) % N;
	do
	:: !hungry -> hungry = true
	:: hungry && !l && lt -> atomic { lt = 0; to[ln]!request, 1 }
	:: hungry && !r && rt -> atomic { rt = 0; to[rn]!request, 0 }
	:: hungry && l && r -> meals = me; dirty_l = 1; dirty_r = 1; hungry = 0
	:: to[me]?request, 0 -> lt = 1
	:: to[me]?request, 1 -> rt = 1
	:: to[me]?give, 0 -> l = 1; dirty_l = 0
	:: to[me]?give, 1 -> r = 1; dirty_r = 0
	:: atomic { l && lt && (dirty_l || !hungry) -> l = 0; dirty_l = 0; to[ln]!give, 1 }
	:: atomic { r && rt && (dirty_r || !hungry) -> r = 0; dirty_r = 0; to[rn]!give, 0 }
	od
}
init {
	atomic {
		run phil(0, 1, 1, 0, 0);
#if N == 3
		run phil(1, 0, 1, 1, 0);
		run phil(2, 0, 0, 1, 1)
#else
		run phil(1, 0, 0, 1, 1)
#endif
	}
}
ltl zero_eats { []<> (meals == 0) }
