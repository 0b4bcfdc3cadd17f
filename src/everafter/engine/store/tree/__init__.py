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
    half_memo.py what changes make of halves, as far as it is remembered
    slots.py     hash tables of short slots, which one worker or several fill without locks
    roots.py     roots and their numbers
    tree_room.py larger hash tables, within the memory allowed
    tree_store.py what takes the place of the functions of the store that keeps rows as they are

What a team does otherwise, tree_team_bindings.py lists:

    team_sets.py numbers in parts
    team_roots.py roots in segments of each worker's own
    team_tree_growth.py larger hash tables, filled by all workers together
"""
