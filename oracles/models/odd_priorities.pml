/* Processes with priorities: only the highest that can move does. */
/* with HIGH=5 */
/* with HIGH=1 */
#ifndef HIGH
#define HIGH 5
#endif
byte x; byte first;
active proctype low() priority 1 { do :: x < 4 -> x++ :: else -> break od }
active proctype high() priority HIGH { x == 2; if :: first == 0 -> first = 2 :: else fi; x = 4 }
active proctype mid() priority 3 { x == 3; if :: first == 0 -> first = 1 :: else fi }
ltl high_first { [] (first != 1) }
