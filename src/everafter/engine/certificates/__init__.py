"""Rows of a store as streams and back, and the check of all rows: no text of the store or the searches is used.

Numba compiles it. Words of the `job` (job.py) are all that it and its caller share.
"""
