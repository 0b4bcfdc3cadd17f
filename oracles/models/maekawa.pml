/* Maekawa's voting with quorums of two among three: without inquiries it deadlocks. */
/* with ROUNDS=1 */
/* with ROUNDS=2 */
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define N 3
mtype = { ask, vote, release_ };
chan box[N] = [6] of { mtype, byte };
byte inside;
active [N] proctype Site() {
	byte who, votes, k; bool asked, voted;
	chan later = [3] of { byte };
	do
	:: !asked && k < ROUNDS -> atomic { asked = 1; k++; box[_pid]!ask, _pid; box[(_pid + 1) % N]!ask, _pid }
	:: box[_pid]?ask, who -> if :: voted -> later!who :: else -> voted = true; box[who]!vote, _pid fi
	:: box[_pid]?vote, _ -> votes++
	:: box[_pid]?release_, _ ->
	   if
	   :: later?who -> box[who]!vote, _pid
	   :: empty(later) -> voted = false
	   fi
	:: votes == 2 -> inside++; assert(inside == 1); inside--;
	   atomic { votes = 0; asked = 0; box[_pid]!release_, _pid; box[(_pid + 1) % N]!release_, _pid }
	od
}
ltl maekawa_safe { [] (inside <= 1) }
