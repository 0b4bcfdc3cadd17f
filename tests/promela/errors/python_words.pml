/* Words of Python where Promela has signs, and its truth values. */
bool flag = True;
byte x, y;
active proctype P() {
  if :: x == 1 and y == 2 -> skip :: else fi;
  assert(x == 0 or y == 0);
  if :: not (x == 1) -> skip fi;
  flag = False
}
