"""A counterexample, or any run, as the page draws it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import Step
from everafter.ltl.formula import Formula, operands
from everafter.ltl.formula_text import text_of
from everafter.page.claim_view import claim_path, seen_states
from everafter.page.content import NOT_YET, Fold, MoveView, ObstacleView, RunView, SpotView, Truth, Wait
from everafter.page.edits import edits, frame_of
from everafter.page.message_flow import Post
from everafter.page.program_view import Drawn
from everafter.product.claim import Claim
from everafter.verdict.result import Counterexample
from everafter.verdict.waiting import Wait as Waiting


def run_of(
    found: Counterexample,
    claim: Claim | None,
    drawn: Drawn,
    system: int,
    led: tuple[State, tuple[Step, ...]] | None = None,
) -> RunView:
    """Return the run of the counterexample `found`, with the places that `claim` goes through.

    The program is the one `drawn`, number `system` on the page. `led` is a state and the steps that lead from it to
    where the counterexample begins: formula and claim do not look at these.
    """
    seen = seen_states(found) if claim is not None else []
    start, before = led or (found.start, ())
    steps = (*before, *found.steps)
    post = Post(drawn, start)
    return RunView(
        system=system,
        start=frame_of(drawn.program, start),
        moves=tuple(moves(drawn, start, steps, post)),
        cycle=len(found.cycle),
        stops=found.stutters,
        problem=found.problem.message if found.problem is not None else "",
        messages=post.messages,
        folds=tuple(folds(start, steps)),
        positions=tuple(len(before) + number for number, _ in seen),
        truth=tuple(_truths(found)),
        claim=claim_path(found, claim, seen) if claim is not None else (),
        waits=tuple(wait_of(drawn, wait) for wait in found.waits),
    )


def moves(drawn: Drawn, start: State, steps: Iterable[Step], post: Post) -> Iterator[MoveView]:
    """Yield `steps`, from the state `start` on, as the page shows them over what is `drawn`.

    `post` follows the messages.
    """
    state: State | None = start
    for number, step in enumerate(steps, 1):
        assert state is not None
        post.follow(number, step, state)
        yield move(drawn, state, step)
        state = step.state


def move(drawn: Drawn, state: State, step: Step) -> MoveView:
    """Return `step`, taken in `state`, as the page shows it over what is `drawn`."""
    answer = step.partner_transition
    return MoveView(
        process=step.process,
        edge=drawn.edge(step.transition),
        edits=edits(drawn.program, state, step.state) if step.state is not None else (),
        partner=NOT_YET if step.partner is None else step.partner,
        answer=NOT_YET if answer is None else drawn.edge(answer),
        output="".join(step.output),
        problem=step.problem.message if step.problem is not None else "",
    )


def folds(start: State, steps: Iterable[Step]) -> Iterator[Fold]:
    """Yield the atomic sequences of more than one step among `steps`, from the state `start` on.

    In such a sequence no other process may move between the steps.
    """
    begin = 1
    holder, number = start.holder, 0
    for number, step in enumerate(steps, 1):
        if holder == NO_PROCESS:
            begin = number
        holder = step.state.holder if step.state is not None else NO_PROCESS
        if holder == NO_PROCESS and number > begin:
            yield Fold(begin, number)
    if holder != NO_PROCESS and number > begin:
        yield Fold(begin, number)


def wait_of(drawn: Drawn, wait: Waiting) -> Wait:
    """Return `wait`, where a process waits, and for what, as the page shows it over what is `drawn`."""
    obstacles = tuple(
        ObstacleView(
            each.statement, each.reason, SpotView(drawn.texts.number(each.spot.file), each.spot.line, each.spot.column)
        )
        for each in wait.obstacles
    )
    return Wait(wait.process, wait.may_stop, obstacles, wait.advice or "")


def _truths(found: Counterexample) -> Iterator[Truth]:
    if found.formula is None:
        return
    depths = _depths(found.formula)
    for part, values in found.truth():
        yield Truth(text_of(part), depths[part], "".join("01"[value] for value in values))


def _depths(formula: Formula) -> dict[Formula, int]:
    """How deep each subformula stands, where it stands highest."""
    depths = {formula: 0}
    level = [formula]
    while level:
        inner = [(part, depths[outer] + 1) for outer in level for part in operands(outer)]
        level = [part for part, _ in inner if part not in depths]
        for part, depth in inner:
            depths.setdefault(part, depth)
    return depths
