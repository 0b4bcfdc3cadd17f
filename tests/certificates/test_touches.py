"""What the checker of reduced certificates reads in a text: which cells a reference may mean."""

from __future__ import annotations

from everafter.certificates.independence.touches import Text
from everafter.program.effect_parts import references_written
from everafter.user_model import parse

MODEL = """
typedef T { byte n; byte items[2] }; byte i; T t[2];
active proctype P() { t[0].items[i] = 1; t[1].items[i] = 2; t[i].items[1] = 3; t[1].n = 4; t[1].items[1] = 5 }
"""


def test_an_index_that_is_computed_leaves_open_which_element_alone() -> None:
    program = parse(MODEL).program
    text = Text(program)
    steps = program.processes[0].graph.transitions()
    written = [reference for step in steps for reference in references_written(step.effect)]
    start = program.memory.offsets[written[0].variable]
    found = sorted((text.cells(each).start - start, text.cells(each).stop - start) for each in written)
    assert found == sorted([(1, 3), (4, 6), (0, 6), (3, 4), (5, 6)])
