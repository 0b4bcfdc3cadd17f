"""Reading never claims of the kind that SPIN, ltl2ba and Spot print, as Büchi automata.

A claim is a list of labelled places, each a choice (`do`, `if`) of `condition -> goto place`, a plain `goto`,
`skip`, or `false`. A label that starts with `accept` accepts. Passing the closing brace, or a failing
`assert`, means that everything is accepted from there on. Other claims are for the Promela front end.
"""

from __future__ import annotations

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.cleanup import renumbered
from everafter.ltl.formula import TRUE, Formula, atoms, disjunction, negation
from everafter.ltl.formula_parser import formula_of
from everafter.ltl.formula_tokens import FormulaToken, failure, places_in, tokenize
from everafter.ltl.functions import TRUE as EVERY_LETTER
from everafter.ltl.normal_form import is_boolean, normal_form
from everafter.ltl.syntax import parse_tree
from everafter.ltl.tableau import Unfolding
from everafter.record import dataclass, field
from everafter.source import InputError, Place, Source, closest

_END = "}"
"""The place behind the last statement; no label can have this name."""


@dataclass(slots=True)
class _Place:
    """A labelled place: what it can read and where that leads. Without an option it blocks."""

    names: list[str]
    at: Place
    options: list[tuple[Formula, str, Place]] = field(default_factory=list)
    jumps_to: str | None = None


def from_never(text: str | Source) -> Automaton:
    """The Büchi automaton of a never claim; InputError with a place for anything outside the known form."""
    source = text if isinstance(text, Source) else Source("<never claim>", text)
    return _built(_NeverReader(source).places())


class _NeverReader:
    def __init__(self, source: Source) -> None:
        self.text = source.text
        self.place_of = places_in(source)
        self.tokens = tokenize(source.text, self.place_of)
        self.position = 0
        self.fresh = 0

    @property
    def current(self) -> FormulaToken:
        return self.tokens[self.position]

    def following(self, distance: int = 1) -> FormulaToken:
        return self.tokens[min(self.position + distance, len(self.tokens) - 1)]

    def place(self, token: FormulaToken) -> Place:
        return self.place_of(token.start, token.end - token.start)

    def error(self, message: str, advice: str | None = None) -> InputError:
        return failure(self.place(self.current), message, advice)

    def found(self, *texts: str) -> bool:
        if self.current.kind in ("word", "sign") and self.current.text in texts:
            self.position += 1
            return True
        return False

    def take(self, text: str) -> None:
        if not self.found(text):
            raise self.error(f"expected '{text}', found '{self.current.text or 'the end of the text'}'")

    def places(self) -> list[_Place]:
        """The places of the claim in order; the last one stands for the closing brace."""
        self.take("never")
        if self.current.kind == "word":
            self.position += 1
        self.take("{")
        result: list[_Place] = []
        while not self.current.is_sign("}"):
            if self.current.kind == "end":
                raise self.error("the claim is never closed with '}'")
            if not self.found(";"):
                result.append(self.labelled())
        return [*result, _Place([_END], self.place(self.current))]

    def labelled(self) -> _Place:
        here = _Place([], self.place(self.current))
        while self.current.kind == "word" and self.following().is_sign(":") and not self.following(2).is_sign(":"):
            here.names.append(self.current.text)
            self.position += 2
        self.statement(here)
        return here

    def statement(self, here: _Place) -> None:
        if self.found("do"):
            self.choice(here, "od", self.own_name(here))
        elif self.found("if"):
            self.choice(here, "fi", None)
        elif self.found("goto"):
            here.jumps_to = self.label_name()
        elif self.current.text in ("false", "0") and not self.following().is_sign("->"):
            self.position += 1
        elif self.current.is_sign("}"):
            here.jumps_to = _END
        else:
            # A statement by itself leads to the one behind it, whatever separates the two.
            at = self.place(self.current)
            here.options.append((self.condition(), "", at))
            self.found("->", ";")

    def own_name(self, here: _Place) -> str:
        if not here.names:
            self.fresh += 1
            here.names.append(f"{_END}{self.fresh}")
        return here.names[0]

    def choice(self, here: _Place, closing: str, back: str | None) -> None:
        otherwise: list[int] = []
        while not self.found(closing):
            self.take(":")
            self.take(":")
            if self.current.text == "else":
                otherwise.append(len(here.options))
            self.option(here, back)
            self.found(";")
        for index in otherwise:
            others = disjunction(cond for i, (cond, _, _) in enumerate(here.options) if i not in otherwise)
            _, target, at = here.options[index]
            here.options[index] = (negation(others), target, at)

    def option(self, here: _Place, back: str | None) -> None:
        """A condition of a choice and what follows it; an empty target means the next place."""
        atomic = self.found("atomic", "d_step")
        if atomic:
            self.take("{")
        at = self.place(self.current)
        condition = self.condition()
        target = back or ""
        if self.found("->", ";") and not self.ends_option():
            target = self.action(target)
        if atomic:
            self.found(";")
            self.take("}")
        here.options.append((condition, target, at))

    def ends_option(self) -> bool:
        after = self.following()
        return self.current.is_sign(":", "}") or self.current.text in ("od", "fi") or after.is_sign(":")

    def action(self, otherwise: str) -> str:
        if self.found("goto"):
            return self.label_name()
        if self.found("skip", "true", "1"):
            return otherwise
        if self.found("break"):
            return ""
        if self.found("assert"):
            self.skip_parentheses()
            return _END
        raise self.error(f"'{self.current.text}' is not understood in a never claim", "only goto, skip and assert are")

    def label_name(self) -> str:
        if self.current.kind != "word":
            raise self.error("a label should follow 'goto'")
        self.position += 1
        return self.tokens[self.position - 1].text

    def skip_parentheses(self) -> None:
        depth = 0
        while True:
            depth += self.current.is_sign("(") - self.current.is_sign(")")
            if self.current.kind == "end":
                raise self.error("'(' is never closed")
            self.position += 1
            if depth <= 0:
                return

    def condition(self) -> Formula:
        """The expression up to an arrow, a semicolon or the end of the option that no parenthesis encloses."""
        start = self.position
        if self.found("else", "skip"):
            return TRUE
        depth = 0
        while not (depth == 0 and self.ends_condition()) and self.current.kind != "end":
            depth += self.current.is_sign("(", "[") - self.current.is_sign(")", "]")
            self.position += 1
        inside = [*self.tokens[start : self.position], FormulaToken("end", "", self.current.start, self.current.start)]
        formula = formula_of(parse_tree(inside, self.place_of), self.text, self.place_of)
        if not is_boolean(formula):
            at = self.place_of(inside[0].start, inside[-1].start - inside[0].start)
            raise failure(at, "a condition of a never claim has no temporal operators")
        return formula

    def ends_condition(self) -> bool:
        double_colon = self.current.is_sign(":") and self.following().is_sign(":")
        return self.current.is_sign("->", ";", "}") or self.current.text in ("od", "fi") or double_colon


