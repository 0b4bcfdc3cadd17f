"""What Python expressions over a state mean, as expressions of the program, with the range of every number.

Numbers never wrap: what may leave 32 bits is refused, and `//` and `%` round as Python does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from everafter.model.domains import ArrayDomain, EnumDomain, IntDomain, RecordDomain
from everafter.model.vocabulary import STATEMENTS
from everafter.promela.model import Binary, Expression, Reference, Within
from everafter.pymodel.bounded_items import items_of, summary
from everafter.pymodel.container_items import Items
from everafter.pymodel.container_methods import method_value
from everafter.pymodel.container_values import (
    constructed,
    element_of,
    sliced,
)
from everafter.pymodel.namespace import Namespace, outer_names
from everafter.pymodel.operator_reader import OperatorReader
from everafter.pymodel.python_text import PythonProblem, is_async, node_of
from everafter.pymodel.storage_shapes import element, elements, part
from everafter.pymodel.typed_values import (
    Compound,
    Fixed,
    Gathered,
    Stored,
    Term,
    Value,
    ValueTuple,
    constant,
)
from everafter.record import replace
from everafter.source import closest

_MOST_CALLS: Final = 50
_MOST_NAMED: Final = 8


class PythonExpressions(OperatorReader):
    """Reads expressions where names mean what a namespace says."""

    def inside(self, namespace: Namespace) -> PythonExpressions:
        """A reader of expressions of another namespace."""
        return PythonExpressions(namespace)

    # Values

    def value(self, node: ast.expr) -> Value:
        """Return what `node` is. Raises PythonProblem if it has no meaning in a model."""
        known = self.namespace.known(node)
        if known is not None:
            return known
        match node:
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp():
                return self.unary_value(node)
            case ast.BinOp():
                return self.binary_value(node)
            case ast.BoolOp():
                return self.boolean_value(node)
            case ast.Compare():
                return self.comparison_value(node)
            case ast.IfExp():
                return self.conditional_value(node)
            case ast.Call():
                return self._call(node)
            case ast.List() | ast.Tuple():
                return ValueTuple(tuple(self.value(each) for each in node.elts))
            case ast.Set():
                return Gathered("set", tuple((None, self.value(each)) for each in node.elts))
            case ast.Dict():
                return self._dict(node)
            case ast.ListComp() | ast.GeneratorExp():
                items = self.items(node)
                if all(guard is None for guard, _ in items.each):
                    return ValueTuple(tuple(value for _, value in items.each))
                return Gathered("list", items.each)
            case ast.SetComp():
                return Gathered("set", self.items(node).each)
            case ast.DictComp():
                return Gathered("dict", self.items(node).each)
            case _:
                raise PythonProblem(node, f"{_described(node)} cannot be used in a model", _ADVICE.get(type(node)))

    def condition(self, node: ast.expr) -> Value:
        """Return whether `node` is true: a value known before the run, or a truth value."""
        if isinstance(node, ast.BoolOp):
            return self.boolean_value(node, strict=False)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.negated_value(self.condition(node.operand), node)
        return self.truth(self.value(node), node)

    def items(self, node: ast.expr) -> Items:
        """Return the values that an iteration over `node` takes."""
        return items_of(self, node)

    # Names and elements

    def _name(self, node: ast.expr, name: str) -> Value:
        value = self.namespace.names.get(name)
        if value is None:
            raise PythonProblem(node, f"'{name}' is the whole state", f"name a variable: {name}.x")
        if isinstance(value, Term) and isinstance(value.expression, Reference):
            return Term(replace(value.expression, place=self.place(node)), value.domain)
        return value

    def _attribute(self, node: ast.Attribute) -> Value:
        name = self.namespace.attribute(node)
        shared = self.namespace.shared
        if name is None:
            return self._field(node)
        if name in shared.variables:
            found = shared.variables[name]
            if isinstance(found, Term):
                return Term(replace(found.expression, place=self.place(node)), found.domain)
            return found
        raise self.unknown(node, name)

    def _field(self, node: ast.Attribute) -> Value:
        """The field of a record."""
        value = self.plain(self.value(node.value), node.value)
        domain = value.domain if isinstance(value, Term | Stored | Compound) else None
        if isinstance(value, Stored | Compound) and isinstance(domain, RecordDomain):
            if node.attr in dict(domain.fields):
                return part(value, node.attr, self.place(node))
            names = [name for name, _ in domain.fields]
            raise PythonProblem(node, f"{domain} has no field '{node.attr}'", closest(node.attr, names))
        advice = None
        if isinstance(domain, EnumDomain) and node.attr in ("name", "value"):
            advice = "compare the member itself"
        raise PythonProblem(node, f"'.{node.attr}' has no meaning on a value of the state", advice)

    def unknown(self, node: ast.expr, name: str) -> PythonProblem:
        """What to say, at `node`, of a variable `name` that the model does not have."""
        if name in self.namespace.shared.methods:
            return PythonProblem(node, f"'{name}' is a method", f"call it: {self.namespace.state}.{name}(…)")
        names = [*self.namespace.shared.variables, *self.namespace.shared.constants]
        listed = f"it has {', '.join(names[:_MOST_NAMED])}" if names else f"write {name} = … in the class"
        return PythonProblem(node, f"the model has no variable '{name}'", closest(name, names) or listed)

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self.plain(self.value(node.value), node.value)
        if isinstance(node.slice, ast.Slice):
            return sliced(self, value, node, node.slice)
        if isinstance(node.slice, ast.Tuple):
            raise PythonProblem(node, "an index is one value", "of an array of arrays: xs[i][j]")
        if isinstance(value, Stored | Compound) and not isinstance(value.domain, ArrayDomain):
            return element_of(self, value, node)
        index, bounds = self.number(node.slice)
        place = self.place(node)
        match value:
            case Stored():
                return element(value, index, place)
            case Compound():
                return self._looked_up(elements(value, place), index, bounds, node)
            case ValueTuple(values=values):
                return self._looked_up(list(values), index, bounds, node)
            case Fixed(value=list() | tuple() as listed) if listed:
                return self._looked_up([Fixed(each) for each in listed], index, bounds, node)
            case _:
                raise PythonProblem(node, "only an array can be indexed by what the run decides")

    def _looked_up(self, values: list[Value], index: Expression, bounds: IntDomain, node: ast.Subscript) -> Value:
        """The element of a list at an index that the run decides."""
        place = self.place(node)
        if bounds.least == bounds.greatest and 0 <= bounds.least < len(values):
            return values[bounds.least]
        if bounds.least < 0 or bounds.greatest >= len(values):
            index = Within(index, 0, len(values) - 1, f"the index of {self.namespace.text.written(node.value)}", place)
        found = values[-1]
        for position in range(len(values) - 2, -1, -1):
            here = Binary("==", index, constant(position, place), place)
            found = self.either(here, values[position], found, node)
        return found

    def _dict(self, node: ast.Dict) -> Value:
        pairs: list[tuple[Expression | None, Value]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise PythonProblem(node, "`**` cannot be used in a model", "write a comprehension")
            pairs.append((None, ValueTuple((self.value(key), self.value(value)))))
        return Gathered("dict", tuple(pairs))

    # Calls

    def _call(self, node: ast.Call) -> Value:
        function = self.namespace.meaning(node.func)
        if isinstance(node.func, ast.Attribute):
            name = self.namespace.attribute(node.func)
            if name is not None:
                return self._of_method(name, node)
            if function is None:
                return method_value(self, self.value(node.func.value), node.func, node)
        if function in STATEMENTS:
            name = getattr(function, "__name__", "")
            raise PythonProblem(node, f"m.{name} cannot be part of an expression", _USES[name])
        made = constructed(self, function, node)
        return made if made is not None else summary(self, function, node)

    def _of_method(self, name: str, node: ast.Call) -> Value:
        """The value that a method of one `return` gives."""
        method = self.namespace.shared.methods.get(name)
        if method is None:
            raise self.unknown(node.func, name)
        if is_async(method):
            raise PythonProblem(
                node, f"'{name}' is a task, and no value", "a method that is one `return …` can be used"
            )
        returned, namespace = self.called(name, method, node, self.value)
        match returned:
            case [ast.Return(value=ast.expr() as result)]:
                try:
                    return self.inside(namespace).value(result)
                except PythonProblem as problem:
                    problem.text = problem.text or namespace.text
                    raise
            case _:
                raise PythonProblem(
                    node, f"'{name}' is more than one `return`", "a method used as a value is `return …` and no more"
                )

    def called(
        self, name: str, method: Callable[..., object], node: ast.Call, argument: Callable[[ast.expr], Value]
    ) -> tuple[list[ast.stmt], Namespace]:
        """Return the body of the `method` called `name` without its docstring, and what names mean there.

        `node` is the call, and `argument` gives the values of what it passes.
        """
        if name in self.namespace.calls or len(self.namespace.calls) > _MOST_CALLS:
            raise PythonProblem(node, f"'{name}' calls itself", "write a loop: methods are put where they are called")
        text, found = node_of(method)
        if not isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) or not found.args.args:
            raise PythonProblem(node, f"'{name}' is no method of the model", "def method(self, …)")
        parameters = [each.arg for each in found.args.args]
        if node.keywords or len(node.args) != len(parameters) - 1 or found.args.vararg or found.args.kwonlyargs:
            takes = ", ".join(parameters[1:]) or "nothing"
            raise PythonProblem(node, f"'{name}' takes {takes}, each in its place")
        values = dict(zip(parameters[1:], map(argument, node.args), strict=True))
        calls = (*self.namespace.calls, name)
        return without_docstring(found.body), Namespace(
            text, self.namespace.shared, parameters[0], values, outer_names(method), calls
        )


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements behind a docstring."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body


def _described(node: ast.expr) -> str:
    return _NAMES.get(type(node), "this expression")


_NAMES: Final[dict[type[ast.AST], str]] = {
    ast.Lambda: "a lambda",
    ast.JoinedStr: "a text",
    ast.NamedExpr: "an assignment within an expression",
    ast.Await: "await",
    ast.Starred: "a starred value",
}
_ADVICE: Final[dict[type[ast.AST], str]] = {
    ast.NamedExpr: "assign in a statement of its own",
}
_USES: Final = {
    "wait": "write it as a statement: m.wait(condition)",
    "atomic": "write: with m.atomic():",
    "choose": "assign it: x = m.choose(values)",
    "either": "write: if m.either(condition):",
    "end": "write it as a statement: m.end()",
    "start": "write it as a statement: m.start(self.worker, …)",
    "cancel": "write it as a statement: m.cancel(self.worker, …)",
    "join": "write it as a statement: m.join(self.worker, …)",
}
