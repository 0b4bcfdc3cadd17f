/* A long run without any choice, and one with two processes. */
/* with TOP=30000 */
/* with TOP=200000 */
#ifndef TOP
#define TOP 30000
#endif
int n; bool ended;
active proctype Count() { do :: n < TOP -> n++ :: else -> break od; ended = true }
active proctype Look() { n == TOP / 2 -> assert(!ended) }
ltl ends { <> ended }