def _built(places: list[_Place]) -> Automaton:
    conditions = [condition for place in places for condition, _, _ in place.options]
    propositions = tuple(sorted({name for condition in conditions for name in atoms(condition)}))
    unfolding = Unfolding(propositions)
    targets = _Targets(places)
    last = len(places) - 1
    outgoing: list[tuple[Edge, ...]] = []
    for index, place in enumerate(places):
        mark = int(any(name.startswith("accept") for name in place.names))
        edges = [
            Edge(unfolding.label(normal_form(condition)), mark, targets.number(target, index, at))
            for condition, target, at in place.options
        ]
        if index == last:
            edges = [Edge(EVERY_LETTER, 1, last)]
        outgoing.append(joined_edges(unfolding.functions, edges))
    return renumbered(Automaton(propositions, unfolding.functions, targets.settled(0), tuple(outgoing), 1))


class _Targets:
    """Where labels lead; a place that only jumps is no step of its own."""

    def __init__(self, places: list[_Place]) -> None:
        self.places = places
        self.numbers = {name: index for index, place in enumerate(places) for name in place.names}

    def number(self, name: str, here: int, at: Place) -> int:
        if name == "":
            return self.settled(here + 1)
        if name not in self.numbers:
            raise failure(at, f"no label is called '{name}'", closest(name, self.numbers))
        return self.settled(self.numbers[name])

    def settled(self, index: int) -> int:
        last = len(self.places) - 1
        seen: set[int] = set()
        while (name := self.places[index].jumps_to) is not None:
            if index in seen:
                raise failure(self.places[index].at, "these jumps lead nowhere")
            seen.add(index)
            if name not in self.numbers:
                raise failure(self.places[index].at, f"no label is called '{name}'", closest(name, self.numbers))
            index = self.numbers[name]
        # SPIN's `accept_all: skip }` is the end already: from there on everything is accepted.
        passes = [(condition, target) for condition, target, _ in self.places[index].options] == [(TRUE, "")]
        return last if passes and index + 1 == last else index
