mtype = { on, timeout, off };
int x, select, y;
typedef Message { byte of; bit run; byte id }
typedef Broken {
    byte a b;
    byte c
}
byte z z2;
byte w;
Message m;

active proctype P(int priority) {
    byte for = 2;
    x = y; y = select; m.id = 3; w = on
}
