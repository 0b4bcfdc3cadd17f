/* Included by odd_include.pml, twice. */
#ifndef SHARED_PARTS
#define SHARED_PARTS
#define LIMIT 4
typedef Counter { byte value; byte wraps };
inline count(c) { c.value++; if :: c.value == LIMIT -> c.value = 0; c.wraps++ :: else fi }
#endif
