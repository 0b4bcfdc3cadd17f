byte x
byte list[3];

active proctype P() {
    x = y;
    list = 2;
    if
    :: x = = 1
    :: else
    fi;
    goto Nowhere
}

active proctype Q() {
    z = 1;
    run R()
}
