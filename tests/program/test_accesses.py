"""Accesses against the execution: a step changes only what it is said to write, and asks what it is said to read."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES
from oracles.promela.random_programs import program as random_program
from tests.program.reachable import program_of, reachable

from everafter.execution.state import Channel, Process, State
from everafter.execution.step import Step, process_steps, steps
from everafter.program.accesses import AccessTable, accesses_of
from everafter.program.locations import Accesses, Location
from everafter.program.program import Program
from everafter.program.sites import PlaceNumbers
from everafter.program.storage import Region
from everafter.promela.model import Kind, Variable

Part = tuple[str, int, int]
"""A part of a state: its kind, the process or channel it belongs to, and its cell."""


# The parts of a state


def parts_of(state: State) -> Iterator[tuple[Part, object]]:
    """Every part of a state with its value. The holder is left out: it follows from the step."""
    yield from ((("global", 0, cell), value) for cell, value in enumerate(state.memory))
    for number, process in enumerate(state.processes):
        yield ("node", number, 0), process.node
        yield ("priority", number, 0), process.priority
        yield from ((("local", number, cell), value) for cell, value in enumerate(process.memory))
    for number, channel in enumerate(state.channels, 1):
        yield ("channel", number, 0), channel.messages
    yield ("last", 0, 0), state.last
    yield ("event", 0, 0), state.event
    yield ("processes", 0, 0), tuple(process.proctype for process in state.processes)


def changed_parts(before: State, after: State) -> list[Part]:
    """The parts that differ, where both states have them; what comes and goes with a process is part of `processes`."""
    old = dict(parts_of(before))
    return [part for part, value in parts_of(after) if part in old and old[part] != value]


def _within(region: Region, location: Location, cell: int) -> bool:
    """Whether a location of this region covers a cell."""
    variable = location.variable
    assert variable is not None
    if variable not in region.offsets:
        return False
    if location.cell is not None:
        return location.cell == cell
    following = [offset for offset in region.offsets.values() if offset > region.offsets[variable]]
    return region.offsets[variable] <= cell < min(following, default=len(region.cells))


def covers(program: Program, state: State, actor: int, location: Location, part: Part) -> bool:
    """Whether a location, as process `actor` speaks of it, is or contains a part of the state."""
    kind, number, cell = part
    if location.space == "everything":
        return True
    if kind == "global":
        return location.space == "global" and _within(program.memory, location, cell)
    if kind == "local":
        region = program.processes[state.processes[number].proctype].memory
        return location.space == ("local" if number == actor else "remote") and _within(region, location, cell)
    if kind == "node":
        return number == actor or location.space == "control" or _is_place(program, state, number, location)
    if kind == "processes":
        return location.space in ("processes", "promises")
    return location.space == kind


def _is_place(program: Program, state: State, number: int, location: Location) -> bool:
    """Whether a location is a place of the process of that number: whether it is there is asked."""
    process = program.processes[state.processes[number].proctype]
    places = {PlaceNumbers(program).of(process, node) for node in process.graph.nodes}
    return location.space == "place" and location.cell in places


def on_channel(
    program: Program, state: State, actor: int, accesses: Accesses, number: int, operations: tuple[str, ...]
) -> bool:
    """Whether one of these operations on a channel is among the accesses."""
    for access in accesses.channels:
        if access.operation not in operations:
            continue
        if access.channel is None:
            return True
        process = state.processes[actor]
        is_global = access.channel.space == "global"
        region = program.memory if is_global else program.processes[process.proctype].memory
        values = state.memory if is_global else process.memory
        if number in (value for cell, value in enumerate(values) if _within(region, access.channel, cell)):
            return True
    return False


def is_written(program: Program, state: State, actor: int, accesses: Accesses, part: Part) -> bool:
    if part == ("node", actor, 0):
        return True
    if part[0] == "channel":
        return on_channel(program, state, actor, accesses, part[1], ("send", "insert", "receive", "pick"))
    return any(covers(program, state, actor, location, part) for location in accesses.writes)


def is_read(program: Program, state: State, actor: int, accesses: Accesses, part: Part) -> bool:
    if part == ("node", actor, 0) or Location("everything") in accesses.reads:
        return True
    if part[0] == "channel":
        operations = ("send", "insert", "receive", "pick", "copy", "poll", "offer", "length")
        return on_channel(program, state, actor, accesses, part[1], operations)
    return any(covers(program, state, actor, location, part) for location in accesses.reads)


def accesses_at(program: Program, table: AccessTable, state: State, actor: int) -> tuple[Accesses, ...]:
    process = state.processes[actor]
    return table[process.proctype][process.node]


def position_of(program: Program, state: State, step: Step) -> int:
    process = state.processes[step.process]
    transitions = program.processes[process.proctype].graph.nodes[process.node].transitions
    return next(position for position, other in enumerate(transitions) if other is step.transition)


# Writes


def unexplained_changes(program: Program, table: AccessTable, states: list[State]) -> list[str]:
    """The changes that steps make beyond what they are said to write."""
    found = []
    for state in states:
        for step in steps(program, state):
            if step.state is None:
                continue
            accesses = accesses_at(program, table, state, step.process)[position_of(program, state, step)]
            for part in changed_parts(state, step.state):
                if not is_written(program, state, step.process, accesses, part):
                    found.append(f"'{step.transition.text}' changes {part}")
    return found


# Reads


def disturbed(program: Program, state: State, part: Part, rng: random.Random) -> State | None:
    """The state with another value in one part; None if there is no other."""
    kind, number, cell = part
    match kind:
        case "global" if _names_channel(program, program.memory.cells[cell].variable):
            return None  # such a variable always names the same channel
        case "global":
            value = program.memory.cells[cell].width.store(rng.choice((0, 1, 2, 3, 7, 300, -1)))
            return state._replace(memory=_with(state.memory, cell, value))
        case "local" if _names_channel(program, _local_variable(program, state, number, cell)):
            return None
        case "local":
            process = state.processes[number]
            width = program.processes[process.proctype].memory.cells[cell].width
            memory = _with(process.memory, cell, width.store(rng.choice((0, 1, 2, 3, 7, 300, -1))))
            return _with_process(state, number, process._replace(memory=memory))
        case "node":
            process = state.processes[number]
            node = rng.choice(list(program.processes[process.proctype].graph.nodes))
            return _with_process(state, number, process._replace(node=node))
        case "priority":
            return _with_process(state, number, state.processes[number]._replace(priority=rng.randrange(1, 9)))
        case "channel":
            return _with_messages(program, state, number, rng)
        case "last":
            return state._replace(last=rng.randrange(4))
        case "event":
            trace = program.trace
            return state._replace(event=rng.choice(list(trace.graph.nodes))) if trace is not None else None
        case _:
            return _with_another_process(program, state, rng)


def _names_channel(program: Program, variable: Variable) -> bool:
    """Whether a variable names the same channel for ever."""
    is_channel = getattr(variable.type, "kind", None) is Kind.CHAN
    return is_channel and variable not in program.assigned


def _local_variable(program: Program, state: State, number: int, cell: int) -> Variable:
    return program.processes[state.processes[number].proctype].memory.cells[cell].variable


def _with(values: tuple[int, ...], cell: int, value: int) -> tuple[int, ...]:
    return (*values[:cell], value, *values[cell + 1 :])


def _with_process(state: State, number: int, process: Process) -> State:
    return state._replace(processes=(*state.processes[:number], process, *state.processes[number + 1 :]))


def _with_messages(program: Program, state: State, number: int, rng: random.Random) -> State | None:
    kind = program.channels[state.channels[number - 1].type]
    if kind.capacity == 0:
        return None
    messages = tuple(
        tuple(width.store(rng.randrange(4)) for width in kind.widths) for _ in range(rng.randrange(kind.capacity + 1))
    )
    channel = Channel(state.channels[number - 1].type, messages)
    return state._replace(channels=(*state.channels[: number - 1], channel, *state.channels[number:]))


def _with_another_process(program: Program, state: State, rng: random.Random) -> State | None:
    """One process more, of a kind that creates no channels."""
    kinds = [kind for kind in program.processes if kind.role == "process" and "chan" not in str(kind.memory.cells)]
    if not kinds or len(state.processes) > 10:
        return None
    kind = rng.choice(kinds)
    process = Process(kind.index, rng.choice(list(kind.graph.nodes)), (0,) * len(kind.memory.cells), 1)
    return state._replace(processes=(*state.processes, process))


def outcomes(program: Program, state: State, actor: int) -> dict[int, list[Step]]:
    """What comes of each transition of a process, by its position."""
    result: dict[int, list[Step]] = {}
    for step in process_steps(program, state, actor, timeout=False):
        result.setdefault(position_of(program, state, step), []).append(step)
    return result


def same_outcome(mine: list[Step], other: list[Step], part: Part) -> bool:
    """Whether two runs of a transition do the same; the disturbed part may have kept its disturbance."""
    if len(mine) != len(other):
        return False
    for left, right in zip(mine, other, strict=True):
        if (left.partner, left.problem and left.problem.kind) != (right.partner, right.problem and right.problem.kind):
            return False
        if (left.state is None) != (right.state is None):
            return False
        if left.state is None or right.state is None:
            continue
        if left.state.holder != right.state.holder:
            return False
        values = dict(parts_of(right.state))
        for changed, value in parts_of(left.state):
            if changed != part and values.get(changed) != value:
                return False
    return True


def unexplained_influences(program: Program, table: AccessTable, states: list[State], rng: random.Random) -> list[str]:
    """The parts that influence a transition though it is not said to read them."""
    found = []
    for state in states:
        for part, value in list(parts_of(state)):
            other = disturbed(program, state, part, rng)
            if other is None or dict(parts_of(other)).get(part) == value:
                continue
            for actor in range(len(state.processes)):
                if part == ("node", actor, 0):
                    continue
                mine, theirs = outcomes(program, state, actor), outcomes(program, other, actor)
                for position, accesses in enumerate(accesses_at(program, table, state, actor)):
                    if is_read(program, state, actor, accesses, part):
                        continue
                    if not same_outcome(mine.get(position, []), theirs.get(position, []), part):
                        kind = program.processes[state.processes[actor].proctype]
                        text = kind.graph.nodes[state.processes[actor].node].transitions[position].text
                        found.append(f"'{text}' asks {part}")
    return found


SPECIAL = {
    "priorities": (
        "byte x; active proctype A() priority 2 { x == 1; x = 2; set_priority(_pid, 1) }"
        "active proctype B() { x = 1; x = get_priority(0) }"
    ),
    "timeout": "byte x; active proctype A() { timeout; x = 1 } active proctype B() { x == 0; x == 1; x = 2 }",
    "provided": (
        "byte x, y; active proctype A() provided (x == 0) { y = 1; y = 2 } active proctype B() { x = 1; x = 0 }"
    ),
    "enabled": "byte x; active proctype A() { enabled(1); x = 1 } active proctype B() { x == 0; x = 2; x == 1 }",
    "pc_value": "byte x; active proctype A() { pc_value(1) > 1; x = 1 } active proctype B() { x == 0; x = 2; x == 1 }",
    "last": "byte x; active proctype A() { _last == 1; x = 1 } active proctype B() { x = 2; x = 3 }",
    "number of processes": "byte x; proctype C() { skip } active proctype A() { _nr_pr == 3; x = 1 } init { run C() }",
    "remote references": (
        "byte x; active proctype B() { byte v; v = 1; L: v = 2; v = 3 }"
        "active proctype A() { B@L; x = B:v; x = B[0]:v; B[0]@L }"
    ),
    "rendezvous": (
        "chan z = [0] of { byte, byte }; byte y; active proctype A() { byte a; a = 1; z!a,2; z!y,2 }"
        "active proctype B() { byte b, c = 1; z?b,c; z?eval(c),b }"
    ),
    "rendezvous into an atomic": (
        "chan z = [0] of { byte }; byte y; active proctype A() { atomic { z!1; y = 1 } }"
        "active proctype B() { byte b; atomic { z?b; y == 1; b = 2 } }"
    ),
    "atomic that may block": (
        "byte x, y; active [2] proctype A() { atomic { x = 1; y == 1; x = 2; y = 0 } } init { y = 1 }"
    ),
    "escapes": "byte x, y; active proctype A() { { x = 1; x = 2; x = 3 } unless { y == 1 -> x = 9 } } init { y = 1 }",
    "else": "byte x, y; active proctype A() { do :: x == 1 -> y = 1 :: y == 2 :: else -> x = 1; y = 0 od }",
    "d_step": (
        "byte x, y, a[3]; active proctype A() { d_step { y == 0; a[x] = 1; x++ }; d_step { a[1] = y } } init { x = 1 }"
    ),
    "deterministic": "byte x, y; active D_proctype A() { do :: x == 0 -> y = 1 :: y == 0 -> x = 1 :: else od }",
    "trace": "chan q = [1] of { byte }; trace { do :: q!1; q?1 od } active proctype A() { byte b; q!1; q?b }",
    "trace of a channel in a variable": (
        "chan q = [2] of { byte }, c; trace { do :: c!1; c!2 od }"
        "active proctype A() { c = q; q!1; q!2 } active proctype B() { q?1 }"
    ),
    "exclusive": (
        "chan q = [1] of { byte }, r = [1] of { byte }; active proctype A() { xs q; q!1; q!2 }"
        "active proctype B() { byte b; q?b; r!b; r?b; q!3 }"
    ),
    "channels in variables": (
        "chan q = [1] of { byte }; chan r = [1] of { byte }; chan c; byte x; init { c = q; c!1; c = r; c?x; !len(c) }"
        "active proctype A() { if :: q?x :: r!2; full(r) fi }"
    ),
    "channels that die": (
        "chan c; byte x; proctype A() { chan l = [1] of { byte }; c = l; c!1; x = 1 } init { run A(); x == 1; c?x }"
    ),
    "channels as parameters": (
        "chan q = [1] of { byte }, r = [1] of { byte }; byte x; proctype A(chan i, o) { byte v; o!1; i?v; i??v }"
        "init { run A(q, r); run A(r, q); q!!2; r?x }"
    ),
    "initial values": "byte x, y; proctype C() { byte i = x + 1; skip } active proctype A() { y = 2; run C() }",
    "structures": (
        "typedef T { byte a; byte b[2] }; T t[2]; byte i; active proctype A() { t[i].b[1] = t[1].a; t[0].b[i] = 2 }"
        "init { i = 1; t[1].a = 3 }"
    ),
    "self": "byte x; active [2] proctype A() { x = _pid; byte y = x; _priority = 2 }",
}
MODELS: dict[str, Path | str] = {path.stem: path for path in EXAMPLES}
MODELS |= SPECIAL
MODELS |= {f"seed {seed}": random_program(seed) for seed in range(2000, 2030)}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_accesses_explain_what_steps_do(model: Path | str) -> None:
    program = program_of(model)
    table = accesses_of(program)
    states = reachable(program, 300)
    assert not unexplained_changes(program, table, states)
    rng = random.Random(1)
    sample = states if len(states) <= 20 else rng.sample(states, 20)
    assert not unexplained_influences(program, table, sample, rng)


# Planted omissions


def without(table: AccessTable, forget: Callable[[Accesses], Accesses]) -> AccessTable:
    return tuple({node: tuple(map(forget, row)) for node, row in rows.items()} for rows in table)


def forget_reads(*spaces: str) -> Callable[[Accesses], Accesses]:
    def forget(item: Accesses) -> Accesses:
        reads = frozenset(location for location in item.reads if location.space not in spaces)
        return Accesses(reads, item.writes, item.channels)

    return forget


def forget_writes(*spaces: str) -> Callable[[Accesses], Accesses]:
    def forget(item: Accesses) -> Accesses:
        writes = frozenset(location for location in item.writes if location.space not in spaces)
        return Accesses(item.reads, writes, item.channels)

    return forget


def forget_channels(item: Accesses) -> Accesses:
    return Accesses(item.reads, item.writes)


@pytest.mark.parametrize(
    ("name", "forget"),
    [
        ("else", forget_reads("global")),
        ("escapes", forget_reads("global")),
        ("provided", forget_reads("global")),
        ("atomic that may block", forget_reads("global")),
        ("rendezvous", forget_reads("remote")),
        ("rendezvous", forget_reads("control")),
        ("rendezvous", forget_writes("remote")),
        ("rendezvous", forget_writes("control")),
        ("remote references", forget_reads("remote")),
        ("remote references", forget_reads("place")),
        ("enabled", forget_reads("everything")),
        ("pc_value", forget_reads("control")),
        ("priorities", forget_reads("everything")),
        ("priorities", forget_writes("priority")),
        ("last", forget_reads("last")),
        ("last", forget_writes("last")),
        ("number of processes", forget_reads("processes")),
        ("number of processes", forget_writes("processes")),
        ("exclusive", forget_reads("promises")),
        ("trace", forget_reads("event")),
        ("trace", forget_writes("event")),
        ("channels in variables", forget_channels),
        ("channels as parameters", forget_channels),
        ("structures", forget_writes("global")),
        ("structures", forget_reads("global")),
        ("self", forget_writes("local")),
    ],
)
def test_a_forgotten_access_is_noticed(name: str, forget: Callable[[Accesses], Accesses]) -> None:
    program = program_of(SPECIAL[name])
    table = without(accesses_of(program), forget)
    states = reachable(program, 300)
    assert unexplained_changes(program, table, states) or any(
        unexplained_influences(program, table, states, random.Random(seed)) for seed in range(40)
    )


def test_cells_are_told_apart_where_the_text_tells_them_apart() -> None:
    """Precision, too: constant indices name one cell, and a channel that is never assigned is known."""
    program = program_of("byte a[3], i; chan q = [1] of { byte }; active proctype P() { a[1] = 2; a[i] = 3; q!1 }")
    table = accesses_of(program)[0]
    first, second, third = (table[number][0] for number in (1, 2, 3))
    assert {location.cell for location in first.writes} == {1}
    assert {location.cell for location in second.writes} == {None}
    assert {access.channel is None for access in third.channels} == {False}
    assert not third.writes
