/* Whether the holder of atomicity can go on is not asked of its whole future. */
byte x;
active proctype P() { atomic { do :: x < 200 -> x++ :: x >= 200 -> break od } }
active proctype Q() { x = 100 }
