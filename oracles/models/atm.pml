/* A cash machine, a bank and a card: three tries for the code, then the card is kept. */
/* with BALANCE=2 TRIES=3 */
/* with BALANCE=5 TRIES=2 */
/* with BALANCE=2 TRIES=1 */
#ifndef BALANCE
#define BALANCE 2
#define TRIES 3
#endif
mtype = { card, code, amount, cash_, eject, keep, wrong, insufficient, okay };
chan user2atm = [0] of { mtype, byte }; chan atm2user = [0] of { mtype, byte };
chan atm2bank = [1] of { mtype, byte }; chan bank2atm = [1] of { mtype };
byte balance = BALANCE, got; bool kept;
active proctype User() {
	byte k; mtype m;
	do
	:: user2atm!card, 0;
	   do
	   :: if :: k = 1 :: k = 2 fi; user2atm!code, k;
	      if
	      :: atm2user?okay, _ -> break
	      :: atm2user?wrong, _
	      :: atm2user?keep, _ -> goto gone
	      fi
	   od;
	   select (k : 1 .. 2);
	   user2atm!amount, k;
	   if
	   :: atm2user?cash_, k -> got = got + k
	   :: atm2user?insufficient, _
	   fi;
	   atm2user?eject, _
	:: break
	od;
gone:	skip
}
active proctype Atm() {
	byte n, tries, c;
end:	do
	:: user2atm?card, _ ->
	   tries = 0;
	   do
	   :: user2atm?code, c;
	      if
	      :: c == 1 -> atm2user!okay, 0; break
	      :: else -> tries++;
	         if
	         :: tries < TRIES -> atm2user!wrong, 0
	         :: tries == TRIES -> kept = true; atm2user!keep, 0; goto end
	         fi
	      fi
	   od;
	   user2atm?amount, n;
	   atm2bank!amount, n;
	   if
	   :: bank2atm?okay -> atm2user!cash_, n
	   :: bank2atm?insufficient -> atm2user!insufficient, 0
	   fi;
	   atm2user!eject, 0; d_step { n = 0; c = 0; tries = 0 }
	od
}
active proctype Bank() {
	byte n;
end:	do
	:: atm2bank?amount, n ->
	   if
	   :: n <= balance -> balance = balance - n; bank2atm!okay
	   :: else -> bank2atm!insufficient
	   fi
	od
}
ltl conserved { [] (got + balance <= BALANCE) }
ltl kept_for_ever { [] (kept -> [] kept) }
ltl empty_in_the_end { <> (balance == 0) }
