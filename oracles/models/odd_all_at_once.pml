/* As many processes alive as asked for; 300 is more than there may be. */
/* with N=10 */
/* with N=60 */
/* with N=300 */
#ifndef N
#define N 10
#endif
short started;
proctype W(byte k) { started >= N }
init { short i; atomic { for (i : 1 .. N) { run W(i); started++ } } }
