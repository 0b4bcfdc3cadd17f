/* A vending machine: coins by rendezvous, two drinks, change; the customer may walk away. */
/* with STOCK=2 */
/* with STOCK=4 */
/* with STOCK=3 LEAVES */
#ifndef STOCK
#define STOCK 2
#endif
mtype = { coin, tea, coffee, refund, sold_out };
chan slot = [0] of { mtype }; chan tray = [1] of { mtype };
byte cash, cups = STOCK;
active proctype Machine() {
	byte credit;
end:	do
	:: slot?coin -> credit++; assert(credit <= 3)
	:: slot?tea -> assert(credit >= 1);
	   if
	   :: cups > 0 -> cups--; credit--; cash++; tray!tea
	   :: else -> tray!sold_out
	   fi
	:: slot?coffee -> assert(credit >= 2);
	   if
	   :: cups > 0 -> cups--; credit = credit - 2; cash = cash + 2; tray!coffee
	   :: cups == 0 -> tray!sold_out
	   fi
	:: slot?refund -> credit = 0; tray!refund
	od
}
active proctype Customer() {
	byte paid, drunk;
	do
	:: paid < 3 -> slot!coin; paid++
	:: paid >= 1 -> slot!tea; if :: tray?tea -> paid--; drunk++ :: tray?sold_out fi
	:: paid >= 2 -> slot!coffee; if :: tray?coffee -> paid = paid - 2; drunk++ :: tray?sold_out fi
	:: paid > 0 -> slot!refund; tray?refund; paid = 0
#ifdef LEAVES
	:: break
#endif
	od
}
ltl money { [] (cash <= 2 * STOCK) }
ltl sells_out { <> (cups == 0) }
