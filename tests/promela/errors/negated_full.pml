chan q = [2] of { byte };

active proctype P() {
    !full(q) -> q!1
}
