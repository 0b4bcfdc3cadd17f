"""The store's own text as workers that stop before each access to memory.

Of the text only this is changed: an access to memory, also to an element of a column, is asked for (`yield`), a call of
another function of the store is gone through (`yield from`), and what is answered is kept in a variable, so that
variables and place in the text say all about a worker. Its own block and buffers are not memory that others see.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, Final

from everafter.engine.code.parts import Functions, bound
from everafter.engine.store import team_bindings

Request = tuple[Any, ...]
Steps = Generator[Request, Any, Any]
Program = Callable[[dict[str, Any], int], Steps]
"""What a worker does, by the functions of the store and the address of its block."""
Changes = Sequence[tuple[str, str]]
"""Pieces of the text, and what takes the place of each: a mistake to be found."""

ASKED: Final = (
    *("load", "store", "shared", "share", "add", "swap_if", "surveyed", "vacant", "hinted"),
    *("surveyed_slots", "surveyed_apart", "hinted_slots", "hinted_tags"),
    "believed_apart",  # a mistake: a tag that is not there is taken for another
)
SAME: Final = {"load_anywhere": "load", "store_anywhere": "store"}
"""Each root is a word of its own here, wherever it begins."""
ROOT_BITS: Final = 56
WEAK: Final = tuple(f"weak_{name}" for name in ("shared", "share", "add", "swap_if"))
"""The same steps, ordering nothing: for mistakes."""
GONE_THROUGH: Final = ("unequal", "copy_line", "clear", "hash_row")
WORD: Final = 8
ALL: Final = (1 << 64) - 1
HALF_WORD: Final = (1 << 32) - 1
PRIVATE: Final = 1 << 40
"""From here on addresses belong to one worker: this much of them to each."""
NOT_REMEMBERED: Final = {"turn"}


def own(worker: int) -> int:
    """The address of a worker's block."""
    return PRIVATE * (worker + 1)


def unequal(one: int, other: int, bits: int, count: int) -> Steps:
    """Only what counts is compared: the rest is read and masked out."""
    found = 0
    for index in range(min(8, count)):
        left = yield ("load", one + WORD * index)
        right = yield ("load", other + WORD * index)
        mask = bits if index == 0 else -1
        found |= int((left ^ right) & mask & ALL != 0) << index
    return found


def copy_line(target: int, source: int) -> Steps:
    for offset in range(0, 8 * WORD, WORD):
        value = yield ("load", source + offset)
        yield ("store", target + offset, value)


def clear(address: int, size: int) -> Steps:
    for place in range(address, address + size, WORD):
        yield ("store", place, 0)


class Text:
    """The functions of the store, as generators, with a mistake planted in one of them, perhaps."""

    def __init__(
        self, hashes: Mapping[int, int], changes: Changes = (), functions: Functions = team_bindings.FUNCTIONS
    ) -> None:
        self.words: dict[int, int] = {}
        self.changes = changes
        self.changed = 0

        def hash_row(row: int, _words: int) -> Steps:
            return hashes[(yield ("load", row + WORD))]

        def hash_node(low: int, _high: int) -> Steps:
            yield from ()
            return hashes.get(low & HALF_WORD, 0)  # of a number that is not given, anything

        def root_bits(_segment: int) -> Steps:
            yield from ()
            return ROOT_BITS

        given: dict[str, Any] = {
            "unequal": unequal,
            "copy_line": copy_line,
            "clear": clear,
            "word": lambda block, index: self.words.get(block + WORD * index, 0),
            "put": lambda block, index, value: self.words.update({block + WORD * index: value}),
            "shifted_right": lambda bits, count: (bits & ALL) >> count,
            "high_product": lambda one, other: (one & ALL) * other >> 64,
            "lowest": lambda bits: (bits & -bits).bit_length() - 1,
            "highest": lambda bits: bits.bit_length() - 1,
            "prefetch": lambda _: None,
            "prefetch_to_write": lambda _: None,
            "as_number": int,
            "as_colour": int,
            "LEAST_GIVEN": 1,
        }
        self._replaced = {
            "hash_row": hash_row,
            "hash_node": hash_node,
            "root_bits": root_bits,
            "relaxed": lambda _team, _turn: iter(()),
            "hesitate": lambda _: iter(()),
        }
        self._names = frozenset(functions)
        asked = {name for function in functions.values() for name in getattr(function, "__globals__", ())}
        known = {name: value for name, value in given.items() if name in asked}
        self.functions = {**bound(functions, known, self._stepwise), "word": given["word"], "put": given["put"]}
        assert self.changed == len(changes), "the text to be changed is not there, or not once"

    def _stepwise(self, function: Callable[..., Any], name: str) -> Any:
        if name in self._replaced:
            return self._replaced[name]
        assert isinstance(function, FunctionType)
        text = inspect.getsource(function.__code__)
        for old, new in self.changes:
            self.changed += text.count(old)
            text = text.replace(old, new)
        tree = ast.fix_missing_locations(_Stops(self._names).visit(ast.parse(text)))
        (code,) = (each for each in compile(tree, name, "exec").co_consts if isinstance(each, CodeType))
        return FunctionType(code, function.__globals__, name)


