"""The store of packed rows, for rows of few bits: a row is in the slot through which it is found, and nowhere else.

A state's number is its packed row, scrambled, plus one: it never changes, so the table can grow, and its row is made of
it without a look into memory. What searches keep for each state is its colour alone, which is in the slot.
"""
