chan a[200] = [1] of { byte };
active [28] proctype P() { chan mine[2] = [0] of { byte }; skip }
