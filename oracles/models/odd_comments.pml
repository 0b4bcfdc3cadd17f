/* Comments everywhere. */
/* with N=2 */
#ifndef N
#define N 2 /* two */
#endif
// a comment of one line
byte x /* the counter */ = /* zero */ 0; // "not a string
active /* both */ [N] proctype /**/ P(/* nothing */) { /* do */
	printf("/* not a comment */ // neither\n");
	do /* :: x = 9 */ :: x < 3 /* -> x = 8 */ -> x++ // ; x = 7
	:: else -> break /***/ od }
ltl c { <> (x /* x */ >= 3) } // the end
