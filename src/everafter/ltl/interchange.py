"""What `everafter ltl FORMULA` prints: the automaton of a formula, for people or for other tools."""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never

from everafter.ltl.automaton import Automaton
from everafter.ltl.automaton_dot import to_dot
from everafter.ltl.classify import description
from everafter.ltl.edge_labels import READABLE, label_text
from everafter.ltl.formula import Formula
from everafter.ltl.formula_parser import parse
from everafter.ltl.formula_text import text_of
from everafter.ltl.hoa_writer import to_hoa
from everafter.ltl.never_writer import to_never
from everafter.ltl.stutter import is_stutter_invariant
from everafter.ltl.translation import to_buchi, translate
from everafter.source import Source

Format: TypeAlias = Literal["hoa", "dot", "never", "text"]
FORMATS: tuple[Format, ...] = ("text", "hoa", "dot", "never")


def show(formula: str | Source, output: Format = "text") -> str:
    """Return the automaton of `formula` in the format `output`; raise InputError if the formula cannot be read.

    Here, with no model that could declare such a name, `GFp` is read as `G F p`.
    """
    parsed = parse(formula, glued=True)
    name = text_of(parsed)
    match output:
        case "text":
            return _text(parsed, translate(parsed))
        case "hoa":
            return to_hoa(translate(parsed), name)
        case "dot":
            return to_dot(translate(parsed), name)
        case "never":
            return to_never(to_buchi(parsed), text_of(parsed, "spin"))
        case _:
            assert_never(output)


def _text(formula: Formula, automaton: Automaton) -> str:
    stutter = "yes" if is_stutter_invariant(formula) else "no: partial-order reduction would be unsound"
    lines = [
        f"formula    {text_of(formula)}",
        f"automaton  {_counted(len(automaton.states), 'state')}, {_counted(automaton.edge_count, 'edge')}, "
        f"{_counted(automaton.acceptance_sets, 'acceptance set')}; {description(automaton)}",
        f"stutter-invariant  {stutter}",
    ]
    for state in automaton.states:
        lines.append(f"state {state}{' (initial)' if state == automaton.initial else ''}")
        for edge in automaton.outgoing[state]:
            marks = "".join(f" {{{i}}}" for i in range(automaton.acceptance_sets) if edge.marks >> i & 1)
            lines.append(f"  -> {edge.target}{marks}  on  {label_text(automaton, edge.label, READABLE)}")
    return "\n".join([*lines, ""])


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
