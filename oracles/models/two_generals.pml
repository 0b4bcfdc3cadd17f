/* Two generals: no number of acknowledgements suffices. */
/* with ACKS=1 */
/* with ACKS=2 */
/* with ACKS=4 */
#ifndef ACKS
#define ACKS 1
#endif
chan ab = [1] of { byte }; chan ba = [1] of { byte };
bool attack_a, attack_b, decided_a, decided_b;
active proctype A() {
	byte n;
	ab!1;
	do
	:: ba?n -> if :: n >= ACKS -> attack_a = 1; break :: else -> ab!(n + 1) fi
	:: timeout -> attack_a = (n > ACKS); break
	od;
	decided_a = true
}
active proctype B() {
	byte n;
	do
	:: ab?n -> if :: n >= ACKS -> attack_b = 1; break :: else -> ba!(n + 1) fi
	:: timeout -> break
	od;
	decided_b = true
}
active proctype messenger_lost() { if :: ab?_ :: ba?_ :: skip fi }
ltl agree { [] ((decided_a && decided_b) -> (attack_a == attack_b)) }
