/* MESI with a directory and messages in flight. */
/* with N=2 */
/* with N=2 EARLY_GRANT */
/* with N=3 */
#ifndef N
#define N 2
#endif
mtype = { reqS, reqX, inv, inv_ack, grantS, grantE };
mtype:st = { Mod, Exc, Sha, Inv };
mtype:st cache[N] = Inv;
chan req = [N] of { mtype, byte }; chan rsp[N] = [1] of { mtype }; chan ack = [N] of { byte };
active proctype Dir() {
	bool shares[N]; byte who, i, w; mtype m; bool exclusive;
	do
	:: req?m, who ->
	   if
	   :: m == reqX || exclusive ->
	      i = 0;
	      do
	      :: i < N ->
	         if
	         :: shares[i] && i != who -> rsp[i]!inv;
#ifndef EARLY_GRANT
	            ack?w;
#endif
	            shares[i] = false
	         :: else
	         fi;
	         i++
	      :: else -> break
	      od;
	      exclusive = false
	   :: else
	   fi;
	   shares[who] = true;
	   if
	   :: m == reqX -> exclusive = true; rsp[who]!grantE
	   :: else -> rsp[who]!grantS
	   fi;
	   i = 0; w = 0; who = 0
#ifdef EARLY_GRANT
	:: ack?_
#endif
	od
}
active [N] proctype Cache() {
	byte me = _pid - 1; bool asked;
	do
	:: cache[me] == Inv && !asked -> asked = 1; req!reqS, me
	:: cache[me] != Mod && cache[me] != Exc && !asked -> asked = 1; req!reqX, me
	:: rsp[me]?grantS -> asked = 0; cache[me] = Sha
	:: rsp[me]?grantE -> asked = 0; cache[me] = Exc
	:: rsp[me]?inv -> cache[me] = Inv; ack!me
	:: cache[me] == Exc -> cache[me] = Mod
	od
}
#define owns(c) (cache[c] == Mod || cache[c] == Exc)
ltl swmr { [] !(owns(0) && (owns(1) || cache[1] == Sha)) }
ltl gets { []<> owns(0) }
