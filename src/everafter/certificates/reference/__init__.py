"""The rows of a certificate, decided by the interpreter, with what it remembers of steps."""
