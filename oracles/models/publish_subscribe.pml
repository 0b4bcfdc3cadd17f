/* Topics, subscribers, and a broker that copies messages; subscribers may leave. */
/* with SUBS=2 MSGS=2 */
/* with SUBS=3 MSGS=2 */
/* with SUBS=2 MSGS=3 LEAVE */
#ifndef SUBS
#define SUBS 2
#define MSGS 2
#endif
chan publish = [1] of { byte }; chan deliver[SUBS] = [1] of { byte }; bool subscribed[SUBS] = true; byte received;
active proctype Publisher() { byte i; for (i : 1 .. MSGS) { publish!i } }
active proctype Broker() { byte m, k;
end:	do
	:: publish?m ->
	   for (k : 0 .. SUBS - 1) {
	      if
	      :: subscribed[k] -> deliver[k]!m
	      :: !subscribed[k]
	      fi
	   }
	od
}
active [SUBS] proctype Subscriber() { byte me = _pid - 2, m, last;
end:	do
	:: deliver[me]?m -> assert(m > last); last = m; received++
#ifdef LEAVE
	:: subscribed[me] -> subscribed[me] = false; break
#endif
	od
}
ltl got_all { <> (received == SUBS * MSGS) }
