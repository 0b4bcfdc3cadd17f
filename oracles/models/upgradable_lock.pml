/* Readers may become writers while they read: two who try wait for each other. */
/* with N=2 */
/* with N=3 */
/* with N=3 POLITE */
#ifndef N
#define N 2
#endif
byte shared; bool exclusive; bool upgrading;
active [N] proctype T() {
	do
	:: atomic { !exclusive && !upgrading -> shared++ };
	   if
	   :: shared--
#ifdef POLITE
	   :: atomic { !upgrading -> upgrading = true };
#else
	   :: true ->
#endif
	      atomic { shared == 1 -> exclusive = true };
	      assert(shared == 1);
	      atomic { exclusive = false; shared--; upgrading = false }
#ifdef POLITE
	   :: upgrading -> shared--
#endif
	   fi
	od
}
ltl written { []<> exclusive }
