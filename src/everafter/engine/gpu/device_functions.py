"""The names, for Numba, of the functions of the machine that kernels call. `device_texts.py` has them as LLVM IR."""

from __future__ import annotations

from everafter.engine.code.intrinsics import declared

peek = declared("peek", 1)
peek_half = declared("peek_half", 1)
differing = declared("differing", 2)
bring_pair = declared("bring_pair", 2)
write_pair = declared("write_pair", 2)
take = declared("take", 2)
least = declared("least", 2)
swap_if = declared("swap_if", 3)
publish = declared("publish", 1)
keep = declared("keep", 2)
expand_row = declared("expand_row", 3)
initial_row = declared("initial_row", 2)
block_meets = declared("block_meets", 1)
lanes = declared("lanes", 1)
is_first = declared("is_first", 1)
blocks = declared("blocks", 1)
relax = declared("relax", 1)