class _Stops(ast.NodeTransformer):
    """Puts a stop before each access to memory."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.kept = 0

    def _keep(self, value: ast.expr) -> ast.expr:
        self.kept += 1
        return ast.NamedExpr(ast.Name(f"answer{self.kept}", ast.Store()), value)

    def _ask(self, name: str, *numbers: ast.expr) -> ast.expr:
        return self._keep(ast.Yield(ast.Tuple([ast.Constant(name), *numbers], ast.Load())))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        self.generic_visit(node)
        if not self.kept:  # it must be a generator, too
            node.body.insert(0, ast.If(ast.Constant(False), [ast.Expr(ast.Yield(ast.Constant(None)))], []))
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Name(name) if name in (*ASKED, *WEAK, *SAME):
                return self._ask(SAME.get(name, name), *node.args)
            case ast.Name(name) if name in GONE_THROUGH or name in self.names:
                return self._keep(ast.YieldFrom(node))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        return self._ask("load", _element(node))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        match node.targets:
            case [ast.Subscript() as target]:
                self.generic_visit(target)
                value = self.visit(node.value)
                return ast.Expr(self._ask("store", _element(target), value))
        self.generic_visit(node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        match node.target:
            case ast.NamedExpr(value=ast.Yield(value=ast.Tuple(elts=[_, place]))) as read:
                return ast.Expr(self._ask("store", place, ast.BinOp(read, node.op, node.value)))
        return node


def _element(node: ast.Subscript) -> ast.expr:
    """The address of an element of a column of words."""
    offset = ast.BinOp(node.slice, ast.Mult(), ast.Constant(WORD))
    return ast.BinOp(node.value, ast.Add(), offset)


@dataclass
class Worker:
    """What a worker does, as a state machine that is found as far as it is asked for. State 0 is the beginning."""

    text: Text
    program: Program
    number: int
    words: Mapping[int, int]
    """What its own memory has at the beginning."""
    requests: list[Request | None] = field(default_factory=list)
    """What it asks for in each state; None at its end."""
    results: dict[int, Any] = field(default_factory=dict)
    """What it has come to, in states that are ends."""

    def __post_init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._before: list[tuple[int, Any]] = []
        self._next: dict[tuple[int, Any], int] = {}
        self._send(self._begin(), (-1, None))

    def after(self, state: int, answer: Any) -> int:
        """The state after the answer."""
        if (state, answer) not in self._next:
            answers = []
            at = state
            while at:
                at, sent = self._before[at]
                answers.append(sent)
            steps, words = self._begin()
            self._run(steps, words, None)
            for sent in reversed(answers):
                self._run(steps, words, sent)
            assert self._numbers[_memory(steps, words)] == state, "two moments were taken for the same, and are not"
            self._next[state, answer] = self._send((steps, words), (state, answer))
        return self._next[state, answer]

    def _begin(self) -> tuple[Steps, dict[int, int]]:
        return self.program(self.text.functions, own(self.number)), dict(self.words)

    def _run(self, steps: Steps, words: dict[int, int], answer: Any) -> Request:
        """Send the answer, and go on until the worker asks for what is not its own."""
        self.text.words = words
        request = steps.send(answer)
        while request[0] in ("load", "store") and request[1] >= PRIVATE:
            if request[0] == "store":
                words[request[1]] = request[2]
            request = steps.send(words.get(request[1], 0))
        return request

    def _send(self, begun: tuple[Steps, dict[int, int]], before: tuple[int, Any]) -> int:
        try:
            request: Request | None = self._run(*begun, before[1])
            memory = _memory(*begun)
        except StopIteration as end:
            request, memory = None, ("end", end.value)
        number = self._numbers.setdefault(memory, len(self.requests))
        if number == len(self.requests):
            self.requests.append(request)
            self._before.append(before)
            if request is None:
                self.results[number] = memory[1]
        return number


def _memory(steps: Any, words: Mapping[int, int]) -> Any:
    """All that decides what the worker does from now on."""
    places = []
    while steps is not None and hasattr(steps, "gi_frame"):
        names = steps.gi_frame.f_locals
        known = ((name, names[name]) for name in sorted(names) if name not in NOT_REMEMBERED and _is_value(names[name]))
        places.append((steps.gi_frame.f_code, steps.gi_frame.f_lasti, *known))
        steps = steps.gi_yieldfrom
    return (*places, frozenset(words.items()))


def _is_value(value: Any) -> bool:
    return value is None or isinstance(value, (int, tuple))
