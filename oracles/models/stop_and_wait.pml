/* Stop-and-wait without sequence numbers: wrong as soon as something is lost. */
/* with LOSS=0 */
/* with LOSS=1 */
/* with LOSS=2 */
#ifndef LOSS
#define LOSS 0
#endif
chan data = [1] of { byte }; chan acks = [1] of { bit };
byte last_sent, last_got; byte losses;
active proctype sender() {
	byte n = 1;
	do
	:: n <= 5 -> data!n; last_sent = n;
again:	   if
	   :: acks?_ -> n++
	   :: timeout -> data!n; goto again
	   fi
	:: else -> break
	od
}
active proctype receiver() {
	byte m;
end:	do
	:: data?m -> assert(m == last_got + 1); last_got = m; acks!1
	od
}
active proctype network() {
end:	do
	:: losses < LOSS -> if :: data?_ :: acks?_ fi; losses++
	od
}
ltl arrives { <> (last_got == 5) }
