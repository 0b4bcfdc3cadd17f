/* hidden, local and show variables. */
/* with N=2 */
/* with N=4 */
#ifndef N
#define N 2
#endif
hidden byte scratch; show byte level; local byte mine;
active [N] proctype P() { byte t; scratch = _pid; t = level; scratch = 3; level = t + 1; scratch = 0 }
active proctype Solo() { mine++; mine++; assert(mine == 2) }
ltl levels { <> [] (level >= 1 && level <= N) }
