proctype P(byte a, byte b) {
    skip
}

init {
    run P(1, 2)
}
