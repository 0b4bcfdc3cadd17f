mtype = { red, green };
mtype m;

active proctype P() {
    m = gren
}
