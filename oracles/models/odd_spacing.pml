/* Legal, but not nice. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte x;;byte y ;
proctype P(byte k){do::x<N->x++;::x>=N->break;od;;;y++;}
init{atomic{run P(1);run P(2)};(_nr_pr==1);if::y==2->skip;;::else->assert(false);fi
;
{ skip ; } ;
L1: L2: skip; if :: true -> ; skip :: false; x = 1 -> y = 2; fi }
