/* A busy beaver of two or three states, on a tape of bits. */
/* with STATES=2 */
/* with STATES=3 */
#ifndef STATES
#define STATES 2
#endif
#define TAPE 16
bit tape[TAPE]; byte head = TAPE / 2, steps; byte q;
active proctype Machine() {
	do
	:: q == 9 -> break
#if STATES == 2
	:: d_step { q == 0 && !tape[head] -> tape[head] = 1; head++; q = 1; steps++ }
	:: d_step { q == 0 && tape[head] -> head--; q = 1; steps++ }
	:: d_step { q == 1 && !tape[head] -> tape[head] = 1; head--; q = 0; steps++ }
	:: d_step { q == 1 && tape[head] -> head++; q = 9; steps++ }
#else
	:: d_step { q == 0 && !tape[head] -> tape[head] = 1; head++; q = 1; steps++ }
	:: d_step { q == 0 && tape[head] -> head++; q = 9; steps++ }
	:: d_step { q == 1 && !tape[head] -> head++; q = 2; steps++ }
	:: d_step { q == 1 && tape[head] -> head++; steps++ }
	:: d_step { q == 2 && !tape[head] -> tape[head] = 1; head--; steps++ }
	:: d_step { q == 2 && tape[head] -> head--; q = 0; steps++ }
#endif
	od
}
ltl halts { <> (q == 9) }
