/* Many variables of many types, all of them in the state. */
/* with K=4 */
/* with K=7 */
#ifndef K
#define K 4
#endif
bit f; byte a1, a2; short s1; int i1, i2; unsigned u3 : 3; unsigned u11 : 11; bool arr[5]; byte tab[3];
active proctype A() { do :: i1 < K -> i1++; s1 = -3 * i1; u3 = i1 :: i1 == K -> i1 = -K; i2 = -i2 :: else -> a1 = (a1 + 1) % 4; i1++ od }
active proctype B() { do :: a2 < K -> a2++; u11 = a2 * 300; arr[a2 % 5] = a2 % 2 :: a2 == K -> tab[a1 % 3] = K; a2 = 0; f = !f od }
ltl f_again { []<> f }
