byte turn, x;

active proctype P() {
    goto Inside;
    d_step {
        x = 1;
Inside: turn = 1
    }
}
