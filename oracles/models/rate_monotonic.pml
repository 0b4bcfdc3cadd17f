/* Periodic tasks on one processor, in ticks of a clock; a deadline that is missed is an assertion. */
/* with C1=1 T1=2 C2=1 T2=4 */
/* with C1=1 T1=3 C2=2 T2=4 */
/* with C1=2 T1=4 C2=3 T2=6 */
#ifndef C1
#define C1 1
#define T1 2
#define C2 1
#define T2 4
#endif
byte left1 = C1, left2 = C2, age1, age2;
active proctype Clock() {
	do
	:: d_step {
	      if
	      :: left1 > 0 -> left1--
	      :: left1 == 0 && left2 > 0 -> left2--
	      :: else
	      fi;
	      age1++; age2++;
	      if :: age1 == T1 -> assert(left1 == 0); left1 = C1; age1 = 0 :: else fi;
	      if :: age2 == T2 -> assert(left2 == 0); left2 = C2; age2 = 0 :: else fi
	   }
	od
}
ltl busy { []<> (left1 == 0 && left2 == 0) }
