/* Cigarette smokers with and without pushers. */
/* with PUSHERS=0 */
/* with PUSHERS=1 */
#ifndef PUSHERS
#define PUSHERS 1
#endif
#define down(s) atomic { s > 0 -> s-- }
byte agent = 1, item[3], smoker[3]; bool on_table[3]; bool lock; byte smokes;
active proctype Agent() {
	do
	:: down(agent);
	   if
	   :: item[0]++; item[1]++
	   :: item[0]++; item[2]++
	   :: item[1]++; item[2]++
	   fi
	od
}
#if PUSHERS
active [3] proctype Pusher() {
	byte me = _pid - 1, a, b;
	a = (me + 1) % 3; b = (me + 2) % 3;
	do
	:: down(item[me]);
	   atomic { !lock -> lock = 1 };
	   if
	   :: on_table[a] -> on_table[a] = 0; smoker[b]++
	   :: !on_table[a] && on_table[b] -> on_table[b] = 0; smoker[a]++
	   :: else -> on_table[me] = 1
	   fi;
	   lock = 0
	od
}
active [3] proctype Smoker() {
	byte me = _pid - 4;
	do :: down(smoker[me]); smokes = me; agent++ od
}
#else
active [3] proctype Smoker() {
	byte me = _pid - 1;
	do :: down(item[(me + 1) % 3]); down(item[(me + 2) % 3]); smokes = me; agent++ od
}
#endif
ltl goes_on { []<> (agent == 1) }
