active [200] proctype A() { skip }
active [56] proctype B() { skip }
