/* Alternating bit with loss and duplication in the channel itself. */
/* with CAP=1 */
/* with CAP=2 */
/* with CAP=1 DUPLICATE */
/* with CAP=2 DUPLICATE */
#ifndef CAP
#define CAP 1
#endif
mtype = { msg, ack };
chan s2r = [CAP] of { mtype, bit, byte };
chan r2s = [CAP] of { mtype, bit };
byte received = 255;
inline lossy_ack(c, b) {
	if
	:: c!ack(b)
	:: skip
#ifdef DUPLICATE
	:: atomic { nfull(c) -> c!ack(b); if :: nfull(c) -> c!ack(b) :: full(c) fi }
#endif
	fi
}
active proctype S() {
	bit sb, rb; byte data;
	do
	:: if
	   :: s2r!msg(sb, data)
	   :: skip
	   fi;
	   if
	   :: r2s?ack(rb) -> if :: rb == sb -> sb = 1 - sb; data = (data + 1) % 4 :: else fi
	   :: timeout
	   fi
	od
}
active proctype R() {
	bit rb, eb; byte d, want;
	do
	:: s2r?msg(rb, d) ->
	   if
	   :: rb == eb -> assert(d == want); received = d; want = (want + 1) % 4; eb = 1 - eb
	   :: else
	   fi;
	   lossy_ack(r2s, rb)
	od
}
ltl progress_made { []<> (received == 1) }
ltl order { [] (received == 1 -> (received == 1 || received == 2) W (received == 2)) }
