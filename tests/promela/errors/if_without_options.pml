byte turn, x;

active proctype P() {
    if
    fi
}
