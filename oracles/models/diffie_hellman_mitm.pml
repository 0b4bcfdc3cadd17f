/* A key exchange with somebody in the middle; keys are numbers modulo five. */
/* with SPY=0 */
/* with SPY=1 */
#ifndef SPY
#define SPY 1
#endif
chan a2b = [1] of { byte }; chan b2a = [1] of { byte };
byte ka, kb;
inline power(base, e, r) { d_step { r = 1; i = 0; do :: i < e -> r = (r * base) % 5; i++ :: else -> break od; i = 0 } }
active proctype Alice() { byte x, y, g, i;
	select (x : 1 .. 3); power(2, x, g); a2b!g; b2a?y; power(y, x, ka)
}
active proctype Bob() { byte x, y, g, i;
	select (x : 1 .. 3); power(2, x, g); b2a!g; a2b?y; power(y, x, kb)
}
#if SPY
active proctype Spy() { byte v;
end:	do :: a2b?v -> a2b!2 :: b2a?v -> b2a!2 od
}
#endif
ltl same_key { [] ((ka != 0 && kb != 0) -> ka == kb) }
