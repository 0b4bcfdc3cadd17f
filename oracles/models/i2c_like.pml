/* Two wires and bits one by one: a byte is sent from a master to a slave, with acknowledgement. */
/* with BITS=2 */
/* with BITS=4 */
#ifndef BITS
#define BITS 2
#endif
bit scl = 1, sda = 1; byte sent, got; bool finished;
chan edge_ = [0] of { bit };
active proctype Master() { byte k; byte v;
	select (v : 0 .. 3); sent = v;
	d_step { sda = 0 };
	k = BITS;
	do
	:: k > 0 -> k--; scl = 0; sda = (v >> k) & 1; scl = 1; edge_!1
	:: else -> break
	od;
	edge_!0; finished = true
}
active proctype Slave() { byte r;
	do
	:: edge_?1 -> r = (r << 1) | sda
	:: edge_?0 -> got = r; assert(got == (sent & ((1 << BITS) - 1))); break
	od
}
ltl done_ { <> finished }
