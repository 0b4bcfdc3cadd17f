/* The sleeping barber with chairs; customers who find no chair leave. */
/* with CHAIRS=1 CUSTOMERS=2 */
/* with CHAIRS=2 CUSTOMERS=3 */
/* with CHAIRS=1 CUSTOMERS=4 */
#ifndef CHAIRS
#define CHAIRS 1
#define CUSTOMERS 2
#endif
mtype { sit, done };
chan room = [CHAIRS] of { byte }; chan chair[CUSTOMERS] = [0] of { mtype };
byte cut, left_; bool asleep;
active proctype Barber() {
	byte who;
end:	do
	:: atomic { empty(room) -> asleep = true }; nempty(room); asleep = false
	:: room?who -> chair[who]!sit; cut++; chair[who]!done
	od
}
active [CUSTOMERS] proctype Customer() {
	byte me = _pid - 1;
	if
	:: atomic { nfull(room) -> room!me };
	   chair[me]?sit; chair[me]?done
	:: atomic { full(room) -> left_++ }
	fi
}
ltl everybody { <> (cut + left_ == CUSTOMERS) }
ltl not_all_leave { [] (left_ < CUSTOMERS) }
