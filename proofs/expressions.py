"""Expressions of kernels in Viper: numbers, tests, elements of columns, sets of bits. For `proofs.kernels`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from everafter.search import space
from everafter.search.fields import Field
from everafter.search.framework import Search
from proofs.task import ProofError

Sort = Literal["Int", "Bool", "Bits"]
SORTS: dict[str, Sort] = {"int": "Int", "bool": "Bool"}
VIPER: dict[Sort, str] = {"Int": "Int", "Bool": "Bool", "Bits": "Set[Int]"}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
BITWISE: dict[type[ast.operator], str] = {ast.BitOr: "union", ast.BitAnd: "intersection"}
COLOURS = ("KNOWN", "ACCEPTING", "DISCOVERED", "ON_PATH", "RED", "ACTIVE", "TARGET", "RESTRICTED")
"""The bits of a colour, by their names in `everafter.search.space`."""
Expression = tuple[str, Sort]
"""The text, and what it is."""


class UnknownConstructError(ProofError):
    """The kernel is written in a way that the translator does not know."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function to be translated, and what its names mean."""

    file: str
    tree: ast.FunctionDef
    names: Mapping[str, Any]
    """What a name means that is not local: the names of its module."""
    columns: Mapping[str, Field]
    fixed: Mapping[str, str] = field(default_factory=dict)
    """Parameters for which every caller has the same name or column: they are replaced by it."""
    sets: frozenset[str] = frozenset()
    """Parameters that are sets of bits, and `return` if the answer is one."""
    named: str = ""
    """What the method is called, where that is not the function's own name."""
    of: str = ""
    """The function, with its module; empty where nobody asks whose it is."""
    meant: Mapping[str, Any] = field(default_factory=dict)
    """What those words mean that parameters are fixed to; what is not here means what it does in the module."""

    def refuse(self, node: ast.AST, why: str) -> UnknownConstructError:
        """What to raise where something is unknown."""
        line, column = getattr(node, "lineno", self.tree.lineno), getattr(node, "col_offset", 0)
        return UnknownConstructError(f"{self.file}:{line}:{column + 1}: {self.tree.name}: {why}")

    @property
    def method(self) -> str:
        """The name of the method that is made of it."""
        return self.named or self.tree.name

    @property
    def returns(self) -> Sort | None:
        """What it returns, if anything."""
        match self.tree.returns:
            case ast.Name(id="int") if "return" in self.sets:
                return "Bits"
            case ast.Name(id=said) if said in SORTS:
                return SORTS[said]
            case ast.Constant(value=None):
                return None
        raise self.refuse(self.tree, "a kernel returns int or bool, or nothing")

    def sort(self, parameter: str) -> Sort:
        """What the parameter is."""
        return "Bits" if parameter in self.sets else "Int"

    def meaning(self, argument: ast.expr) -> tuple[str, Any]:
        """The name or column that stands for the argument, where it is a parameter that is fixed, and what it means."""
        return self.value(ast.unparse(argument))

    def value(self, name: str) -> tuple[str, Any]:
        """The name, or the word that it is fixed to, and what that means."""
        if name not in self.fixed:
            return name, self.names.get(name)
        word = self.fixed[name]
        return word, self.meant[word] if word in self.meant else self.names.get(word)

    @property
    def own(self) -> set[str]:
        """Its parameters that are not fixed, and its variables: these names mean nothing else in it."""
        arguments = {each.arg for each in self.tree.args.args} - self.fixed.keys()
        return arguments | assigned(self.tree)

    @property
    def parameters(self) -> list[str]:
        """Its parameters after the store, without those that are fixed."""
        given = self.tree.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults:
            raise self.refuse(self.tree, "a kernel has plain parameters")
        names = [argument.arg for argument in given.args]
        if names[:1] not in (["space"], ["_space"]):
            raise self.refuse(self.tree, "the first parameter of a kernel is the store, space")
        return [name for name in names[1:] if name not in self.fixed]


