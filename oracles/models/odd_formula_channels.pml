/* Formulas about channels: lengths, polls, whether they are full. */
/* with CAP=1 */
/* with CAP=3 */
#ifndef CAP
#define CAP 1
#endif
mtype = { hi, bye };
chan q = [CAP] of { mtype, byte };
active proctype S() { byte i; do :: i < 3 -> q!hi, i; i++ :: else -> q!bye, 0; break od }
active proctype R() { byte v; do :: q?hi, v :: q?bye, _ -> break od }
ltl short_ { [] (len(q) <= CAP) }
ltl greeted { <> (q?[bye, 0]) }
ltl head_first { (!(q?[bye, 0])) W (len(q) > 0) }
ltl empties { <>[] (len(q) == 0) }
ltl somewhere { [] ((q??[hi, 2]) -> <> (q??[bye, 0])) }
