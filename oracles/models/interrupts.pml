/* An interrupt handler that shares a variable with the main program, masked or not. */
/* with MASK=0 */
/* with MASK=1 */
#ifndef MASK
#define MASK 1
#endif
byte shared; bool masked, in_handler; byte ticks;
active proctype Main() provided (!in_handler) {
	byte t;
	do
	:: ticks < 4 ->
#if MASK
	   masked = true;
#endif
	   t = shared;
	   t = t + 1;
	   shared = t;
#if MASK
	   masked = false;
#endif
	   ticks++
	:: else -> break
	od
}
active proctype Interrupt() {
	byte n;
	do
	:: n < 3 && !masked -> in_handler = true; shared = shared + 10; in_handler = false; n++
	:: n == 3 -> break
	od
}
active proctype Check() { timeout -> assert(shared == 34) }
