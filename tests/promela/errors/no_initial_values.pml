byte a[3] = {};
active proctype P() {
    byte b[2] = { };
    a[0] = b[1]
}
