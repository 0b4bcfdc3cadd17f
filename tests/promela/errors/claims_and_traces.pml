chan q = [1] of { byte };
byte x;

active proctype P() {
    q!1
}

never {
    q?1
}

trace {
    x = 1
}
