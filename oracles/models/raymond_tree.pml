/* Raymond's algorithm on a tree of three: the token follows pointers. */
/* with ROUNDS=1 */
/* with ROUNDS=2 */
#ifndef ROUNDS
#define ROUNDS 1
#endif
mtype = { want, token };
chan box[3] = [6] of { mtype, byte };
byte inside;
proctype node(byte me; byte holder) {
	chan q = [4] of { byte };
	byte who, k; bool asked, wants, using;
	do
	:: !wants && k < ROUNDS -> wants = true; k++; q!me
	:: box[me]?want, who -> q!who
	:: box[me]?token, _ -> holder = me
	:: atomic { holder == me && !using && nempty(q) -> q?who; asked = false;
	      if
	      :: who == me -> using = true
	      :: else -> holder = who; box[who]!token, me
	      fi }
	:: atomic { holder != me && nempty(q) && !asked -> box[holder]!want, me; asked = true }
	:: using -> inside++; assert(inside == 1); inside--; using = 0; wants = 0
	:: timeout -> break
	od
}
init { atomic { run node(0, 0); run node(1, 0); run node(2, 0) } }
