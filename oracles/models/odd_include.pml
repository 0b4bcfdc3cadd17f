/* Parts in another file. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
#include "shared_parts.h"
#include "shared_parts.h"
Counter shared;
active [N] proctype P() { do :: shared.wraps < 2 -> atomic { count(shared) } :: else -> break od }
ltl wraps { <> (shared.wraps == 2) }
ltl small { [] (shared.value < LIMIT) }
