/* An interpreter of a small program on a stack. */
/* with INPUT=3 */
/* with INPUT=5 */
#ifndef INPUT
#define INPUT 3
#endif
mtype = { push, add_, dup, sub1, jnz, halt_ };
mtype op[8]; byte arg[8]; int stack[8]; byte sp, pc;
inline emit_(o, a) { op[pc] = o; arg[pc] = a; pc++ }
init {
	d_step { emit_(push, 0); emit_(push, INPUT); emit_(dup, 0); emit_(sub1, 0); emit_(jnz, 2); emit_(add_, 0); emit_(halt_, 0); pc = 0 };
	do
	:: op[pc] == push -> stack[sp] = arg[pc]; sp++; pc++
	:: op[pc] == dup -> if :: sp < 7 -> stack[sp] = stack[sp - 1]; sp++ :: else fi; pc++
	:: op[pc] == sub1 -> stack[sp - 1] = stack[sp - 1] - 1; pc++
	:: op[pc] == jnz -> pc = (stack[sp - 1] != 0 -> arg[pc] : pc + 1)
	:: op[pc] == add_ -> sp--; stack[sp - 1] = stack[sp - 1] + stack[sp]; pc++
	:: op[pc] == halt_ -> break
	od
}
ltl halts { <> (op[pc] == halt_) }
