/* expect: holds; 116 states */
/* expect ltl writer_gets_in: holds */

/*
 * Readers and writers: many may read at the same time, but who writes is alone.
 * The lock is one atomic test-and-update, as in a monitor. Writers that are waiting
 * keep new readers out.
 */

#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

byte reading, writing, writers_waiting;

active [READERS] proctype Reader() {
    do
    :: atomic { writing == 0 && writers_waiting == 0 -> reading++ };
       assert(writing == 0);
       reading--
    od
}

active [WRITERS] proctype Writer() {
    do
    :: writers_waiting++;
       atomic { reading == 0 && writing == 0 -> writing++; writers_waiting-- };
       assert(reading == 0 && writing == 1);
       writing--
    od
}

/* A waiting writer stops new readers, so that some writer soon gets in. */
ltl writer_gets_in { [] (writers_waiting > 0 -> <> (writing > 0)) }
