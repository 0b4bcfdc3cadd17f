/* A leader, elected by votes for a term, replicates one entry; terms are bounded. */
/* with N=2 TERMS=2 */
/* with N=3 TERMS=1 */
/* with N=3 TERMS=2 */
#ifndef N
#define N 3
#define TERMS 1
#endif
mtype = { follower, candidate, leader };
mtype role[N] = follower; byte term[N], voted_for[N], votes[N], log[N];
byte leaders_in[TERMS + 1];
active [N] proctype Server() {
	byte i;
	do
	:: d_step { role[_pid] != leader && term[_pid] < TERMS ->
	      role[_pid] = candidate; term[_pid] = term[_pid] + 1;
	      voted_for[_pid] = _pid + 1; votes[_pid] = 1 }
	:: role[_pid] == candidate ->
	   select (i : 0 .. N - 1);
	   skip;
	   d_step {
	      if
	      :: i != _pid && term[i] < term[_pid] ->
	         term[i] = term[_pid]; role[i] = follower; voted_for[i] = _pid + 1; votes[_pid] = votes[_pid] + 1
	      :: else
	      fi;
	      i = 0
	   }
	:: d_step { role[_pid] == candidate && votes[_pid] * 2 > N ->
	      role[_pid] = leader; leaders_in[term[_pid]] = leaders_in[term[_pid]] + 1 };
	   assert(leaders_in[term[_pid]] <= 1)
	:: role[_pid] == leader -> log[_pid] = term[_pid]
	:: d_step { role[_pid] == follower && voted_for[_pid] > 0 && role[voted_for[_pid] - 1] == leader &&
	      term[voted_for[_pid] - 1] == term[_pid] -> log[_pid] = log[voted_for[_pid] - 1] }
	od
}
ltl one_leader { [] (role[0] == leader -> !(role[1] == leader && term[0] == term[1])) }
ltl elects { <> (role[0] == leader || role[1] == leader) }
