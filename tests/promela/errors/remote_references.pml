proctype P0() {
    byte local_one;
Here:
    skip
}

active proctype P() {
    P0@Nowhere;
    P0:nothing == 1;
    P0 == 1;
    Nobody@Here
}
