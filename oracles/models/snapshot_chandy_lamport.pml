/* Chandy and Lamport's snapshot of two banks that send money to each other. */
/* with CAP=2 */
/* with CAP=3 */
/* with CAP=3 NO_RECORDING */
#ifndef CAP
#define CAP 2
#endif
mtype = { money, marker };
chan c[2] = [CAP] of { mtype };
byte cash[2] = 2; byte snap_cash[2]; byte snap_chan[2]; bool recorded[2], closed[2];
active [2] proctype Bank() {
	byte o = 1 - _pid;
	do
	:: atomic { cash[_pid] > 0 && nfull(c[o]) -> cash[_pid] = cash[_pid] - 1; c[o]!money }
	:: atomic { c[_pid]?money -> cash[_pid] = cash[_pid] + 1;
#ifndef NO_RECORDING
	      if :: recorded[_pid] && !closed[_pid] -> snap_chan[_pid] = snap_chan[_pid] + 1 :: else fi
#endif
	      }
	:: atomic { _pid == 0 && !recorded[0] && nfull(c[o]) -> recorded[0] = 1; snap_cash[0] = cash[0]; c[o]!marker }
	:: atomic { nfull(c[o]) && c[_pid]?[marker] -> c[_pid]?marker; closed[_pid] = 1;
	      if :: !recorded[_pid] -> recorded[_pid] = 1; snap_cash[_pid] = cash[_pid]; c[o]!marker :: else fi }
	od
}
#define complete_ (closed[0] && closed[1])
ltl consistent { [] (complete_ -> (snap_cash[0] + snap_cash[1] + snap_chan[0] + snap_chan[1] == 4)) }
ltl completes { <> complete_ }
