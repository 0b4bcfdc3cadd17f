"""Do the tasks of a model come to what they come to under asyncio? The values of its variables are compared."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from typing import Any

from everafter.diagrams.states import value_in
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import initial_state, is_valid_end, steps
from everafter.model.vocabulary import PythonModel
from everafter.program.program import Program
from everafter.promela.model import Reference
from everafter.questions.request import Request
from everafter.source import Place, Source
from everafter.user_model import model_of
from oracles.pymodel.comparison import Compared, are_certified
from oracles.pymodel.event_loop import Scheduled, scheduled
from oracles.pymodel.random_models import model_of_text
from oracles.pymodel.random_tasks import VARIABLES, random_tasks

_NOWHERE = Place(Source("", ""), 1, 1)


def compared_tasks(
    seed: int, most: int = 2_000, manners: tuple[Mapping[str, Any], ...] = (), is_certified: bool = False
) -> Compared:
    """Compare the random tasks of a seed, searched in all `manners`; `is_certified`: and have certificates checked."""
    kind = model_of_text(random_tasks(seed), f"random_tasks_{seed}")
    return compared_under_asyncio(kind, VARIABLES, most, manners, is_certified)


def compared_under_asyncio(
    kind: type[PythonModel],
    variables: tuple[str, ...],
    most: int = 2_000,
    manners: tuple[Mapping[str, Any], ...] = (),
    is_certified: bool = False,
) -> Compared:
    """Compare a model of tasks; its plain `variables` are looked at, in the order in which it has them.

    It is searched in all `manners` as well, for the same verdict on safety; `is_certified`: one that is checked.
    """
    expected = scheduled(kind, most)
    if not expected.is_complete:
        return Compared("too large")
    found = visited(model_of(kind).program, variables, 50 * most)
    if not found.is_complete:
        return Compared("too large")
    if found.is_wrong != expected.is_wrong:
        return Compared("differs", f"wrong: {found.is_wrong}, and under asyncio {expected.is_wrong}")
    if found.snapshots != expected.snapshots:
        missing, more = expected.snapshots - found.snapshots, found.snapshots - expected.snapshots
        return Compared("differs", f"missing {sorted(map(repr, missing))}, too many {sorted(map(repr, more))}")
    verdict, model = "violated" if found.is_wrong else "holds", model_of(kind)
    for manner in manners:
        told = model.check_all(Request(safety=True, **manner))[0].verdict
        if told != verdict:
            return Compared("differs", f"{dict(manner)}: {told}, and under asyncio {verdict}")
    if is_certified and not are_certified(model, ("safety",)):
        return Compared("differs", "a certificate is not accepted")
    return Compared("agrees")


def visited(program: Program, variables: tuple[str, ...], most: int) -> Scheduled:
    """Return what the program comes to whenever no process is in the middle of an atomic sequence."""
    cells = [Reference(each, None, (), _NOWHERE) for each in program.model.variables if each.name in variables]
    found = Scheduled()

    def seen(state: State) -> Hashable:
        return tuple(value_in(program, state, each) for each in cells)

    first = initial_state(program)
    known, pending = {first}, deque([first])
    while pending:
        state = pending.popleft()
        if state.holder == NO_PROCESS:
            found.snapshots.add(seen(state))
        ways = steps(program, state)
        found.is_wrong |= not ways and not is_valid_end(program, state)
        for way in ways:
            if way.state is None or way.problem is not None:
                found.is_wrong = True
            elif way.state not in known:
                if len(known) == most:
                    found.is_complete = False
                    return found
                known.add(way.state)
                pending.append(way.state)
    return found
