active proctype P() {
}
