/* expect: holds; 648 states */
/* expect ltl one_owner: holds */

/*
 * Caches that keep copies of LINES lines of memory coherent on a bus, each in one of three states:
 * invalid, shared, modified (the MSI protocol). A processor asks for the bus, and whoever has it
 * takes one atomic step that every other cache snoops. Values are checked, not only states.
 */

#ifndef CACHES
#define CACHES 2
#endif
#ifndef LINES
#define LINES 1
#endif
#define VALUES 2

mtype = { invalid, shared, modified };

typedef Cache {
    mtype state[LINES];
    byte value[LINES];
}

Cache cache[CACHES];
byte memory[LINES];
byte latest[LINES];            /* what the last write wrote */
byte bus = CACHES;             /* who has the bus; CACHES = nobody */
bool prepared;

init {
    atomic {
        byte who, line;
        for (who : 0 .. CACHES - 1) {
            for (line : 0 .. LINES - 1) {
                cache[who].state[line] = invalid
            }
        }
        who = 0;
        line = 0;
        prepared = true
    }
}

active [CACHES] proctype Processor() {
    byte me = _pid - 1;        /* init has _pid 0 */
    byte line, other, seen;

    prepared;
    do
    :: /* choose a line */
       if
       :: line = (line + 1) % LINES
       :: skip
       fi;
       if
       :: cache[me].state[line] != invalid ->
          /* a hit needs no bus */
          seen = cache[me].value[line];
          seen = 0
       :: atomic { bus == CACHES -> bus = me };
          if
          :: atomic {          /* read: whoever has it modified writes it back */
                 other = 0;
                 do
                 :: other < CACHES ->
                    if
                    :: cache[other].state[line] == modified ->
                       memory[line] = cache[other].value[line];
                       cache[other].state[line] = shared
                    :: else
                    fi;
                    other++
                 :: else -> break
                 od;
                 other = 0;
                 cache[me].value[line] = memory[line];
                 cache[me].state[line] = shared
             }
          :: d_step {          /* write: everybody else forgets */
                 other = 0;
                 do
                 :: other < CACHES ->
                    if
                    :: other != me && cache[other].state[line] == modified ->
                       memory[line] = cache[other].value[line]
                    :: else
                    fi;
                    if
                    :: other != me ->
                       cache[other].state[line] = invalid;
                       cache[other].value[line] = 0
                    :: else
                    fi;
                    other++
                 :: else -> break
                 od;
                 other = 0;
                 latest[line] = (latest[line] + 1) % VALUES;
                 cache[me].value[line] = latest[line];
                 cache[me].state[line] = modified
             }
          fi;
          assert(cache[me].value[line] == latest[line]);
          bus = CACHES
       fi
    od
}

ltl one_owner { [] !(cache[0].state[0] == modified && cache[1].state[0] == modified) }
