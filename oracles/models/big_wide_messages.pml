/* Messages of a structure with an array: pages of data move between two stores. */
/* with W=8 */
/* with W=40 */
/* with W=200 */
#ifndef W
#define W 8
#endif
typedef Page { byte number; byte data[W] };
chan pages = [3] of { Page }; byte verified;
active proctype Writer() {
	Page p;
	do
	:: p.number < 20 -> p.number++; p.data[p.number % W] = p.number; pages!p
	:: else -> break
	od
}
active proctype Reader() {
	Page p;
end:	do
	:: pages?p -> assert(p.data[p.number % W] == p.number); verified++
	od
}
ltl all { <> (verified == 20) }
