/* Actors with mailboxes and behaviours; a counter actor asked by two clients. */
/* with CLIENTS=1 */
/* with CLIENTS=2 */
/* with CLIENTS=3 */
#ifndef CLIENTS
#define CLIENTS 1
#endif
mtype = { add, ask, value, quit };
chan counter = [2] of { mtype, byte, chan }; byte sums; chan nobody = [0] of { mtype, byte };
active proctype Counter() { byte n, v; chan back; mtype m;
	do
	:: counter?add, v, back -> n = n + v
	:: counter?ask, _, back -> back!value, n
	:: counter?quit, _, _ -> break
	od; sums = n
}
active [CLIENTS] proctype Client() { chan me = [1] of { mtype, byte }; byte got;
	counter!add, 2, nobody; counter!ask, 0, me; me?value, got; assert(got >= 2 && got % 2 == 0); counter!add, 1, nobody;
	if :: _nr_pr == 2 && _pid == 1 -> counter!quit, 0, nobody :: else fi
}
