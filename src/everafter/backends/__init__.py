"""Who decides a question: the reference, machine code, a GPU, a cluster. None of them knows another."""
