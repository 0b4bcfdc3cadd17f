"""Reading formulas: SPIN's syntax, the words always, eventually, until, …, and Spot's spellings.

A proposition is a name or any Promela expression without temporal operators (`x > 3`, `q?[ack]`,
`P[1]@critical`). Its text is kept, not understood; a caller that knows the language passes `atom`.
Where SPIN and Spot would read one text differently, the text is refused with advice instead of guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from everafter.ltl.formula import (
    Always,
    And,
    Atom,
    Constant,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Junction,
    Next,
    Not,
    Or,
    Pair,
    Release,
    StrongRelease,
    TemporalPair,
    Unary,
    Until,
    WeakUntil,
    Xor,
)
from everafter.ltl.formula_tokens import PlaceOf, failure, places_in, tokenize
from everafter.ltl.syntax import Tree, parse_tree, written
from everafter.record import dataclass
from everafter.source import InputError, Place, Source

AtomReader = Callable[[str, Place], Formula]
"""What to make of a proposition: given its text and place, a formula, usually an Atom with a canonical text."""

_UNARY: dict[str, type[Unary]] = {"G": Always, "F": Eventually, "X": Next, "!": Not, "~": Not}
_TEMPORAL_PAIRS: dict[str, type[TemporalPair]] = {"U": Until, "W": WeakUntil, "R": Release, "M": StrongRelease}
_PAIRS: dict[str, type[Pair]] = {"->": Implies, "<->": Equivalent, "^": Xor, **_TEMPORAL_PAIRS}
_JUNCTIONS: dict[str, type[Junction]] = {"&&": And, "||": Or, "&": And, "|": Or}
_TEMPORAL = {"G", "F", "X", *_TEMPORAL_PAIRS}
_ARITHMETIC = {"+", "-", "*", "/", "%", "<<", ">>", "?:"}
_COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
_BITWISE = {"&", "|", "^", "~"}
_CONSTANTS = {"true": True, "false": False}

_SPOT_SPELLINGS = {"G", "F", "R", "M", "xor", "=>", "<=>"}

# Where a sign that means "bit" to SPIN and "boolean" to Spot stands unparenthesised under one of these, the
# two group the text differently.
_CLASHES = {
    "&": _TEMPORAL_PAIRS.keys(),
    "|": {"&&", *_TEMPORAL_PAIRS},
    "^": {"&&", "||", "|", *_TEMPORAL_PAIRS},
}


@dataclass(frozen=True, slots=True)
class Located:
    """A formula, and for the text of each proposition the place where it is written first."""

    formula: Formula
    places: Mapping[str, Place]


def parse(text: str | Source, *, atom: AtomReader | None = None, glued: bool = False) -> Formula:
    """Return the formula that `text` stands for; raise InputError with a place if it stands for none.

    `atom` makes a formula of a proposition's text and place; with `glued`, `GFp` is read as `G F p`.
    """
    source = text if isinstance(text, Source) else Source("<formula>", text)
    return parse_at(source.text, places_in(source), atom=atom, glued=glued)


def parse_located(text: str | Source, *, glued: bool = False) -> Located:
    """Return the formula of `text` together with the places of its propositions; `glued` as in `parse`."""
    places: dict[str, Place] = {}

    def remember(proposition: str, place: Place) -> Formula:
        places.setdefault(proposition, place)
        return Atom(proposition)

    return Located(parse(text, atom=remember, glued=glued), places)


def parse_at(text: str, place_of: PlaceOf, *, atom: AtomReader | None = None, glued: bool = False) -> Formula:
    """Return the formula of `text`, a part of another: `place_of` says where each stretch of it stands there.

    `atom` and `glued` mean what they do in `parse`.
    """
    return formula_of(parse_tree(tokenize(text, place_of, glued), place_of), text, place_of, atom)


def formula_of(tree: Tree, text: str, place_of: PlaceOf, atom: AtomReader | None = None) -> Formula:
    """Return the formula of `tree`, which was read from `text`.

    `place_of` gives the place of each stretch of the text, and `atom` reads propositions, as in `parse`.
    """
    meaning = _NameMeaning(text, place_of, atom or (lambda proposition, _: Atom(proposition)))
    if _is_spelt_as_spot(tree):
        meaning.refuse_chains(tree)
    return meaning.formula(tree)


class _NameMeaning:
    """Turns the tree of operators into a formula: decides what is a proposition."""

    def __init__(self, text: str, place_of: PlaceOf, atom: AtomReader) -> None:
        self.text = text
        self.place_of = place_of
        self.atom = atom

    def place(self, tree: Tree) -> Place:
        return self.place_of(tree.start, tree.end - tree.start)

    def formula(self, tree: Tree) -> Formula:
        operator = tree.operator
        if not _is_boolean(tree) or operator in _COMPARISONS or operator == "":
            return self.proposition(tree)
        self.refuse_ambiguity(tree)
        parts = tuple(map(self.formula, tree.parts))
        if operator in _UNARY:
            return _UNARY[operator](parts[0])
        if operator in _JUNCTIONS:
            return _JUNCTIONS[operator](_flat(_JUNCTIONS[operator], parts, tree))
        return _PAIRS[operator](parts[0], parts[1])

    def proposition(self, tree: Tree) -> Formula:
        if tree.operator == "" and not tree.parts:
            if tree.text in _CONSTANTS:
                return Constant(_CONSTANTS[tree.text])
            if tree.text.isdigit():
                return Constant(int(tree.text) != 0)
            if tree.text.startswith('"'):
                return self.atom(tree.text[1:-1].replace('\\"', '"').strip(), self.place(tree))
        self.refuse_temporal(tree, tree)
        shown = written(tree)
        return self.atom(shown[1:-1] if tree.enclosed and tree.operator else shown, self.place(tree))

    def refuse_temporal(self, tree: Tree, whole: Tree) -> None:
        """A comparison, an index or a sum is about one state: it cannot contain a temporal operator."""
        if tree.operator in _TEMPORAL:
            raise self.temporal_inside(tree, whole)
        if tree.operator == "" and tree.text.startswith('"'):
            raise failure(self.place(tree), "a quoted proposition cannot be part of a larger one")
        for part in tree.parts:
            self.refuse_temporal(part, whole)

    def temporal_inside(self, tree: Tree, whole: Tree) -> InputError:
        outer = whole.operator or whole.text.split("[")[0].split("(")[0]
        advice = None
        if len(tree.parts) == 1 and not tree.enclosed and whole.operator in _COMPARISONS:
            sign = self.text[tree.start : tree.parts[0].start].strip()
            rest = self.text[tree.parts[0].start : whole.end].strip()
            advice = f"'{sign}' binds tighter than '{outer}'; write '{sign} ({rest})'"
        return failure(self.place(tree), f"a temporal operator cannot stand inside '{outer}'", advice)

    def refuse_ambiguity(self, tree: Tree) -> None:
        for part in tree.parts:
            if not part.enclosed and tree.operator in _CLASHES.get(part.operator, ()) and _is_boolean(part):
                raise failure(
                    self.place(tree),
                    f"'{part.operator}' beside '{tree.operator}' means one thing to SPIN and another to Spot",
                    "put parentheses around the part that belongs together",
                )

    def refuse_chains(self, tree: Tree) -> None:
        """SPIN groups `a -> b -> c` and `a U b U c` to the left, Spot to the right."""
        first = tree.parts[0] if len(tree.parts) == 2 else tree
        alike = {"->", "<->"} if tree.operator in ("->", "<->") else _TEMPORAL_PAIRS.keys()
        if first is not tree and tree.operator in alike and first.operator in alike and not first.enclosed:
            raise failure(
                self.place(tree),
                f"'{first.text}' before '{tree.text}' is grouped to the left by SPIN and to the right by Spot",
                "put parentheses around the part that belongs together",
            )
        for part in tree.parts:
            self.refuse_chains(part)


def _is_spelt_as_spot(tree: Tree) -> bool:
    """Whether an operator is written in a way that only Spot knows."""
    return (tree.operator != "" and tree.text in _SPOT_SPELLINGS) or any(map(_is_spelt_as_spot, tree.parts))


def _flat(constructor: type[And] | type[Or], parts: tuple[Formula, ...], tree: Tree) -> tuple[Formula, ...]:
    """The parts of a chain like a & b & c as one list; parentheses keep a nested one apart."""
    flat: list[Formula] = []
    for part, written_part in zip(parts, tree.parts, strict=True):
        same = isinstance(part, constructor) and not written_part.enclosed
        flat.extend(part.parts if same and isinstance(part, constructor) else (part,))
    return tuple(flat)


def _is_boolean(tree: Tree) -> bool:
    """Whether a tree is a formula rather than a number, going by its operators and numerals."""
    if tree.operator in _ARITHMETIC:
        return False
    if tree.operator in _BITWISE:
        return all(map(_is_boolean, tree.parts))
    if tree.operator == "":
        return not tree.text.isdigit() or tree.text in ("0", "1")
    return True
