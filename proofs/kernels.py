"""Viper of a kernel's own Python text: every statement becomes one or a few that do the same, and nothing is left out.

Kernels are written in little of Python (docs/decisions/0025): numbers, columns of a store, `if`, `while`, `for` over a
range or a column, calls. What is not among this is refused, with its place. The store is an object whose columns are
sequences. A column of bits (`colour`) holds sets of their numbers: `&` is a common element, `|` the union, `& ~` the
difference, `1 << n` the bit n, which must not be negative. A `return` sets a flag, behind which nothing is done any
more. An index outside a column, which Python takes from the end or refuses, must be shown not to happen.

What a proof says in addition is put in by `Notes`, at places that it names by their text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from everafter.search.framework import Search
from proofs.expressions import VIPER, Expression, Expressions, Kernel, Sort, assigned, is_call, is_extreme

OWN = frozenset(
    {"answer", "returned", "old", "result", "forall", "exists", "in", "method", "function", "field", "path"}
)
"""Names that mean something in Viper or in the proofs, and that a kernel may not give to its variables."""
BUILT_IN = frozenset({"range", "min", "max"})
"""What is translated as what it is in Python."""


NO_BIT_IN_COMMON = "intersection Set[Int]()) != Set[Int]())"
"""How a test ends that asks whether there is a bit in common with no bit at all."""

Clauses = tuple[list[str], list[str]]
"""What is known of a loop before anything of the store is, and after."""


class Notes(Protocol):
    """What a proof says of one function: each note is asked for where it belongs."""

    def loop(self, head: str) -> list[str]:
        """The clauses of the next loop, which begins with this line."""

    def steps(self, where: str, statement: str) -> list[str]:
        """The steps to be put before or after the statement, which begins with this line."""

    def never(self, statement: str) -> bool:
        """Whether the proof shows that the test that begins with this line never succeeds."""


def always_returns(statements: Iterable[ast.stmt]) -> bool:
    """Whether nothing comes to the end of these statements."""
    return any(
        isinstance(each, ast.Return)
        or (isinstance(each, ast.If) and always_returns(each.body) and always_returns(each.orelse))
        for each in statements
    )


def may_return(statement: ast.stmt) -> bool:
    """Whether the statement may end the function."""
    return any(isinstance(each, ast.Return) for each in ast.walk(statement))


def first_line(statement: ast.stmt) -> str:
    """How the statement begins, in Python's own way of writing it."""
    return ast.unparse(statement).splitlines()[0]


