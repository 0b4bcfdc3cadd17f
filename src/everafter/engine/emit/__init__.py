"""A model's transition function as LLVM IR text, specialised to the model: nothing is left to interpret."""
