#defin N 3
#ifdef
#endif
#if N >
#endif
#else
byte x;

active proctype P() {
    x = 1
}
#if 1
