/* Structures of structures of arrays, in channels and as cells. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
typedef Point { short x; short y };
typedef Line { Point from; Point to; bit visible[3] };
typedef Drawing { Line line[N]; byte used };
Drawing d; chan c = [1] of { Line };
active proctype Draw() { Line l; byte i;
	for (i : 0 .. N - 1) { l.from.x = i; l.to.y = -i * 100; l.visible[i % 3] = 1; c!l }
}
active proctype Keep() {
	do
	:: d.used < N -> c?d.line[d.used]; assert(d.line[d.used].to.y == -d.used * 100); d.used++
	:: else -> break
	od
}
ltl used { <> (d.used == N) }
