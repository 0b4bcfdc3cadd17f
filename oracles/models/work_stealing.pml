/* A deque: the owner works at the bottom, a thief at the top. */
/* with JOBS=2 THIEVES=1 */
/* with JOBS=3 THIEVES=1 */
/* with JOBS=3 THIEVES=2 */
/* with JOBS=2 THIEVES=1 NO_CAS */
#ifndef JOBS
#define JOBS 2
#define THIEVES 1
#endif
short top, bottom; byte runs[JOBS]; bool ready;
active proctype Owner() { short b, t; byte won;
	bottom = JOBS; ready = true;
	do
	:: bottom > 0 ->
	   bottom--; b = bottom; t = top;
	   if
	   :: b > t -> runs[b]++; assert(runs[b] == 1)
	   :: b == t ->
#ifdef NO_CAS
	      won = 1; top = t + 1;
#else
	      d_step { won = (top == t); if :: won -> top = t + 1 :: else fi };
#endif
	      bottom = t + 1;
	      if :: won -> runs[b]++; assert(runs[b] == 1) :: else fi; break
	   :: b < t -> bottom = t; break
	   fi
	:: else -> break
	od
}
active [THIEVES] proctype Thief() { short t; bit won;
	ready;
	do
	:: t = top;
	   if
	   :: t < bottom ->
	      d_step { won = (top == t); if :: won -> top = t + 1 :: else fi };
	      if :: won -> runs[t]++; assert(runs[t] == 1) :: else fi
	   :: else -> break
	   fi
	od
}
ltl each_once { <> (runs[0] == 1 && runs[JOBS - 1] == 1) }
