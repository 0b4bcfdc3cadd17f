"""The store and the searches' own text as object code. This folder needs Numba; what loads the objects does not."""
