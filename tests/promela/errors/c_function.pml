int twice(int a) { return 2 * a; }
active proctype P() { skip }
