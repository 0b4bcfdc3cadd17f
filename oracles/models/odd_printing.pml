/* printf and printm with every directive: nothing happens in a search. */
/* with N=1 */
/* with N=3 */
#ifndef N
#define N 1
#endif
mtype = { hello, world }; mtype m = hello; byte k;
active [N] proctype P() {
	printf("plain\n"); printf("%d %u %x %o %c %e\n", k, k, k, k, 65, m); printm(m); printf("100%%\t\"quoted\"\n");
	k++; printm(world)
}
