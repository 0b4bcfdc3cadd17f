float ratio;
char letter;

active proctype P() {
    skip
}
