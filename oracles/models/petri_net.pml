/* A Petri net: places are numbers of tokens, transitions are atomic steps. */
/* with TOKENS=1 */
/* with TOKENS=4 */
/* with TOKENS=10 */
#ifndef TOKENS
#define TOKENS 1
#endif
byte p1 = TOKENS, p2, p3, p4, p5;
#define inp1(x) (x > 0) -> x--
#define inp2(x, y) (x > 0 && y > 0) -> x--; y--
#define out1(x) x++
#define out2(x, y) x++; y++
init {
	do
/*t1*/	:: atomic { inp1(p1) -> out2(p2, p3) }
/*t2*/	:: atomic { inp1(p2) -> out1(p4) }
/*t3*/	:: atomic { inp1(p3) -> out1(p5) }
/*t4*/	:: atomic { inp2(p4, p5) -> out1(p1) }
	od
}
ltl bounded { [] (p2 <= TOKENS && p5 <= TOKENS) }
ltl home { []<> (p1 == TOKENS) }
ltl live { []<> (p4 > 0) }
