/* Each guard excludes a value of the counter, but no value is excluded by both: the loop goes on for ever. */
active proctype Late() { assert(false) }
active proctype Counter() {
    bit round;
    do
    :: round == 0 -> round = round + 1
    :: round == 1 -> round = round + 1
    od
}
