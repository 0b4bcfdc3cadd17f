"""The store that keeps rows as trees: equal parts of rows are kept once.

    row      header | word 1  word 2 | word 3  word 4 | …            the words of a state
    root     number of the header, number of the left half, number of the right half
    leaf     two words of the row
    inner    the numbers of four nodes below it

A leaf and an inner node are 128 bits each, and are numbered from 1 in the order in which they are first met; 0 stands
for a node that is not there. The header says how many words the row has, so it and the two halves give the row back:
the tree is an injective code. A state's number is that of its root. A half of few words is kept whole, and is no tree.

    sets.py      nodes and their numbers
    halves.py    half a row as a tree, and back; for a successor only what differs from the row it comes from
    whole.py     halves that are kept whole
    steps.py     what changes make of halves, as far as it is remembered
    roots.py     roots and their numbers
    room.py      larger hash tables, within the memory allowed
    alone.py     what takes the place of the functions of the store that keeps rows as they are

For a team, nodes and roots are entered without locks; shared.py says what replaces what:

    entering.py  slots that several workers fill
    numbers.py   numbers in parts, and sets of nodes
    segments.py  roots, in segments of each worker's own
    gathering.py larger hash tables, filled by all workers together
"""
