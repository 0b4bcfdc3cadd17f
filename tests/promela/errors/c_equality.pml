byte turn, x;

active proctype P() {
    if
    :: x = 1 -> turn = 1
    :: (x = 2) -> turn = 2
    fi
}
