/* A ring buffer with a producer and a consumer; counters of a byte run over on purpose. */
/* with SIZE=2 VALUES=3 */
/* with SIZE=4 VALUES=2 */
/* with SIZE=3 VALUES=3 */
#ifndef SIZE
#define SIZE 2
#define VALUES 3
#endif
byte buffer[SIZE]; byte head, tail;       /* free-running */
byte expected;
active proctype Producer() {
	byte v;
	do
	:: ((tail - head) & 255) < SIZE ->
	   buffer[tail % SIZE] = v;
	   tail++;
	   v = (v + 1) % VALUES
	od
}
active proctype Consumer() {
	byte v;
	do
	:: tail != head ->
	   v = buffer[head % SIZE];
	   assert(v == expected);
	   head++;
	   expected = (v + 1) % VALUES
	od
}
ltl bounded { [] (((tail - head) & 255) <= SIZE) }
