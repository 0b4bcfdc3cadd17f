/* A hidden variable that nothing reads does not distinguish states. */
hidden byte unseen;
byte x;
active [2] proctype P() { unseen = _pid; x = (x + 1) % 3; unseen = 7 }
