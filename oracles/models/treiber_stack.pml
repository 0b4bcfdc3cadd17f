/* Treiber's stack on an array of cells; without a version in the head there is ABA. */
/* with TAG=0 POPPERS=2 */
/* with TAG=1 POPPERS=2 */
/* with TAG=1 POPPERS=1 */
#ifndef TAG
#define TAG 1
#define POPPERS 2
#endif
#define CELLS 3
#define NIL 0
byte next[4]; byte top = 1; unsigned version : 3; bool taken[4];
init {
	d_step { next[1] = 2; next[2] = 3; next[3] = NIL };
	atomic { byte i; for (i : 1 .. POPPERS) { run Popper() } }
}
proctype Popper() {
	byte t, n, rounds; unsigned v : 3;
	do
	:: rounds < 2 ->
	   d_step { t = top; v = version };
	   if
	   :: t == NIL -> break
	   :: else ->
	      n = next[t];
	      atomic {
	         if
	         :: top == t && (!TAG || version == v) ->
	            top = n; version++; assert(!taken[t]); taken[t] = true
	         :: else -> t = NIL
	         fi
	      };
	      if
	      :: t != NIL ->
	         /* push it back */
	         taken[t] = false;
	         do
	         :: d_step { n = top; v = version }; next[t] = n;
	            atomic {
	               if :: top == n && (!TAG || version == v) -> top = t; version++; n = 255 :: else fi
	            };
	            if :: n == 255 -> break :: else fi
	         od
	      :: else
	      fi
	   fi;
	   rounds++; t = 0; n = 0; v = 0
	:: else -> break
	od
}
ltl never_lost { [] (top <= CELLS) }
