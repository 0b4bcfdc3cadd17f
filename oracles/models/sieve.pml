/* The sieve of Eratosthenes as a chain of processes that grows as primes are found. */
/* with MAX=7 */
/* with MAX=12 */
/* with MAX=20 */
#ifndef MAX
#define MAX 7
#endif
mtype = { number, stop };
byte primes;
proctype filter(chan in; byte prime) {
	chan out = [0] of { mtype, byte };
	byte x; bool last = true;
	primes++;
	do
	:: in?number(x) ->
	   if
	   :: x % prime == 0
	   :: else ->
	      if
	      :: last -> run filter(out, x); last = false
	      :: !last -> out!number(x)
	      fi
	   fi
	:: in?stop(0) -> if :: !last -> out!stop(0) :: else fi; break
	od
}
init {
	chan c = [0] of { mtype, byte };
	byte n = 2;
	run filter(c, n);
	do
	:: n < MAX -> n++; c!number(n)
	:: else -> c!stop(0); break
	od
}
