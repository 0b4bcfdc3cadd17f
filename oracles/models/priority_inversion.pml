/* Tasks of three priorities and a lock: the middle one keeps the low one from giving it back. */
/* with INHERIT=0 */
/* with INHERIT=1 */
#ifndef INHERIT
#define INHERIT 0
#endif
mtype = { idle, ready, running_, blocked };
mtype low = idle, mid = idle, high = idle; bool lock; bool boosted;
active proctype High() {
	do
	:: high = ready;
	   do
	   :: atomic { !lock -> lock = 1; high = running_ }; break
	   :: lock -> high = blocked; boosted = INHERIT; !lock
	   od;
	   high = idle; lock = 0
	od
}
active proctype Mid() provided (high != ready && high != running_ && !boosted) {
	do :: mid = running_; mid = idle od
}
active proctype Low() provided ((high != ready && high != running_) && (mid == idle || boosted)) {
	do
	:: atomic { !lock -> lock = 1; low = running_ };
	   low = idle; atomic { lock = 0; boosted = 0 }
	od
}
ltl unblocked { [] (high == blocked -> <> (high == running_)) }
