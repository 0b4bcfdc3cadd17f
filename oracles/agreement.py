"""Whether the reference, the native engine and SPIN agree on a program, in verdict and in the number of states."""

import re
from collections.abc import Iterator
from typing import Literal

from everafter.program.control_flow import DeterministicStep, Effect, Perform
from everafter.program.program import Program
from everafter.program.storage import width_of
from everafter.promela.model import Bind, Receive, Reference
from everafter.questions.limits import Limits
from everafter.search import Stopped
from everafter.user_model import parse
from oracles.counting import count_states
from oracles.spin import ModelRejectedError, SpinResult, safety

Agreement = Literal["agrees", "differs", "refused by SPIN", "not finished by SPIN", "mistaken by SPIN", "too large"]


def compare(text: str, limit: int = 5000, repaired: bool = False, seconds: float = 30) -> tuple[Agreement, str]:
    """The outcome of the comparison, and what differs. `repaired`: with a verifier that is mended, see `safety`.

    `seconds` is how long each search of SPIN may take.
    """
    try:
        spin = safety(text, past_errors=True, seconds=seconds, repaired=repaired)
    except ModelRejectedError as refused:
        return "refused by SPIN", str(refused)
    if "error: proctype" in spin.pan_output:
        return "refused by SPIN", "pan does not run a model with an unconditional self-loop"
    if not spin.complete and spin.errors == 0:
        return "not finished by SPIN", ""
    if spin.states > limit:
        return "too large", ""
    program = parse(_without_promises(text)).program
    try:
        states, violations = count_states(program, Limits(states=20 * limit))
    except (Stopped, RecursionError) as stop:
        if not spin.complete or isinstance(stop, RecursionError):
            return "too large", "there may be any number of states, or circles of `enabled`"
        if not repaired and may_be_mistaken(text):
            return _compared_again(text, limit, seconds)
        return "differs", f"SPIN has {spin.states} states, and we more than {20 * limit}"
    native = count_states(program, Limits(states=20 * limit), "native")
    if native[0] != states or (native[1] > 0) != (violations > 0):
        return "differs", f"reference: {states} states, {violations} violations; native: {native}"
    ours, theirs = violations > 0, spin.errors > 0
    if (ours != theirs or states != spin.states) and not repaired and may_be_mistaken(text):
        return _compared_again(text, limit, seconds)
    if (ours != theirs or states != spin.states) and receives_into_narrower(program) and widened(text) != text:
        # Only the cutting may be to blame: with wide variables everywhere we must agree.
        outcome, explanation = compare(widened(text), 4 * limit, seconds=seconds)
        if outcome == "differs":
            return outcome, f"with int for every type: {explanation}"
        return "mistaken by SPIN", "when SPIN takes back a receive it puts back the value as it was cut"
    if ours != theirs:
        return "differs", f"SPIN: {spin.messages[:2] or 'holds'}; ours: {'violated' if ours else 'holds'}"
    if states != spin.states and _counts_are_comparable(spin):
        return "differs", f"SPIN has {spin.states} states, we {states}; SPIN says {spin.messages[:3]}"
    return "agrees", ""


def may_be_mistaken(text: str) -> bool:
    """Whether the text asks for what SPIN's verifiers are known to do wrongly."""
    return re.search(r"priority|enabled", text) is not None


def _compared_again(text: str, limit: int, seconds: float) -> tuple[Agreement, str]:
    """Only what SPIN does wrongly there may be to blame: with a verifier that is mended we must agree."""
    outcome, explanation = compare(text, limit, repaired=True, seconds=seconds)
    if outcome not in ("agrees", "mistaken by SPIN"):
        return outcome, f"with a verifier that is mended: {explanation}"
    return "mistaken by SPIN", "about a priority, when it takes one back or packs a state, or enabled beside an else"


def _without_promises(text: str) -> str:
    """The text without `xr` and `xs`, which SPIN does not look at when reduction is off."""
    return re.sub(r"^\s*x[rs] [^;]*;$", "", text, flags=re.MULTILINE)


def widened(text: str) -> str:
    """The text with `int` for every narrower type, so that no receive cuts a value."""
    text = re.sub(r"\bunsigned (\w+) : \d+", r"int \1", text)
    text = re.sub(r"\bmtype\b(?!\s*[={:])", "int", text)
    return re.sub(r"\b(bit|bool|byte|short|pid)\b", "int", text)


def receives_into_narrower(program: Program) -> bool:
    """Whether some receive may store a field in a variable with fewer bits."""
    widths = [width.bits for kind in program.channels for width in kind.widths]
    return any(
        width_of(target.leaf).bits < max(widths, default=0)
        for process in program.processes
        for node in process.graph.nodes.values()
        for transition in node.transitions
        for target in _received(transition.effect)
    )


def _received(effect: Effect) -> Iterator[Reference]:
    if isinstance(effect, DeterministicStep):
        for instruction in effect.instructions.values():
            if isinstance(instruction, Perform):
                yield from _received(instruction.statement)
    elif isinstance(effect, Receive):
        for pattern in effect.arguments:
            if isinstance(pattern, Bind) and isinstance(pattern.target, Reference):
                yield pattern.target


def _counts_are_comparable(spin: SpinResult) -> bool:
    """After an index out of range SPIN goes on with foreign memory; after a fatal error it stops at once."""
    return spin.complete and not any("invalid array index" in message for message in spin.messages)
