/* A never claim written by hand, with accept labels and a state that ends it. */
/* with WAITS=0 */
/* with WAITS=1 */
#ifndef WAITS
#define WAITS 0
#endif
bool req, grant; byte k;
active proctype Client() { do :: !req && !grant -> req = 1 :: grant -> req = 0; grant == 0 od }
active proctype Server() {
	do
	:: req && !grant -> grant = 1
	:: !req && grant -> grant = 0
#if WAITS
	:: req -> skip
#endif
	od
}
never {      /* !([] (req -> <> grant)) */
T0_init:
	do
	:: (req && !grant) -> goto accept_S4
	:: (1) -> goto T0_init
	od;
accept_S4:
	do
	:: (!grant) -> goto accept_S4
	od
}
