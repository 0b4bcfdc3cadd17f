/* Needham and Schroeder's public-key protocol with an intruder; FIX adds the name of the responder. */
/* with FIX=0 */
/* with FIX=1 */
#ifndef FIX
#define FIX 0
#endif
mtype = { A, B, I, Na, Nb, Ni, none };
chan net = [0] of { mtype, mtype, mtype, mtype };      /* key, three fields */
mtype partner_a = none, partner_b = none; bool done_a, done_b;
active proctype Alice() {
	mtype who, n, sealed;
	if :: who = B :: who = I fi;
	sealed = (FIX -> who : none);
	partner_a = who;
	net!who, Na, A, none;
	if
	:: net?eval(A), eval(Na), n, eval(sealed)
	fi;
	net!who, n, none, none;
	done_a = true
}
active proctype Bob() {
	mtype who, n;
	net?eval(B), n, who, _;
	partner_b = who;
	net!who, n, Nb, (FIX -> B : none);
	net?eval(B), eval(Nb), _, _;
	done_b = true
}
active proctype Intruder() {
	bool kNa, kNb; mtype k, x, y, z;
	do
	:: net?k, x, y, z ->
	   if
	   :: k == I -> d_step { kNa = kNa || x == Na || y == Na; kNb = kNb || x == Nb || y == Nb }
	   :: else
	   fi
	:: net!k, x, y, z                         /* replay */
	:: kNa -> net!B, Na, A, none
	:: kNa -> net!B, Na, I, none
	:: kNb -> net!B, Nb, none, none
	:: net!B, Ni, A, none
	:: net!A, Na, Nb, (FIX -> I : none)
	od
}
ltl authentic { [] ((done_b && partner_b == A) -> (partner_a == B)) }
