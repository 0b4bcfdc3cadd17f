/* Assignments from lengths, process numbers, polls, labels and comparisons. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
chan q = [2] of { byte }; byte a, b, c, d; pid me; bool e, f;
active [N] proctype P() {
here:	a = len(q); me = _pid; b = _nr_pr; e = q?[1]; f = P[0]@here; c = (a == 0) + (b > 1); d = !c
}
active proctype S() { q!1; q!2 }