@dataclass(slots=True)
class Translator(Expressions):
    """One function on its way to Viper. `callees` gives, by name, the functions that it may call.

    There are several of a name where a function is translated for more than one search that is handed to it.
    """

    callees: Callable[[str], Sequence[Kernel]]
    notes: Notes
    lines: list[str] = field(default_factory=list)
    added: set[str] = field(default_factory=set)
    """Variables that the translation needs."""
    indent: int = 1
    loops: int = 0
    calls: int = 0

    def head(self) -> str:
        """The first line of the method. A parameter that is assigned has `_0` added; the variable has its value."""
        changed = assigned(self.kernel.tree)
        given = [
            f"{name}_0: {sort}" if name in changed else f"{name}: {sort}"
            for name, sort in ((name, VIPER[self.kernel.sort(name)]) for name in self.kernel.parameters)
        ]
        head = f"method {self.kernel.method}({', '.join(['space: Ref', *given])})"
        return head if self.kernel.returns is None else f"{head} returns (answer: {VIPER[self.kernel.returns]})"

    def body(self) -> list[str]:
        """The lines between the braces."""
        statements = [each for each in self.kernel.tree.body if not _is_docstring(each)]
        if self.kernel.returns is not None and not always_returns(statements):
            raise self.kernel.refuse(self.kernel.tree, "not every way through the function returns something")
        changed = assigned(self.kernel.tree)
        for name in sorted(changed | set(self.kernel.parameters)):
            if name in OWN or name == "space" or name in self.kernel.fixed:
                raise self.kernel.refuse(self.kernel.tree, f"the name {name} is taken")
        self.check_built_in()
        given = [name for name in self.kernel.parameters if name in changed]
        self.local.update({name: self.kernel.sort(name) for name in self.kernel.parameters})
        self.emit("returned := false")
        for name in given:
            self.emit(f"{name} := {name}_0")
        self.block(statements)
        own = changed | self.added
        declared: dict[str, Sort] = {"returned": "Bool"}
        declared.update({name: sort for name, sort in self.local.items() if name in own})
        return [f"  var {name}: {VIPER[sort]}" for name, sort in declared.items()] + self.lines

    def check_built_in(self) -> None:
        """Refuse a kernel that gives a function of Python's own another meaning, and one with a decorator."""
        own = self.kernel.own | self.kernel.fixed.keys()
        for name in sorted(BUILT_IN):
            if name in own or self.kernel.names.get(name) is not None:
                raise self.kernel.refuse(self.kernel.tree, f"the name {name} is taken")
        if self.kernel.tree.decorator_list:
            raise self.kernel.refuse(self.kernel.tree.decorator_list[0], "a kernel has no decorators")

    def add(self, sort: Sort, *names: str) -> None:
        """Variables of the translation's own, whose names no kernel may have."""
        for name in names:
            if name in self.local:
                raise self.kernel.refuse(self.kernel.tree, f"the name {name} is taken")
            self.local[name] = sort
            self.added.add(name)

    def emit(self, line: str) -> None:
        """One line more."""
        self.lines.append("  " * self.indent + line)

    def block(self, statements: list[ast.stmt]) -> None:
        """The statements in order; behind one that may return, only if it has not."""
        for position, statement in enumerate(statements):
            begins = first_line(statement)
            for step in self.notes.steps("before", begins):
                self.emit(step)
            self.statement(statement)
            for step in self.notes.steps("after", begins):
                self.emit(step)
            rest = statements[position + 1 :]
            if rest and may_return(statement):
                if always_returns([statement]):
                    raise self.kernel.refuse(rest[0], "nothing comes here")
                self.emit("if (!returned) {")
                self.inner(rest)
                self.emit("}")
                return

    def inner(self, statements: list[ast.stmt]) -> None:
        """A block, indented."""
        self.indent += 1
        self.block(statements)
        self.indent -= 1

    def statement(self, statement: ast.stmt) -> None:
        """One statement."""
        match statement:
            case ast.Return(value=ast.IfExp() as choice):
                self.choose(choice.test, [_returns(choice.body)], [_returns(choice.orelse)])
            case ast.Return(value=ast.expr() as value):
                self.assign_answer(value)
            case ast.Assign(targets=[target], value=ast.IfExp() as choice):
                self.choose(choice.test, [_assigns(target, choice.body)], [_assigns(target, choice.orelse)])
            case ast.Assign(targets=[target], value=value):
                self.assign(target, self.fitting(value, self.holds(target)), value)
            case ast.AugAssign(target=target, op=operator, value=value):
                both = ast.copy_location(ast.BinOp(_loaded(target), operator, value), statement)
                self.assign(target, self.expression(both), value)
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.If(test=test, body=body, orelse=orelse):
                self.choose(test, body, orelse, never=self.notes.never(first_line(statement)))
            case ast.While(test=test, body=body, orelse=[]) if not is_call(test):
                self.loop(statement, self.condition(test), ([], []), body)
            case ast.For(target=ast.Name(id=name), iter=iterated, body=body, orelse=[]):
                self.count(statement, name, iterated, body)
            case _:
                raise self.kernel.refuse(statement, f"unknown statement {type(statement).__name__}")

    def assign_answer(self, value: ast.expr) -> None:
        """`return` of the value."""
        text, sort = self.fitting(value, self.kernel.returns)
        if sort != self.kernel.returns:
            raise self.kernel.refuse(value, f"returns {sort}, not {self.kernel.returns}")
        self.emit(f"answer := {text}")
        self.emit("returned := true")

    def assign(self, target: ast.expr, value: Expression, place: ast.expr) -> None:
        """Assign to a variable or to an element of a column."""
        text, sort = value
        if isinstance(target, ast.Name):
            if self.local.setdefault(target.id, sort) != sort:
                raise self.kernel.refuse(place, f"{target.id} is {sort}")
            self.emit(f"{target.id} := {text}")
            return
        column, index, holds = self.element(target)
        if holds != sort or column == "space._initial":
            raise self.kernel.refuse(place, f"{column} holds {holds}, or may not be changed")
        self.emit(f"{column} := {column}[{index} := {text}]")

    def holds(self, target: ast.expr) -> Sort | None:
        """What the target of an assignment holds, if that is known before."""
        return self.local.get(target.id) if isinstance(target, ast.Name) else self.element(target)[2]

    def fitting(self, value: ast.expr, sort: Sort | None) -> Expression:
        """The value as what is expected: where that is a set of bits, a number stands for its bits."""
        return (self.bits(value), "Bits") if sort == "Bits" and not is_call(value) else self.value(value)

    def choose(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], *, never: bool = False) -> None:
        """`if`, with its `else`. Nothing comes into it where the search has no bit that is asked for, or never does."""
        condition = self.condition(test)
        never |= condition.endswith(NO_BIT_IN_COMMON)
        self.emit(f"if ({condition}) {{{' // absurd' if never else ''}")
        self.inner(body)
        if orelse:
            self.emit("} else {")
            self.inner(orelse)
        self.emit("}")

    def loop(self, statement: ast.While | ast.For, condition: str, clauses: Clauses, body: list[ast.stmt]) -> None:
        """`while`, which a `return` inside ends as well. The notes stand between the clauses that are known anyway."""
        if any(isinstance(each, ast.Break | ast.Continue) for each in ast.walk(statement)):
            raise self.kernel.refuse(statement, "break and continue are not known")
        returning = may_return(statement)
        first = "  " * self.indent
        self.emit(f"while ({f'!returned && {condition}' if returning else condition})")
        for clause in (*clauses[0], *self.notes.loop(first_line(statement)), *clauses[1]):
            self.lines.append(f"{first}  {clause}")
        self.emit("{")
        self.inner(body)
        self.emit("}")

    def count(self, statement: ast.For, name: str, iterated: ast.expr, body: list[ast.stmt]) -> None:
        """`for` over a range, whose ends are computed once, or over a column, whose length is asked for each time."""
        self.loops += 1
        counter, stop, first = (f"{word}_{self.loops}" for word in ("next", "stop", "first"))
        match iterated:
            case ast.Call(func=ast.Name(id="range"), args=[*ends], keywords=[]) if len(ends) in {1, 2}:
                texts = ["0", *map(self.number, ends)][-2:]
                self.emit(f"{first} := {texts[0]}")
                self.emit(f"{stop} := {texts[1]}")
                self.add("Int", first, stop)
                start, end, element = first, stop, counter
                before, after = [f"invariant {first} <= {counter} && ({counter} <= {stop} || {counter} == {first})"], []
            case _:
                column, holding = self.column(iterated)
                if holding != "Int":
                    raise self.kernel.refuse(iterated, "a loop goes over numbers")
                start, end, element = "0", f"|{column}|", f"{column}[{counter}]"
                before, after = [], [f"invariant 0 <= {counter} && {counter} <= {end}"]
        self.add("Int", counter)
        if self.local.setdefault(name, "Int") != "Int":
            raise self.kernel.refuse(statement, f"{name} is no number")
        self.emit(f"{counter} := {start}")
        heads = [f"{name} := {element}", f"{counter} := {counter} + 1"]
        place = len(self.lines)
        self.loop(statement, f"{counter} < {end}", (before, [*after, f"decreases {end} - {counter}"]), body)
        brace = next(i for i in range(place, len(self.lines)) if self.lines[i].strip() == "{")
        self.lines[brace + 1 : brace + 1] = ["  " * (self.indent + 1) + line for line in heads]

    def value(self, node: ast.expr) -> Expression:
        """An expression, or a call of another kernel, whose answer is kept in a variable of its own."""
        if not isinstance(node, ast.Call) or is_extreme(node):
            return self.expression(node)
        answer = self.call(node)
        if answer is None:
            raise self.kernel.refuse(node, "a call that answers nothing")
        return answer

    def call(self, node: ast.Call) -> Expression | None:
        """Call another kernel: its answer, in a variable, if it has one."""
        callee = self.callee(node)
        names = [argument.arg for argument in callee.tree.args.args]
        if len(names) != len(node.args) or ast.unparse(node.args[0]) != "space":
            raise self.kernel.refuse(node, f"{callee.tree.name} takes the store and {len(names) - 1} more")
        given = ["space"]
        for parameter, argument in zip(names[1:], node.args[1:], strict=True):
            if parameter not in callee.fixed:
                given.append(self.bits(argument) if parameter in callee.sets else self.number(argument))
        called = f"{callee.method}({', '.join(given)})"
        if callee.returns is None:
            self.emit(called)
            return None
        self.calls += 1
        answer = f"call_{self.calls}"
        self.add(callee.returns, answer)
        self.emit(f"{answer} := {called}")
        return answer, callee.returns

    def callee(self, node: ast.Call) -> Kernel:
        """The kernel that is called: the one for which what is handed over is what its parameters are fixed to."""
        name, meant = self.hook(node.func)
        known = [each for each in self.callees(name) if each.of in {"", str(meant)}]
        if not known or node.keywords:
            raise self.kernel.refuse(node, f"unknown function {name}")
        wrong: tuple[ast.expr, str] = (node, "")
        for each in known:
            names = [argument.arg for argument in each.tree.args.args]
            handed = dict(zip(names, node.args, strict=False))
            others = [it for it in each.fixed if it in handed and not self.is_same(handed[it], each.value(it))]
            if not others:
                return each
            wrong = (handed[others[0]], f"{others[0]} of {name} is fixed to {each.fixed[others[0]]}")
        raise self.kernel.refuse(*wrong)

    def is_same(self, argument: ast.expr, value: tuple[str, Any]) -> bool:
        """Whether the argument is what a parameter is fixed to: by its name, and by what that means."""
        is_own = isinstance(argument, ast.Name) and argument.id in self.kernel.own
        return not is_own and self.kernel.meaning(argument) == value

    def hook(self, node: ast.expr) -> tuple[str, Any]:
        """The function called, directly or as a hook of a search that is fixed: its name, and what that means."""
        match node:
            case ast.Name(id=name) if name not in self.kernel.own | self.kernel.fixed.keys():
                return name, self.kernel.names.get(name)
            case ast.Attribute(value=ast.Name(id=name), attr=hook) if isinstance(self.search(name), Search):
                function = getattr(self.search(name), hook)
                return str(function.__name__), function
        raise self.kernel.refuse(node, "unknown function")


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _returns(value: ast.expr) -> ast.stmt:
    return ast.copy_location(ast.Return(value), value)


def _assigns(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.copy_location(ast.Assign([target], value), value)


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an assignment, to be read."""
    return ast.copy_location(ast.parse(ast.unparse(target), mode="eval").body, target)
