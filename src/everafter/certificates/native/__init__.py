"""Rows of a store as streams and back, and the check of all rows on machine code.

No text of the store or the searches is used.
"""
