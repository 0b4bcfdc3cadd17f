typedef Node {
    byte value;
    Node next
};

active proctype P() {
    skip
}
