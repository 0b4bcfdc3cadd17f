"""The store of states, as text that Numba compiles: what one worker needs, and what a team replaces of it.

A row is a state: some 64-bit words. Byte 0 of its first word is the colour, which the searches use; bytes 2 and 3 are
the number of words; byte 4 is zero when the row counts as a state. Rows are the same state when all their words are
equal, the colour ignored. Rows lie dense in an arena and are found through a hash table. The columns that a search
keeps for each state are directly before its row.

A state's number is the word of the arena at which its row starts. Only this folder, and everafter.engine.memory for
readers in Python, know that; to all other modules it is a number.

All functions take the address of the block of words that everafter.engine.block describes. Which functions are replaced
by others when the text is compiled is said in tables that `everafter.engine.code.parts` checks.
"""
