/* A loop may be labelled even as the first statement of a block. */
byte x;
active proctype P() { x = 1; { again: do :: x < 3 -> x++ :: else -> break od; if :: x < 5 -> x = 5; goto again :: else fi } }
