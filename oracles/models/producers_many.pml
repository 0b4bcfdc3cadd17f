/* Several producers and consumers at one channel; what goes in comes out. */
/* with P=2 C=2 ITEMS=2 CAP=1 */
/* with P=2 C=1 ITEMS=3 CAP=2 */
/* with P=3 C=2 ITEMS=2 CAP=3 */
/* with P=2 C=2 ITEMS=3 CAP=0 */
#ifndef P
#define P 2
#define C 2
#define ITEMS 2
#define CAP 1
#endif
chan q = [CAP] of { byte, byte };
byte produced, consumed; byte got[P];
active [P] proctype prod() {
	byte i;
	for (i : 1 .. ITEMS) { q!_pid, i; produced++ }
}
active [C] proctype cons() {
	byte who, what;
end:	do
	:: q?who, what -> atomic { consumed++; got[who] = got[who] + 1 }
	od
}
active proctype checker() {
	timeout -> assert(consumed == P * ITEMS && got[0] == ITEMS)
}
ltl all_consumed { <> (consumed == P * ITEMS) }
