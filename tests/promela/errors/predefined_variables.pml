byte turn, x;

active proctype P() {
    _pid = 1;
    x = _;
    _nr_pr++
}
