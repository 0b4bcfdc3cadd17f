/* The three-way handshake, both sides may open actively; then one side closes. */
/* with SIMULTANEOUS=0 */
/* with SIMULTANEOUS=1 */
/* with SIMULTANEOUS=1 RESET */
#ifndef SIMULTANEOUS
#define SIMULTANEOUS 0
#endif
mtype = { SYN, SYNACK, ACK, FIN, RST };
mtype:state = { closed, listen, syn_sent, syn_rcvd, established, fin_wait, close_wait, last_ack, time_wait };
chan net[2] = [3] of { mtype };
mtype:state st[2] = closed;
proctype peer(bit me; bool opens) {
	mtype m; bit you = 1 - me;
	do
	:: st[me] == closed && opens -> atomic { net[you]!SYN; st[me] = syn_sent }
	:: st[me] == closed && !opens -> st[me] = listen
	:: st[me] == listen && net[me]?[SYN] -> atomic { net[me]?SYN; net[you]!SYNACK; st[me] = syn_rcvd }
	:: st[me] == syn_sent && net[me]?[SYNACK] -> atomic { net[me]?SYNACK; net[you]!ACK; st[me] = established }
	:: st[me] == syn_sent && net[me]?[SYN] -> atomic { net[me]?SYN; net[you]!SYNACK; st[me] = syn_rcvd }
	:: st[me] == syn_rcvd && (net[me]?[ACK] || net[me]?[SYNACK]) -> atomic { net[me]?m; m = 0; st[me] = established }
	:: st[me] == established && net[me]?[FIN] -> atomic { net[me]?FIN; net[you]!ACK; st[me] = close_wait }
	:: st[me] == established && opens && me == 0 -> atomic { net[you]!FIN; st[me] = fin_wait }
	:: st[me] == close_wait -> atomic { net[you]!FIN; st[me] = last_ack }
	:: st[me] == fin_wait && net[me]?[FIN] -> atomic { net[me]?FIN; net[you]!ACK; st[me] = time_wait }
	:: (st[me] == fin_wait || st[me] == established) && (net[me]?[ACK] || net[me]?[SYNACK]) -> net[me]?_
	:: st[me] == last_ack && net[me]?[ACK] -> net[me]?ACK; st[me] = closed; break
	:: st[me] == time_wait -> if :: net[me]?_ :: empty(net[me]) -> st[me] = closed; break fi
#ifdef RESET
	:: net[me]?RST -> st[me] = closed; break
	:: st[me] == syn_rcvd -> atomic { nfull(net[you]) -> net[you]!RST; st[me] = closed }; break
#endif
	od
}
init { atomic { run peer(0, true); run peer(1, SIMULTANEOUS) } }
ltl opened { <> (st[0] == established) }
ltl both { [] (st[0] == established -> <> (st[1] == established || st[1] == close_wait || st[1] == closed)) }
