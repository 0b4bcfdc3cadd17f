c_decl {
    #include <math.h>
}
c_state "int count" "Global"
c_track "&count" "sizeof(int)"
byte x, turn;

active proctype P() {
    c_code { now.x++; };
    if
    :: c_expr { now.x > 3 } -> x = 1
    :: else
    fi;
    trun = 1
}
