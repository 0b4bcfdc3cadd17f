/* A never claim about remote places and channels. */
/* with K=2 */
/* with K=3 */
#ifndef K
#define K 2
#endif
chan q = [K] of { byte };
active proctype S() { byte i; do :: i < K -> q!i; i++ :: i == K -> i = 0 od }
active proctype R() { byte v; wait_: do :: q?v -> got: skip od }
never {
	do
	:: len(q) == K && R@got -> goto accept_full
	:: true
	od;
accept_full:
	do
	:: len(q) == K
	od
}
