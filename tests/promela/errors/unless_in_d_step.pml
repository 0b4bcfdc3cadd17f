byte turn, x;

active proctype P() {
    d_step {
        x = 1 unless turn == 1
    }
}
