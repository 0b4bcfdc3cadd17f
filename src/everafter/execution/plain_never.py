"""Never claims as plain text, as verified/README.md describes them."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.execution.plain_program import NotPlainError, PlainProgram, item
from everafter.program.control_flow import Effect, Node, Transition
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Assert, Print, Test


def plain_never(program: Program, claim: ProcessType, accept_labels: bool) -> str:
    """Return the never claim `claim` of `program` in the plain form, a place of control a line.

    `accept_labels` is whether a process at an accept label counts, too. Raises NotPlainError at what is not covered.
    """
    places = claim.graph.nodes.values()
    accepting = item("accept", *(node.number for node in places if node.is_accepting))
    labels = item("labels", *(_accept_labels(program) if accept_labels else ()))
    plain = PlainProgram(program)
    lines = (f"  {_place(plain, node)}" for node in places)
    return "\n".join((item("never", claim.graph.start, accepting, labels)[:-1], *lines, ")"))


def _accept_labels(program: Program) -> Iterator[str]:
    for kind in program.processes:
        if kind.role in ("process", "init"):
            accepting = (node.number for node in kind.graph.nodes.values() if node.is_accepting)
            yield from (item(str(kind.index), number) for number in accepting)


def _place(plain: PlainProgram, node: Node) -> str:
    labels = item("labels", *(["end"] if node.is_end else []))
    return item("at", node.number, labels, *(_move(plain, step) for step in node.transitions))


def _move(plain: PlainProgram, step: Transition) -> str:
    if step.escape:
        raise NotPlainError(step.place, "in the plain form a never claim has no 'unless'")
    kept = "atomic" if step.keeps_atomic else "free"
    return item("go", step.target, kept, 0, _observation(plain, step.effect))


def _observation(plain: PlainProgram, effect: Effect) -> str:
    """What a transition of the claim looks at; nothing that it prints, and each of its assertions must hold."""
    match effect:
        case Print():
            return "(skip)"
        case Assert(condition=condition):
            plain.require_nobodys(condition)
            return item("assert", plain.value(condition))
        case Test(condition=condition):
            plain.require_nobodys(condition)
            return item("test", plain.value(condition))
        case _:
            return plain.effect(effect)
