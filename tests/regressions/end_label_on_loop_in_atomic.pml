/* An end label on a loop that begins an atomic sequence marks the place behind the first statement, as in SPIN. */
chan q = [1] of { byte };
active proctype P() { atomic { end1: do :: q!1; q!2 :: q!3; break od; skip }; skip }
