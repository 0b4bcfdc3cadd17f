/* Readers and writers by counting; PRIO says who goes first. */
/* with R=2 W=1 PRIO=0 */
/* with R=2 W=2 PRIO=1 */
/* with R=3 W=2 PRIO=0 */
/* with R=3 W=1 PRIO=2 */
#ifndef R
#define R 2
#define W 1
#define PRIO 0
#endif
byte readers, writers, waiting;
active [R] proctype Reader() {
	do
	:: atomic {
#if PRIO == 1
	      (writers == 0 && waiting == 0) ->
#else
	      writers == 0 ->
#endif
	      readers++
	   };
reading:   assert(writers == 0);
	   readers--
	od
}
active [W] proctype Writer() {
	do
	:: waiting++;
#if PRIO == 2
	   readers == 0; writers == 0; writers++;   /* wrong: in three steps */
#else
	   atomic { readers == 0 && writers == 0 -> writers++ };
#endif
	   waiting--;
writing:   assert(writers == 1 && readers == 0);
	   writers--
	od
}
ltl rw { [] (writers == 0 || readers == 0) }
ltl writer_gets_in { [] (waiting > 0 -> <> (writers > 0)) }
ltl reader_gets_in { []<> (readers > 0) }
