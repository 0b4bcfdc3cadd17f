/* Ten formulas about one small model. */
/* with MOD=3 */
/* with MOD=5 */
#ifndef MOD
#define MOD 3
#endif
byte x; bool p, q;
active proctype X() { do :: x = (x + 1) % MOD od }
active proctype PQ() { do :: p = !p :: q = !q :: p && q -> p = 0; q = 0 od }
ltl f1 { [] (x < MOD) }
ltl f2 { []<> (x == 0) }
ltl f3 { <>[] p }
ltl f4 { [] (p -> <> q) }
ltl f5 { (!p) U q }
ltl f6 { (!p) W q }
ltl f7 { p V (x < 2) }
ltl f8 { []<> p -> []<> q }
ltl f9 { always ((p && q) implies eventually (!p || !q)) }
ltl f10 { !(<> (p && q)) || (x == 0 until (p && q)) }
ltl f11 { ((p == 0) weakuntil (x == 1)) equivalent (true) }
ltl f12 { ([] <> (x == 1)) && ([] <> (x == 2)) }
