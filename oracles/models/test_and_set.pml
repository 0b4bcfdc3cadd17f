/* Spin locks by atomic instructions: test-and-set, test-and-test-and-set, swap. */
/* with KIND=0 N=3 */
/* with KIND=1 N=3 */
/* with KIND=2 N=3 */
/* with KIND=3 N=2 */
#ifndef KIND
#define KIND 0
#endif
#ifndef N
#define N 2
#endif
bool lock; byte holders;
inline test_and_set(var, old) { d_step { old = var; var = true } }
inline swap(a, b, t) { atomic { t = a; a = b; b = t } }

active [N] proctype T() {
	bool old, key, tmp;
	do
	::
#if KIND == 0
	   do :: test_and_set(lock, old); if :: !old -> break :: else fi od;
#elif KIND == 1
	   do :: !lock -> test_and_set(lock, old); if :: !old -> break :: else fi od;
#elif KIND == 2
	   key = true;
	   do :: key -> swap(lock, key, tmp) :: else -> break od;
#else
	   !lock; lock = true;   /* wrong: not atomic */
#endif
	   holders++; assert(holders == 1); holders--;
	   lock = false
	od
}
ltl excl { [] (holders <= 1) }
ltl first_gets_in { <> (T[0]:old == 0 && holders == 1) }
