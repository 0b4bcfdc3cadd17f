/* A lock for readers and writers in one word: the top bit is the writer, the rest counts readers. */
/* with R=2 W=1 */
/* with R=2 W=2 */
/* with R=4 W=1 */
#ifndef R
#define R 2
#define W 1
#endif
#define WRITER 128
byte word; byte reading, writing;
inline cas(at, old, new, ok) { d_step { if :: at == old -> at = new; ok = 1 :: else -> ok = 0 fi } }
active [R] proctype reader() {
	byte seen; bit ok;
	do
	:: seen = word;
	   if
	   :: seen & WRITER
	   :: else ->
	      cas(word, seen, seen + 1, ok);
	      if
	      :: ok -> reading++; assert(!writing); reading--; d_step { word = word - 1; ok = 0; seen = 0 }
	      :: !ok
	      fi
	   fi
	od
}
active [W] proctype writer() {
	bit ok;
	do
	:: cas(word, 0, WRITER, ok);
	   if
	   :: ok -> writing++; assert(writing == 1 && reading == 0); writing--; word = 0
	   :: else
	   fi
	od
}
ltl never_both { !<> (reading > 0 && writing > 0) }
