/* A choice among many options, made by macros. */
/* with START=0 */
/* with START=5 */
#ifndef START
#define START 0
#endif
#define opt(k) :: x == k -> x = (k * 7 + 3) % 32
#define opt4(k) opt(k) opt(k + 1) opt(k + 2) opt(k + 3)
#define opt16(k) opt4(k) opt4(k + 4) opt4(k + 8) opt4(k + 12)
byte x = START; byte y;
active proctype P() { do opt16(0) opt16(16) od }
active proctype Q() { do :: y = x :: y > 20 -> break od }
ltl comes { <> (y > 20) }