@dataclass(slots=True)
class Expressions:
    """The expressions of one function."""

    kernel: Kernel
    local: dict[str, Sort] = field(default_factory=dict, kw_only=True)
    """The variables met so far."""
    constants: dict[str, str] = field(default_factory=dict, kw_only=True)
    """The constants used: numbers as they are, bits by their number."""

    def value(self, node: ast.expr) -> Expression:
        """What may stand on the right of an assignment, or be a test."""
        return self.expression(node)

    def element(self, node: ast.expr) -> tuple[str, str, Sort]:
        """An element of a column: the column, the index, and what it holds."""
        if not isinstance(node, ast.Subscript):
            raise self.kernel.refuse(node, "neither a variable nor an element of a column")
        column, holds = self.column(node.value)
        index, sort = self.expression(node.slice)
        if sort != "Int":
            raise self.kernel.refuse(node.slice, "no index")
        return column, index, holds

    def column(self, node: ast.expr) -> tuple[str, Sort]:
        """A column of the store, and what it holds."""
        if isinstance(node, ast.Name) and "." in self.kernel.fixed.get(node.id, ""):
            node = ast.copy_location(ast.parse(self.kernel.fixed[node.id], mode="eval").body, node)
        match node:
            case ast.Attribute(value=ast.Name(id="space" | "_space"), attr=name) if name in self.kernel.columns:
                return f"space._{name}", holds(self.kernel.columns[name])
        raise self.kernel.refuse(node, "no column of the store")

    def number(self, node: ast.expr) -> str:
        """An expression that is a number."""
        text, sort = self.expression(node)
        if sort != "Int":
            raise self.kernel.refuse(node, f"{sort} where a number is expected")
        return text

    def condition(self, test: ast.expr) -> str:
        """A test, as Python takes a value for true."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self.condition(operand)}"
            case ast.BoolOp(op=operator, values=values):
                if any(map(is_call, values)):
                    raise self.kernel.refuse(test, "a call in a part of a test")
                word = " && " if isinstance(operator, ast.And) else " || "
                return f"({word.join(map(self.condition, values))})"
            case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
                one, other = self.bits(left), self.bits(right)
                if bit := re.fullmatch(r"Set\((\w+|bit_number\(\w+\))\)", other):
                    return f"({bit[1]} in {one})"
                return f"(({one} intersection {other}) != Set[Int]())"
        text, sort = self.value(test)
        return {"Bool": text, "Int": f"({text} != 0)", "Bits": f"({text} != Set[Int]())"}[sort]

    def search(self, name: str) -> Any:
        """The search that the parameter is fixed to, if it is."""
        return self.kernel.value(name)[1] if name in self.kernel.fixed else None

    def expression(self, node: ast.expr) -> Expression:
        """An expression in which nothing is called."""
        match node:
            case ast.Constant(value=bool() as truth):
                return str(truth).lower(), "Bool"
            case ast.Constant(value=int() as number):
                return str(number), "Int"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self.number(operand)})", "Int"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self.condition(operand)}", "Bool"
            case ast.Name(id=name):
                return self.name(node, name)
            case ast.Subscript():
                column, index, sort = self.element(node)
                return f"{column}[{index}]", sort
            case ast.BinOp(left=left, op=operator, right=right):
                return self.binary(node, left, operator, right)
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in COMPARISONS:
                return self.comparison(left, operator, right), "Bool"
            case ast.Call(func=ast.Name(id=word), args=[left, right]) if is_extreme(node):
                one, other = self.number(left), self.number(right)
                return f"({one} {'<=' if word == 'min' else '>='} {other} ? {one} : {other})", "Int"
        raise self.kernel.refuse(node, f"unknown expression {ast.unparse(node)}")

    def comparison(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> str:
        """Whether two numbers are in an order, or two sets of bits are the same."""
        one, sort = self.expression(left)
        if sort == "Bits" and isinstance(operator, ast.Eq | ast.NotEq):
            return f"({one} {COMPARISONS[type(operator)]} {self.bits(right)})"
        return f"({self.number(left)} {COMPARISONS[type(operator)]} {self.number(right)})"

    def name(self, node: ast.expr, name: str) -> Expression:
        """A variable, or a constant."""
        if name in self.local:
            return name, self.local[name]
        if name in self.kernel.own:
            raise self.kernel.refuse(node, f"{name} is read before it is assigned")
        name, value = self.kernel.value(name)
        if type(value) is not int:
            raise self.kernel.refuse(node, f"{name} is no number")
        self.note_constant(node, name, str(value) if value >= 0 else f"({value})")
        return name, "Int"

    def binary(self, node: ast.expr, left: ast.expr, operator: ast.operator, right: ast.expr) -> Expression:
        """Arithmetic, or a set of bits."""
        if type(operator) in ARITHMETIC:
            return f"({self.number(left)} {ARITHMETIC[type(operator)]} {self.number(right)})", "Int"
        if isinstance(operator, ast.BitAnd) and isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.Invert):
            return f"({self.bits(left)} setminus {self.bits(right.operand)})", "Bits"
        if isinstance(operator, ast.LShift) and isinstance(left, ast.Constant) and left.value == 1:
            return f"Set(bit_number({self.number(right)}))", "Bits"
        if type(operator) not in BITWISE:
            raise self.kernel.refuse(node, f"unknown expression {ast.unparse(node)}")
        return f"({self.bits(left)} {BITWISE[type(operator)]} {self.bits(right)})", "Bits"

    def bits(self, node: ast.expr) -> str:
        """A set of bits: an element of a column of bits, a constant, `1 << number`, or what is made of them."""
        match node:
            case ast.Name(id=name) if name not in self.kernel.own:
                return self.bit(node, *self.kernel.value(name))
            case ast.Constant(value=int() as number) if number == 0 and type(number) is int:
                return "Set[Int]()"
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if isinstance(self.search(name), Search):
                value = getattr(self.search(name), attribute)
                return self.bit(node, bit_name(value), value)
        text, sort = self.expression(node)
        if sort != "Bits":
            raise self.kernel.refuse(node, f"{sort} where bits are expected")
        return text

    def bit(self, node: ast.expr, name: str, value: Any) -> str:
        """The set of a constant that is one bit, or none."""
        if type(value) is not int or value < 0 or value & (value - 1):
            raise self.kernel.refuse(node, f"{name} is no single bit")
        if value == 0:
            return "Set[Int]()"
        self.note_constant(node, name, str(value.bit_length() - 1))
        return f"Set({name})"

    def note_constant(self, node: ast.expr, name: str, value: str) -> None:
        """The name stands for this value, and for no other."""
        if self.constants.setdefault(name, value) != value:
            raise self.kernel.refuse(node, f"{name} is a number here and a bit there")


@cache
def assigned(tree: ast.FunctionDef) -> frozenset[str]:
    """The local variables and parameters that are assigned."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))


def bit_name(value: int) -> str:
    """What the store calls a bit of its colours."""
    return next((name for name in COLOURS if getattr(space, name) == value), str(value))


def holds(column: Field) -> Sort:
    """What an element of the column is."""
    return "Bits" if column.holds in {"byte", "sets"} else "Int"


def is_extreme(node: ast.expr) -> bool:
    """Whether it is the least or the greatest of two numbers."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"min", "max"}
        and len(node.args) == 2
        and not node.keywords
    )


def is_call(node: ast.AST) -> bool:
    """Whether another kernel is called somewhere in it."""
    return any(isinstance(each, ast.Call) and not is_extreme(each) for each in ast.walk(node))
