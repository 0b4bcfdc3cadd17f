/* Leases by a clock: the holder may believe in it for longer than the server. */
/* with DRIFT=0 */
/* with DRIFT=1 */
#ifndef DRIFT
#define DRIFT 0
#endif
#define LEASE 2
byte now_, holder = 9, expires; bool believes[2]; byte until_[2];
active proctype Clock() { do :: now_ < 7 -> now_++ :: now_ == 7 -> break od }
active [2] proctype Node() {
	do
	:: now_ >= 7 -> believes[_pid] = false; break
	:: d_step { (holder == 9 || expires <= now_) && now_ < 7 -> holder = _pid; expires = now_ + LEASE; until_[_pid] = expires + DRIFT };
	   believes[_pid] = (now_ < until_[_pid]);
	   do
	   :: believes[_pid] && now_ >= until_[_pid] -> believes[_pid] = false; break
	   :: !believes[_pid] -> break
	   :: d_step { holder == _pid && now_ < expires -> holder = 9 ; believes[_pid] = false }; break
	   od
	od
}
ltl one_holder { [] !(believes[0] && believes[1]) }
