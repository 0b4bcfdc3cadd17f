/* A rendezvous can never be answered where an atomic sequence goes on: code behind it is unreachable. */
byte x;
chan q = [0] of { byte };
active proctype P() { atomic { x = 1; q?0; x = 2 } }
active proctype Q() { byte y; do :: x == 1 -> q!0 :: y == 1 -> break :: x == 2 -> break od }
