/* Ping and pong with retries; the answer to an old ping may be taken for a new one. */
/* with RETRIES=1 */
/* with RETRIES=2 */
/* with RETRIES=2 NUMBERED */
#ifndef RETRIES
#define RETRIES 1
#endif
chan ping = [2] of { byte }; chan pong = [2] of { byte };
byte answered; bool confused;
active proctype Client() {
	byte n, tries, got;
	for (n : 1 .. 2) {
		tries = 0;
		ping!n;
		do
		:: pong?got ->
#ifdef NUMBERED
		   if :: got == n -> answered++; break :: else fi
#else
		   if :: got != n -> confused = true :: else fi; answered++; break
#endif
		:: tries < RETRIES -> tries++; ping!n
		od
	}
}
active proctype Server() { byte n;
end:	do :: ping?n -> if :: pong!n :: full(pong) fi od
}
ltl no_confusion { [] !confused }
ltl twice { <> (answered == 2) }
