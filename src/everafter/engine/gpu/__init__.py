"""A search by levels for machines with very many threads: the kernels, the machines that run them, and their host."""
