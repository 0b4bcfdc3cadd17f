"""Other programs that answer the same questions, and random inputs to ask them about."""
