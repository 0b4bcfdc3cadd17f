"""Machine code: LLVM IR text and Python functions over numbers in, loaded functions out."""
