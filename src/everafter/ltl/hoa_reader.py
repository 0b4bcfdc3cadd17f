"""Reading automata in the Hanoi format, version 1, such as Spot's and Owl's.

Understood: labels on edges, on states or implicit, aliases, acceptance on edges or states, several initial
states, and generalised Büchi acceptance. Alternation and other acceptance conditions are refused at their place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.diagrams import Diagrams
from everafter.ltl.formula_tokens import PlaceOf, failure, places_in
from everafter.ltl.functions import FALSE, TRUE
from everafter.record import dataclass, field
from everafter.source import InputError, Source

_MOST = 1 << 20
"""More states, propositions or sets than this are a mistake in the text."""
_MOST_DIGITS = 20
_CONSTANTS = {"t": TRUE, "f": FALSE}


@cache
def _pattern() -> re.Pattern[str]:
    """The tokens. Compiled at the first use: most runs read no automaton."""
    return re.compile(
        r"(?P<space>\s+|/\*.*?\*/)"
        r"|(?P<marker>--BODY--|--END--|--ABORT--)"
        r"|(?P<header>[A-Za-z_][\w-]*:)"
        r"|(?P<name>@?[A-Za-z_][\w-]*)"
        r"|(?P<number>\d+)"
        r'|(?P<string>"(?:\\.|[^"\\])*")'
        r"|(?P<sign>[\[\](){}!&|])",
        re.DOTALL | re.ASCII,
    )


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


@dataclass(slots=True)
class _Contents:
    """What the header says."""

    propositions: tuple[str, ...] = ()
    starts: list[int] = field(default_factory=list)
    aliases: dict[str, int] = field(default_factory=dict)
    used_sets: dict[int, int] | None = None
    """The numbers of acceptance sets, and which of those that are used each is."""
    never_accepts: bool = False


def from_hoa(text: str | Source, only: Collection[str] | None = None, most_sets: int = _MOST) -> Automaton:
    """Return the automaton that `text` describes; raise InputError with a place if it describes none that can be read.

    With `only`, it may name no other propositions than these. It may have at most `most_sets` acceptance sets.
    """
    source = text if isinstance(text, Source) else Source("<automaton>", text)
    return _HoaReader(source, only, most_sets).automaton()


class _HoaReader:
    def __init__(self, source: Source, only: Collection[str] | None, most_sets: int) -> None:
        self.only = only
        self.most_sets = most_sets
        self.place_of: PlaceOf = places_in(source)
        self.tokens = [*self._tokens(source.text), _Token("end", "the end of the text", len(source.text.rstrip()))]
        self.position = 0
        self.functions = Diagrams()
        self.contents = _Contents()

    def _tokens(self, text: str) -> Iterator[_Token]:
        pattern = _pattern()
        position = 0
        while position < len(text):
            match = pattern.match(text, position)
            if match is None:
                raise failure(self.place_of(position, 1), f"unexpected character {text[position]!r}")
            if match.lastgroup and match.lastgroup != "space":
                yield _Token(match.lastgroup, match.group(), position)
            position = match.end()

    @property
    def current(self) -> _Token:
        return self.tokens[self.position]

    def error(self, message: str, token: _Token | None = None, advice: str | None = None) -> InputError:
        at = token or self.current
        return failure(self.place_of(at.start, len(at.text)), message, advice)

    def take(self, kind: str, text: str | None = None) -> _Token:
        token = self.current
        if token.kind != kind or (text is not None and token.text != text):
            raise self.error(f"expected {text or f'a {kind}'}, found '{token.text}'")
        self.position += 1
        return token

    def found(self, kind: str, text: str | None = None) -> bool:
        if self.current.kind == kind and (text is None or self.current.text == text):
            self.position += 1
            return True
        return False

    def number(self) -> int:
        token = self.take("number")
        if len(token.text) > _MOST_DIGITS or int(token.text) > _MOST:
            raise self.error("this number is too large", token)
        return int(token.text)

    def automaton(self) -> Automaton:
        self.take("header", "HOA:")
        version = self.take("name")
        if version.text != "v1":
            raise self.error(f"version '{version.text}' of the format is not known", version, "write 'HOA: v1'")
        while not self.found("marker", "--BODY--"):
            self.header_item()
        if self.contents.used_sets is None:
            raise self.error("the header has no 'Acceptance:'")
        return self.built(self.body())

    def header_item(self) -> None:
        item = self.take("header")
        match item.text:
            case "Start:":
                self.contents.starts.append(self.state_number())
            case "AP:":
                count = self.number()
                names = [self.take("string").text for _ in range(count)]
                self.contents.propositions = tuple(re.sub(r"\\(.)", r"\1", name[1:-1]) for name in names)
                if len(set(self.contents.propositions)) < count:
                    raise self.error("two propositions have the same name", item)
                for name in self.contents.propositions:
                    if self.only is not None and name not in self.only:
                        raise self.error(f"it speaks of '{name}', and the formula does not", item)
            case "Alias:":
                name = self.take("name").text
                self.contents.aliases[name] = self.disjunction()
            case "Acceptance:":
                self.number()
                self.acceptance()
            case _:
                while self.current.kind not in ("header", "marker", "end"):
                    self.position += 1

    def state_number(self) -> int:
        state = self.number()
        if self.current.text == "&":
            raise self.error("alternating automata are not supported", advice="let Spot remove alternation first")
        return state

    def acceptance(self) -> None:
        """`t`, `f`, or a conjunction of Inf(i)."""
        used: list[int] = []
        while True:
            token = self.current
            if self.found("sign", "("):
                continue
            if self.found("name", "f"):
                self.contents.never_accepts = True
            elif not self.found("name", "t"):
                used.append(self.infinitely_often(token))
            while self.found("sign", ")"):
                pass
            if self.current.text == "|":
                raise self.refused(self.current)
            if not self.found("sign", "&"):
                break
        self.contents.used_sets = {number: place for place, number in enumerate(dict.fromkeys(used))}
        if len(self.contents.used_sets) > self.most_sets:
            raise self.error(f"there are more than {self.most_sets} acceptance sets")

    def infinitely_often(self, token: _Token) -> int:
        if not self.found("name", "Inf"):
            raise self.refused(token)
        self.take("sign", "(")
        if self.current.text == "!":
            raise self.refused(self.current)
        number = self.number()
        self.take("sign", ")")
        return number

    def refused(self, token: _Token) -> InputError:
        advice = "convert it first, with Spot for example: autfilt --generalized-buchi"
        return self.error("only generalised Büchi acceptance is supported: Inf(0)&Inf(1)&…", token, advice)

    def body(self) -> dict[int, list[Edge]]:
        edges: dict[int, list[Edge]] = {}
        while not self.found("marker", "--END--"):
            self.take("header", "State:")
            label = self.bracketed_label()
            token = self.current
            state = self.number()
            if state in edges:
                raise self.error(f"state {state} is described twice", token)
            self.found("string")
            marks = self.marks()
            edges[state] = list(self.edges(label, marks))
        return edges

    def edges(self, state_label: int | None, state_marks: int) -> Iterator[Edge]:
        implicit = 0
        while self.current.kind == "number" or self.current.text == "[":
            label = self.bracketed_label()
            if label is None:
                label = self.implicit_label(implicit) if state_label is None else state_label
                implicit += 1
            target = self.state_number()
            yield Edge(label, state_marks | self.marks(), target)

    def implicit_label(self, index: int) -> int:
        width = len(self.contents.propositions)
        if index >> width:
            raise self.error("this state has more edges than there are letters")
        return self.functions.of_cube(index, ~index & ((1 << width) - 1))

    def marks(self) -> int:
        result = 0
        if self.found("sign", "{"):
            while not self.found("sign", "}"):
                number = self.number()
                used = (self.contents.used_sets or {}).get(number)
                result |= 1 << used if used is not None else 0
        return result

    def bracketed_label(self) -> int | None:
        if not self.found("sign", "["):
            return None
        label = self.disjunction()
        self.take("sign", "]")
        return label

    def disjunction(self, depth: int = 0) -> int:
        result = self.conjunction(depth)
        while self.found("sign", "|"):
            result = self.functions.disjoin(result, self.conjunction(depth))
        return result

    def conjunction(self, depth: int) -> int:
        result = self.literal(depth)
        while self.found("sign", "&"):
            result = self.functions.conjoin(result, self.literal(depth))
        return result

    def literal(self, depth: int) -> int:
        if depth > 100:
            raise self.error("this label nests too deeply")
        token = self.current
        if self.found("sign", "!"):
            return ~self.literal(depth + 1)
        if self.found("sign", "("):
            inside = self.disjunction(depth + 1)
            self.take("sign", ")")
            return inside
        if token.kind == "name":
            self.position += 1
            meaning = self.contents.aliases.get(token.text, _CONSTANTS.get(token.text))
            if meaning is None:
                raise self.error(f"'{token.text}' is not an alias", token)
            return meaning
        index = self.number()
        if index >= len(self.contents.propositions):
            raise self.error(f"there is no proposition {index}", token)
        return self.functions.variable(index)

    def built(self, edges: dict[int, list[Edge]]) -> Automaton:
        """The states in order, and one initial state in front of several."""
        count = max([-1, *edges, *self.contents.starts, *(e.target for out in edges.values() for e in out)]) + 1
        if count > 4 * (len(edges) + 1) + 1000:
            raise self.error("the state numbers leave large gaps")
        outgoing = [edges.get(state, []) for state in range(count)]
        starts = self.contents.starts
        if len(starts) == 1:
            initial = starts[0]
        else:
            initial = count
            outgoing.append([edge for state in starts for edge in edges.get(state, [])])
        if self.contents.never_accepts:
            outgoing = [[]] * len(outgoing)
        tidy = tuple(joined_edges(self.functions, out) for out in outgoing)
        sets = len(self.contents.used_sets or [])
        return Automaton(self.contents.propositions, self.functions, initial, tidy, sets)
