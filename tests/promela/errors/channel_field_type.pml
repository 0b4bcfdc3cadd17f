chan q = [2] of { float };

active proctype P() {
    skip
}
