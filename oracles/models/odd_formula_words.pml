/* Formulas with defined propositions, as SPIN's users write them. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
#define p (x == 1)
#define q (x == N)
#define r (y > 0)
byte x, y;
active proctype A() { do :: x < N -> x++ :: x == N -> x = 0; y = 1 - y od }
ltl response { [] (p -> <> q) }
ltl precedence { (!q) U p }
ltl until_ { [] (p -> (p U (q || !p))) }
ltl infinitely { ([]<> p) && ([]<> q) && ([]<> r) }
ltl stable { <>[] r }
ltl exists_ { ! ([] ! (p && r)) }
ltl nested { [] (p -> <> (q && <> (p && <> q))) }
ltl absence { [] (r -> [] (!p || r)) }
