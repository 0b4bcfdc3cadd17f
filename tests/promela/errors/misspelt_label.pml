byte turn, x;

active proctype P() {
Again:
    x = 1;
    goto Agian
}
