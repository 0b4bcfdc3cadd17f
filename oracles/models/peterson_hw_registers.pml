/* Peterson's algorithm where reading a flag while it is written gives any value. */
/* with SAFE_REGISTERS=0 */
/* with SAFE_REGISTERS=1 */
#ifndef SAFE_REGISTERS
#define SAFE_REGISTERS 1
#endif
bool flag[2], writing[2]; bit turn; byte cs;
inline set(i, v) {
#if SAFE_REGISTERS
	writing[i] = true; flag[i] = v; writing[i] = false
#else
	flag[i] = v
#endif
}
inline get(i, into) {
	if
	:: writing[i] -> into = 0
	:: writing[i] -> into = 1
	:: !writing[i] -> into = flag[i]
	fi
}
active [2] proctype P() {
	bit f;
	do
	:: set(_pid, 1);
	   turn = 1 - _pid;
	   do
	   :: get(1 - _pid, f); if :: !f -> break :: else fi
	   :: turn == _pid -> break
	   od;
	   cs++; assert(cs == 1); cs--;
	   set(_pid, 0)
	od
}
