/* A code with parity: one bit may flip on the way, and is put right. */
/* with FLIPS=0 */
/* with FLIPS=1 */
/* with FLIPS=2 */
#ifndef FLIPS
#define FLIPS 1
#endif
byte data_, word, decoded = 255;
#define bit_(x, k) (((x) >> (k)) & 1)
active proctype P() { byte k, f, s;
	select (data_ : 0 .. 15);
	word = data_ | ((bit_(data_, 0) ^ bit_(data_, 1) ^ bit_(data_, 3)) << 4) |
	     ((bit_(data_, 0) ^ bit_(data_, 2) ^ bit_(data_, 3)) << 5) |
	     ((bit_(data_, 1) ^ bit_(data_, 2) ^ bit_(data_, 3)) << 6);
	do :: f < FLIPS -> select (k : 0 .. 6); word = word ^ (1 << k); f++ :: f >= 0 -> break od;
	s = (bit_(word, 4) ^ bit_(word, 0) ^ bit_(word, 1) ^ bit_(word, 3)) |
	  ((bit_(word, 5) ^ bit_(word, 0) ^ bit_(word, 2) ^ bit_(word, 3)) << 1) |
	  ((bit_(word, 6) ^ bit_(word, 1) ^ bit_(word, 2) ^ bit_(word, 3)) << 2);
	if
	:: s == 3 -> word = word ^ 1
	:: s == 5 -> word = word ^ 2
	:: s == 6 -> word = word ^ 4
	:: s == 7 -> word = word ^ 8
	:: else
	fi;
	decoded = word & 15;
	assert(decoded == data_)
}
