chan q = [1] of { byte };
typedef T { byte a; show mtype = { red } }

active proctype A() { xs q; q!1 }
active proctype B() { xs q; q!2 }
active proctype C() { xr q; q?_ }
