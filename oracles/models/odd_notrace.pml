/* What must never be seen on a channel. */
/* with K=2 */
/* with K=3 */
#ifndef K
#define K 2
#endif
mtype = { a, b, c };
chan q = [2] of { mtype };
notrace { q!a; q!b; q!c }
active proctype S() { byte i; do :: i < K -> if :: q!a :: q!b :: q!c fi; i++ :: else -> break od }
active proctype R() {
end:	do :: q?_ od
}
