/* End labels on some waiting places only: WHERE says which. */
/* with WHERE=0 */
/* with WHERE=1 */
/* with WHERE=2 */
#ifndef WHERE
#define WHERE 0
#endif
chan q = [0] of { byte };
active proctype A() { byte x;
#if WHERE >= 1
end_a:
#endif
	do :: q?x od }
active proctype B() {
	q!1;
#if WHERE == 2
end_b:
#endif
	false
}
