"""One question, one backend, one answer: a property of a program, who decides it how, and what comes of it."""
