/* Accept labels in processes, asked about without a claim. */
/* with FAIRNESS=0 */
/* with FAIRNESS=1 */
#ifndef FAIRNESS
#define FAIRNESS 0
#endif
bool a, b;
active proctype P() { do
	:: a = !a;
#if FAIRNESS
	   b;
#endif
accept_p: skip
	od }
active proctype Q() { do :: b = !b od }
