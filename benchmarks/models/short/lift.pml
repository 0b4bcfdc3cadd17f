/* expect: holds; 22400 states */
/* A lift answers calls from its floors; anyone may call at any time, and it carries some people. */
#define FLOORS 4
#define PEOPLE 3

unsigned called : 20;
byte floor;
byte aboard;
bool open, up;

active proctype Caller() {
  byte at;
  do
  :: atomic { at < FLOORS && !(called & (1 << at)) -> called = called | (1 << at); at = 0 }
  :: at < FLOORS - 1 -> at++
  od
}

active proctype Lift() {
  do
  :: !open && up && floor < FLOORS - 1 -> floor++
  :: !open && !up && floor > 0 -> floor--
  :: !open -> up = !up
  :: atomic { called & (1 << floor) -> open = true; called = called & ~(1 << floor) }
  :: open && aboard < PEOPLE -> aboard++
  :: open && aboard > 0 -> aboard--
  :: open -> open = false
  od
}
