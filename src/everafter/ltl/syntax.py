"""The tree of a formula as written: which operator applies to what, before it is known what is a proposition.

Promela expressions and temporal operators share one grammar, with the precedence of SPIN's: from loosest
`->` `<->`, `||`, `&&`, `U W V`, `|`, `^`, `&`, `== !=`, `< > <= >=`, `<< >>`, `+ -`, `* / %`, prefix
operators. Every binary operator groups to the left, as SPIN's do.
"""

from __future__ import annotations

from collections.abc import Sequence

from everafter.ltl.formula_tokens import FormulaToken, PlaceOf, failure
from everafter.nesting import DEEPEST, make_room
from everafter.record import dataclass, replace
from everafter.source import InputError, Place, closest

DEEPEST_FORMULA = 1000
"""How many operators may lie within each other; parentheses alone may be more."""

PREFIX = {
    "[]": "G", "G": "G", "always": "G",
    "<>": "F", "F": "F", "eventually": "F",
    "X": "X", "next": "X",
    "!": "!", "not": "!", "~": "~", "-": "-",
}  # fmt: skip
INFIX = {
    "->": "->", "=>": "->", "implies": "->",
    "<->": "<->", "<=>": "<->", "equivalent": "<->",
    "||": "||", "\\/": "||", "or": "||", "&&": "&&", "/\\": "&&", "and": "&&",
    "U": "U", "until": "U", "stronguntil": "U", "W": "W", "weakuntil": "W",
    "V": "R", "R": "R", "release": "R", "M": "M",
    "|": "|", "^": "^", "xor": "^", "&": "&",
}  # fmt: skip
INFIX |= {sign: sign for sign in ("==", "!=", "<", ">", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%")}
_LEVELS = (
    ("->", "<->"), ("||",), ("&&",), ("U", "W", "R", "M"), ("|",), ("^",), ("&",),
    ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
STRENGTH = {operator: strength for strength, level in enumerate(_LEVELS) for operator in level}


@dataclass(frozen=True, slots=True)
class Tree:
    """An operator over its operands, with its spelling; or a leaf: operator "" and the text of a reference."""

    operator: str
    parts: tuple[Tree, ...]
    text: str
    start: int
    end: int
    enclosed: bool = False
    depth: int = 1


def parse_tree(tokens: Sequence[FormulaToken], place_of: PlaceOf) -> Tree:
    """Return the tree of all `tokens`; `place_of` gives the place of each stretch of the text, for errors."""
    reader = _SyntaxReader(tokens, place_of)
    tree = reader.expression()
    if reader.current.kind != "end":
        raise reader.unexpected_after_operand()
    return tree


def leaf(token: FormulaToken) -> Tree:
    """A tree of one token."""
    return Tree("", (), token.text, token.start, token.end)


class _SyntaxReader:
    """Precedence climbing over a token sequence."""

    def __init__(self, tokens: Sequence[FormulaToken], place_of: PlaceOf) -> None:
        self.tokens = tokens
        self.position = 0
        self.nesting = 0
        self.place_of = place_of

    @property
    def current(self) -> FormulaToken:
        return self.tokens[self.position]

    @property
    def following(self) -> FormulaToken:
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def take(self) -> FormulaToken:
        token = self.current
        self.position += 1
        return token

    def place(self, token: FormulaToken) -> Place:
        return self.place_of(token.start, token.end - token.start)

    def expression(self, weakest: int = 0) -> Tree:
        """An operand, and every binary operator after it that binds at least as tightly as `weakest`."""
        left = self.operand()
        while (operator := self.infix()) is not None and STRENGTH[operator] >= weakest:
            sign = self.take().text
            right = self.expression(STRENGTH[operator] + 1)
            left = self.joined(operator, left, right, sign)
        return left

    def infix(self) -> str | None:
        return INFIX.get(self.current.text) if self.current.kind in ("word", "sign") else None

    def joined(self, operator: str, left: Tree, right: Tree, sign: str) -> Tree:
        parts: tuple[Tree, ...] = (left, right)
        if operator in ("&&", "||") and left.operator == operator and not left.enclosed:
            parts = (*left.parts, right)
        return self.tree(operator, parts, left.start, right.end, sign)

    def tree(self, operator: str, parts: tuple[Tree, ...], start: int, end: int, text: str = "") -> Tree:
        depth = 1 + max((part.depth for part in parts), default=0)
        make_room(depth)
        if depth > DEEPEST_FORMULA:
            raise self.too_deep(self.place_of(start, 1), DEEPEST_FORMULA)
        return Tree(operator, parts, text, start, end, depth=depth)

    def too_deep(self, place: Place, deepest: int) -> InputError:
        return failure(place, f"the formula nests deeper than {deepest:,} levels", "name a part of it with #define")

    def operand(self) -> Tree:
        """A prefix operator with its operand, something in parentheses, or a reference."""
        self.nesting += 1
        make_room(self.nesting)
        if self.nesting > DEEPEST:
            raise self.too_deep(self.place(self.current), DEEPEST)
        try:
            if self.is_prefix():
                token = self.take()
                operand = self.operand()
                return self.tree(PREFIX[token.text], (operand,), token.start, operand.end, token.text)
            if self.current.is_sign("("):
                return self.parenthesised()
            if self.current.kind in ("word", "number", "quoted"):
                return self.reference()
            raise self.missing_operand()
        finally:
            self.nesting -= 1

    def is_prefix(self) -> bool:
        """Whether the current token is a prefix operator: a word is one only if an operand can follow it."""
        token, after = self.current, self.following
        if token.kind == "sign":
            return token.text in PREFIX
        if token.kind != "word" or token.text not in PREFIX:
            return False
        return (
            after.kind in ("number", "quoted")
            or after.is_sign("(", "!", "~", "[]", "<>")
            or (after.kind == "word" and (after.text not in INFIX or self.names_operand(self.position + 1)))
        )

    def names_operand(self, position: int) -> bool:
        """Whether the word at a position, an operator elsewhere, stands for a name here: nothing it could join."""
        after = self.tokens[min(position + 1, len(self.tokens) - 1)]
        return after.kind == "end" or after.is_sign(")", *INFIX) or after.is_sign("@", "[", ".", ":", "?")

    def parenthesised(self) -> Tree:
        opening = self.take()
        inside = self.expression()
        if inside.operator == "->" and self.current.is_sign(":"):
            self.take()
            condition, chosen = inside.parts
            other = self.expression()
            inside = self.tree("?:", (condition, chosen, other), inside.start, other.end)
        if not self.current.is_sign(")"):
            if self.current.kind == "end":
                raise failure(self.place(opening), "'(' is never closed")
            raise self.unexpected_after_operand()
        closing = self.take()
        return replace(inside, start=opening.start, end=closing.end, enclosed=True)

    def reference(self) -> Tree:
        """A name with what may follow it: calls, indices, fields, remote references and polls."""
        token = self.take()
        tree = leaf(token)
        if token.kind != "word":
            return tree
        while (more := self.continuation(tree)) is not None:
            tree = more
        return tree

    def continuation(self, tree: Tree) -> Tree | None:
        if self.current.is_sign("["):
            return self.bracketed(tree, "[", "]")
        if self.current.is_sign("(") and not tree.parts and tree.text.isidentifier():
            return self.bracketed(tree, "(", ")")
        if self.current.is_sign("?", "??") and self.following.is_sign("["):
            poll = self.take().text
            return self.bracketed(tree, f"{poll}[", "]")
        if self.current.is_sign(".", "@") or self.is_remote_variable(tree):
            sign = self.take().text
            if self.current.kind != "word":
                raise failure(self.place(self.current), f"a name should follow '{sign}'")
            name = self.take()
            return Tree("", tree.parts, f"{tree.text}{sign}{name.text}", tree.start, name.end)
        return None

    def is_remote_variable(self, tree: Tree) -> bool:
        """`P:v` is one word to the reader; `c -> a : b` has spaces. Only the spaces tell them apart."""
        colon, after = self.current, self.following
        return colon.is_sign(":") and after.kind == "word" and tree.end == colon.start and colon.end == after.start

    def bracketed(self, tree: Tree, opening: str, closing: str) -> Tree:
        """The reference with a bracketed list of expressions after it; each is kept as a part, to be checked."""
        start = self.take()
        inside: list[Tree] = []
        while not self.current.is_sign(closing):
            inside.append(self.expression())
            if self.current.is_sign(","):
                self.take()
            elif not self.current.is_sign(closing):
                raise failure(self.place(start), f"'{start.text}' is never closed with '{closing}'")
        end = self.take()
        texts = ", ".join(map(written, inside))
        parts = (*tree.parts, *inside)
        return self.tree("", parts, tree.start, end.end, f"{tree.text}{opening}{texts}{closing}")

    def missing_operand(self) -> InputError:
        token = self.current
        if token.kind == "end":
            return failure(self.place_of(max(0, token.start), 1), "the formula ends where an operand should follow")
        return failure(self.place(token), f"expected a proposition or '(' before '{token.text}'")

    def unexpected_after_operand(self) -> InputError:
        token = self.current
        advice = None
        if token.is_sign("="):
            advice = "'=' assigns; a comparison is written '=='"
        elif token.kind == "word":
            words = [word for word in INFIX if word.isalpha()]
            advice = closest(token.text, words) or "two propositions need an operator between them, such as && or ->"
        elif token.is_sign(")"):
            advice = "no '(' is open here"
        return failure(self.place(token), f"expected an operator before '{token.text}'", advice)


def written(tree: Tree) -> str:
    """The text of a tree with single spaces, so that `x>3` and `x > 3` are one proposition."""
    match tree.operator, [written(part) for part in tree.parts]:
        case "", _:
            text = tree.text
        case "?:", [condition, chosen, other]:
            text = f"{condition} -> {chosen} : {other}"
        case operator, [operand]:
            # Two signs keep their distance: `--` would be another operator.
            text = f"{operator} {operand}" if operator == "-" and operand.startswith("-") else f"{operator}{operand}"
        case operator, texts:
            text = f" {operator} ".join(texts)
    return f"({text})" if tree.enclosed and tree.operator else text
