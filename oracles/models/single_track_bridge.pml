/* Cars over a bridge of one lane, from both sides, with a fair controller. */
/* with CARS=1 FAIR=0 */
/* with CARS=2 FAIR=0 */
/* with CARS=2 FAIR=1 */
#ifndef CARS
#define CARS 2
#define FAIR 0
#endif
byte on[2], waiting[2]; bit turn;
proctype Car(bit side) {
	do
	:: waiting[side]++;
	   atomic { on[1 - side] == 0 && (!FAIR || waiting[1 - side] == 0 || turn == side) ->
	      waiting[side]--; on[side] = on[side] + 1 };
	   assert(on[1 - side] == 0);
	   atomic { on[side] = on[side] - 1; turn = 1 - side }
	od
}
init { byte i; atomic { for (i : 1 .. CARS) { run Car(0); run Car(1) } } }
ltl one_way { [] !(on[0] > 0 && on[1] > 0) }
ltl crosses { [] (waiting[0] > 0 -> <> (on[0] > 0)) }
