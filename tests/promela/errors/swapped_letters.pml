byte count, ocean;
active proctype P() { prinft("%d\n", conut) }
