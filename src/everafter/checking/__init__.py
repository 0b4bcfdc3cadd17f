"""One question, one backend, one answer: what is asked of a program, who decides it how, and what comes of it."""
