"""Properties of runs: temporal operators around conditions, which are functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from everafter.record import dataclass
from everafter.source import OptionError

Operator = Literal["always", "eventually", "next", "until", "release", "implies", "leads_to", "each", "ltl"]


@dataclass(frozen=True)
class Temporal:
    """An operator and what it stands before: functions of the state, other properties; of `each` also the values."""

    operator: Operator
    operands: tuple[Any, ...]
    values: tuple[Any, ...] = ()


Condition = Temporal | Callable[..., Any]
"""A property, or a function of the state; within such a function also what it says of the state."""


def _operand(value: object, name: str) -> Any:
    if isinstance(value, Temporal) or callable(value):
        return value
    raise OptionError(f"m.{name} of {value!r}", f"write m.{name}(lambda s: …), where s is the state")


def always(condition: Condition | bool) -> Temporal:
    """`condition` holds in every state from here on."""
    return Temporal("always", (_operand(condition, "always"),))


def eventually(condition: Condition | bool) -> Temporal:
    """`condition` holds in this state or a later one."""
    return Temporal("eventually", (_operand(condition, "eventually"),))


def next(condition: Condition | bool) -> Temporal:
    """`condition` holds after the next step."""
    return Temporal("next", (_operand(condition, "next"),))


def until(condition: Condition | bool, goal: Condition | bool) -> Temporal:
    """`goal` holds in this state or a later one, and `condition` in all before."""
    return Temporal("until", (_operand(condition, "until"), _operand(goal, "until")))


def release(condition: Condition | bool, goal: Condition | bool) -> Temporal:
    """`goal` holds up to and in the first state with `condition`, or for ever if there is none."""
    return Temporal("release", (_operand(condition, "release"), _operand(goal, "release")))


def implies(condition: Condition | bool, goal: Condition | bool) -> Temporal:
    """If `condition` holds here, so does `goal`."""
    return Temporal("implies", (_operand(condition, "implies"), _operand(goal, "implies")))


def leads_to(condition: Condition | bool, goal: Condition | bool) -> Temporal:
    """Whenever `condition` holds, `goal` holds then or later."""
    return Temporal("leads_to", (_operand(condition, "leads_to"), _operand(goal, "leads_to")))


def each(values: int | Iterable[Any], condition: Callable[..., Any]) -> Temporal:
    """`condition`, of the state and a value, holds for each of the `values`; a number means those below it."""
    return Temporal("each", (_operand(condition, "each"),), tuple(range(values) if isinstance(values, int) else values))


def ltl(text: str) -> Temporal:
    """Return the property that `text` states, a formula of LTL over the variables: `[] (inside <= 1)`."""
    if not isinstance(text, str):
        raise OptionError(f"m.ltl of {text!r}", 'write m.ltl("[] (inside <= 1)")')
    return Temporal("ltl", (text,))
