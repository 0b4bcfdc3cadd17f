bool full;
byte a[3], count;
chan q = [2] of { byte };

inline put(v) { a[count] = v; count++ }

active proctype P() {
    full = false;
    put(2);
    if :: full -> q!a[0] :: else -> a[1] = 3 fi
    full = true;
    q?full
}
