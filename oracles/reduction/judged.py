"""What the judge of certificates says of a reduction, on all states that reduced steps lead to."""

from __future__ import annotations

from functools import partial
from typing import Literal

from everafter.certificates.independence.conflict_table import table_of
from everafter.certificates.independence.observation import Seen
from everafter.certificates.reference.reduced_rows import Judge
from everafter.certificates.reference.row_checker import Spared
from everafter.execution.packing import Packer
from everafter.execution.step import initial_state
from everafter.product.ample_steps import reduced_steps
from everafter.program.program import Program
from everafter.reduction.ample import Reduction
from oracles.reduction.graphs import TooManyError

Judged = Literal["needless", "needed", "for ever"]


def judged(program: Program, reduction: Reduction, seen: Seen, most: int) -> Judged:
    """Whether what the reduction leaves out is needless, or needed in some state, or left out on a whole cycle."""
    table = table_of(program, initial_state(program).memory, seen)
    judge = Judge(program, partial(reduced_steps, program, reduction), table)
    packer = Packer(program)
    numbers = {packer.pack(initial_state(program)): 0}
    pending = list(numbers)
    spared = Spared({}, set())
    while pending:
        row = pending.pop()
        expansion, number = judge.expansion(row), numbers[row]
        if expansion == "needed":
            return "needed"
        steps = reduced_steps(program, reduction, packer.unpack(row))
        targets = [packer.pack(step.state) for step in steps if step.state is not None]
        pending += [target for target in dict.fromkeys(targets) if target not in numbers]
        for target in targets:
            numbers.setdefault(target, len(numbers))
        if expansion != "all":
            spared.edges[number] = [numbers[target] for target in targets]
        if expansion == "alone":
            spared.alone.add(number)
        if len(numbers) > most:
            raise TooManyError
    return "needless" if spared.on_cycle() is None else "for ever"
