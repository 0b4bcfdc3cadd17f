/* expect: holds; 55 states */

/*
 * A tour of everything that can be done with a channel. Each part stands in a process of its own;
 * the assertions say what the operator does. Parts pass a baton, so that they run one after another.
 */

mtype = { apple, pear };                   /* names are numbered from the last: pear = 1, apple = 2 */

chan fruit = [3] of { mtype, byte };       /* up to three messages of two fields */
chan row[2] = [2] of { byte };             /* an array of two channels */
chan post = [1] of { chan };               /* a channel for channels */
chan baton = [1] of { byte };

active proctype Sending() {
    xs fruit;                              /* a promise: nobody else sends here */

    assert(empty(fruit));
    fruit!pear, 3;                         /* at the tail */
    fruit!apple(2);                        /* the same with brackets */
    fruit!!apple, 1;                       /* sorted: before the first message that is greater, (apple, 2) */
    assert(full(fruit));
    assert(len(fruit) == 3);
    baton!1
}

active proctype Receiving() {
    xr fruit;                              /* a promise: nobody else receives here */
    mtype kind;
    byte number;
    byte wanted = 3;

    baton?1;                               /* a constant only receives itself */

    /* Polls look without receiving, and have no effect on the variables. */
    assert(fruit?[pear, 3]);
    assert(fruit??[apple, 2]);             /* anywhere in the channel, not only at the head */
    assert(!fruit??[apple, 3]);
    assert(number == 0);

    fruit?<kind, number>;                  /* a copy of the head; the message stays */
    assert(kind == pear && number == 3 && len(fruit) == 3);

    fruit??<apple, number>;                /* a copy of the first apple; the message stays */
    assert(number == 1 && len(fruit) == 3);

    fruit??kind, eval(wanted);             /* the first message whose number is 3 */
    assert(kind == pear && nfull(fruit));

    fruit??apple(2);                       /* the apple with number 2, from anywhere */
    fruit?kind, _;                         /* the underscore ignores a field */
    assert(kind == apple && empty(fruit));
    baton!2
}

active proctype Arrays() {
    byte value;

    baton?2;
    row[0]!10;
    row[1]!20;
    row[1]!21;
    assert(full(row[1]) && nfull(row[0]) && nempty(row[0]));

    /* Whichever comes first: both are possible here. */
    if
    :: row[0]?value; assert(value == 10); row[1]?20
    :: row[1]?value; assert(value == 20); row[0]?10
    fi;
    baton!3
}

active proctype Passing() {
    chan private = [1] of { byte };        /* nobody knows this channel ... */

    baton?3;
    post!private;                          /* ... until it is sent to somebody */
    private?42
}

active proctype Passed() {
    chan somewhere;

    post?somewhere;
    somewhere!42
}
