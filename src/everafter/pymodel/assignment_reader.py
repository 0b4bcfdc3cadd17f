"""Assignments: which variable is meant, which values it may have, and that what is stored is one of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final

from everafter.model import choose
from everafter.model.containers import DictDomain, ListDomain
from everafter.model.domains import AnyDomain, ArrayDomain, Domain, IntDomain, Mutable, domain_of, first_value
from everafter.model.synchronization import EmptyDomain
from everafter.promela.model import (
    Assign,
    ChoiceStatement,
    Constant,
    Expression,
    Group,
    Kind,
    Reference,
    Scalar,
    Statement,
    Test,
    Variable,
    Within,
)
from everafter.pymodel.container_items import Items
from everafter.pymodel.container_values import entry
from everafter.pymodel.expression_reader import PythonExpressions
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.process_frame import PythonFrame
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import cells, cells_of_domain, compound, side_by_side
from everafter.pymodel.typed_values import (
    Compound,
    Fixed,
    Gathered,
    Stored,
    Term,
    Value,
    ValueTuple,
    constant,
    domain_of_value,
)
from everafter.source import Place, Source

After = Namespace | None
"""What names mean behind a statement; None if control does not come there."""
Pairs = list[tuple[Reference, Expression]]


class AssignmentReader:
    """Reads the assignments of one method, for one process."""

    def __init__(self, frame: PythonFrame, namespace: Namespace) -> None:
        self.frame = frame
        self.namespace = namespace
        self.expressions = PythonExpressions(namespace)

    def place(self, node: ast.AST) -> Place:
        """Where `node` is written."""
        return self.namespace.text.place(node)

    def written(self, node: ast.AST) -> str:
        """The text of `node`."""
        return self.namespace.text.written(node)

    def is_call(self, node: ast.AST, function: Callable[..., Any]) -> bool:
        """Whether `node` calls this `function` of the vocabulary."""
        call = node.value if isinstance(node, ast.Expr) else node
        return isinstance(call, ast.Call) and self.namespace.meaning(call.func) is function

    def skip(self, node: ast.AST) -> Statement:
        """Return the step of `node` that changes nothing."""
        return Test(Constant(1, self.place(node)), self.place(node), "pass")

    def expression(self, node: ast.expr) -> Expression:
        """Whether `node` is true."""
        return self.truth(self.expressions.condition(node), node)

    def truth(self, value: Value, node: ast.AST) -> Expression:
        """Whether `value`, which `node` is, is true."""
        return value.expression if isinstance(value, Term) else constant(bool(known_value(value)), self.place(node))

    def assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> tuple[list[Statement], After]:
        """Return the step of the assignment `node`, and what names mean behind it."""
        match node:
            case ast.AugAssign(target=target, op=operator, value=value):
                loaded = ast.parse(ast.unparse(target), mode="eval").body
                for part in ast.walk(loaded):
                    ast.copy_location(part, target)
                both = ast.copy_location(ast.BinOp(loaded, operator, value), node)
                return self.stored([target], both, node)
            case ast.AnnAssign(target=ast.Name(id=name) as target, value=value) if value is not None:
                domain = domain_of(known_value(self.expressions.value(node.annotation)))
                if domain is not None and not self.frame.is_known(self.namespace.calls, name):
                    self.frame.local(self.namespace.calls, name, domain, self.place(target))
                return self.stored([target], value, node)
            case ast.Assign(targets=targets, value=value):
                return self.stored(targets, value, node)
            case _:
                raise PythonProblem(node, "a variable of a process begins with a value", "n = m.Int[0, 3](0)")

    def stored(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> tuple[list[Statement], After]:
        """Return the step of `node` that stores `value` in the `targets`, and what names mean behind it."""
        if self.is_call(value, choose):
            return self._chosen(targets, value, node)
        declared = self._declaration(value)
        if declared is not None:
            written, (domain, value) = value, declared
            if isinstance(domain, EmptyDomain):
                raise PythonProblem(written, f"{domain} is shared by processes", "make it a variable of the model")
            for name in (each.id for each in targets if isinstance(each, ast.Name)):
                self._declare(name, domain, value)
        is_empty = declared is not None and isinstance(value, ast.Constant) and isinstance(declared[0], Mutable)
        found = Fixed(first_value(declared[0])) if is_empty and declared else self.expressions.value(value)
        names: dict[str, Value] = {}
        pairs = [pair for target in targets for pair in self.pairs(target, found, value, names)]
        if not pairs:
            raise PythonProblem(node, "nothing is assigned here")
        step = self.frame.together(pairs, self.place(node), self.written(node))
        return [step], self.namespace.binding(names)

    def _declaration(self, node: ast.expr) -> tuple[AnyDomain, ast.expr] | None:
        """The domain and the first value of `m.Int[0, 3](value)`."""
        if not isinstance(node, ast.Call):
            return None
        written = isinstance(node.func, ast.Subscript)
        known = known_value(self.namespace.known(node.func)) if written else self.namespace.meaning(node.func)
        if not isinstance(known, Domain):
            return None
        if isinstance(known, Mutable) and not node.args and not node.keywords:
            return known, ast.copy_location(ast.Constant(None), node)
        return known, only_argument(node, "initial")

    def _declare(self, name: str, domain: AnyDomain, node: ast.expr) -> None:
        calls = self.namespace.calls
        if not self.frame.is_known(calls, name):
            self.frame.local(calls, name, domain, self.place(node))
        elif self.frame.domains[*calls, name] != domain:
            raise PythonProblem(node, f"'{name}' is {self.frame.domains[*calls, name]} already")

    def pairs(self, target: ast.expr, value: Value, node: ast.expr, names: dict[str, Value]) -> Iterator[Any]:
        """The targets and what each gets; names that are given a value here are added to `names`.

        `target` gets `value`, which `node` is.
        """
        if isinstance(target, ast.Tuple | ast.List):
            values = self._several(value, len(target.elts), target)
            inner = node.elts if isinstance(node, ast.Tuple | ast.List) else [node] * len(values)
            for part, each, at in zip(target.elts, values, inner, strict=True):
                yield from self.pairs(part, each, at, names)
            return
        where, domain = self.target(target, value, node, names)
        if isinstance(domain, ArrayDomain):
            value = self._row(value, domain, target)
        found = self.expressions.fitted(value, domain, node, self.written(target))
        places = [each.expression for each in cells(where, self.place(target))]
        if len(places) > len(found):
            found = [constant(True, self.place(target)), *found]  # an entry of a dict, which is there now
        yield from zip(places, found, strict=True)

    def _row(self, value: Value, domain: ArrayDomain[Any], node: ast.expr) -> Value:
        """What an array gets: its elements, or one value for all."""
        if isinstance(value, Fixed):
            if isinstance(value.value, list | tuple | range):
                return ValueTuple(tuple(map(Fixed, value.value)))
            return ValueTuple((value,) * domain.length)
        return value

    def _several(self, value: Value, length: int, node: ast.expr) -> list[Value]:
        values: list[Value] | None = None
        match value:
            case Fixed(value=list() | tuple() | range() as known):
                values = [Fixed(each) for each in known]
            case ValueTuple(values=found):
                values = list(found)
            case Stored() | Compound():
                beside = side_by_side(value)
                values = list(beside) if beside is not None else None
        if values is None or len(values) != length:
            raise PythonProblem(node, f"this takes {length} values", "write as many on the right")
        return values

    def target(
        self, target: ast.expr, value: Value, node: ast.expr, names: dict[str, Value]
    ) -> tuple[Term | Stored, Domain[Any]]:
        """Return what `target` names, which gets `value`, which `node` is, and the domain of what can be stored there.

        A name that is given a value here is added to `names`.
        """
        match target:
            case ast.Name(id=name):
                found = self._local(target, name, value, node)
                names[name] = found
                return found, found.domain
            case ast.Attribute():
                own = self.namespace.attribute(target)
                if own is None:
                    advice = f"make another record: {self.written(target.value)}._replace({target.attr}=…)"
                    raise PythonProblem(target, "a field of a record cannot be assigned to", advice)
                if own in self.namespace.shared.constants:
                    raise PythonProblem(target, f"'{own}' is a constant of the model", _variable_instead(own, self))
                variable = self.expressions.value(target)
                if isinstance(variable, Term | Stored) and not isinstance(variable.domain, EmptyDomain):
                    return variable, variable.domain
            case ast.Subscript():
                return self._element(target)
        raise PythonProblem(target, "this cannot be assigned to", "a variable, or an element of an array, can")

    def _element(self, target: ast.Subscript) -> tuple[Term | Stored, Domain[Any]]:
        held = self.expressions.plain(self.expressions.value(target.value), target.value)
        if isinstance(held, Stored) and isinstance(held.domain, DictDomain):
            return entry(self.expressions, held, target.slice, held.domain.key), held.domain.element
        if isinstance(held, Stored) and isinstance(held.domain, ArrayDomain | ListDomain):
            found = self.expressions.value(target)
            if isinstance(found, Term | Stored) and not isinstance(found.domain, EmptyDomain):
                return found, found.domain
        raise PythonProblem(target, "this cannot be assigned to", "a variable, or an element of an array, can")

    def _local(self, target: ast.Name, name: str, value: Value, node: ast.expr) -> Term | Stored:
        """The variable of the process that a name is, made where it gets its first value."""
        calls, place = self.namespace.calls, self.place(target)
        if isinstance(self.namespace.names.get(name), Fixed):
            raise PythonProblem(target, f"'{name}' is known before the run and stays what it is", "use another name")
        if not self.frame.is_known(calls, name):
            return self.frame.local(calls, name, self._first(target, name, value, node), place)
        return self.frame.known(calls, name, place)

    def _first(self, target: ast.Name, name: str, value: Value, node: ast.expr) -> AnyDomain:
        """The domain of a variable that begins with a value: a number must say its range if it is to change."""
        if isinstance(value, Stored | Compound):
            return value.domain
        known = domain_of_value(value.value) if isinstance(value, Fixed) else None
        if known is not None and (not isinstance(known, IntDomain) or name in self.namespace.once):
            return known
        if isinstance(value, Gathered | ValueTuple) or (isinstance(value, Fixed) and isinstance(value.value, list)):
            advice = f"{name} = m.List[m.Int[0, 9], 4]({self.written(node)})"
            raise PythonProblem(target, f"how large '{name}' may become is not known", advice)
        found = self.expressions.as_term(value, node)
        if isinstance(found.domain, IntDomain) and not _is_copy(found.expression) and name not in self.namespace.once:
            raise PythonProblem(
                target, f"the range of '{name}' is not known", f"{name} = m.Int[0, 9]({self.written(node)})"
            )
        return found.domain

    def turn(self, target: ast.expr, value: Value, node: ast.expr, names: dict[str, Value]) -> Iterator[Any]:
        """What one turn of a loop over `node` stores for its `target`, which is `value`; names are added to `names`."""
        if isinstance(target, ast.Tuple | ast.List):
            for part, each in zip(target.elts, self._several(value, len(target.elts), target), strict=True):
                yield from self.turn(part, each, node, names)
        elif not isinstance(target, ast.Name):
            raise PythonProblem(target, "only names can be bound here")
        elif isinstance(value, Fixed) or (isinstance(value, Stored) and isinstance(value.domain, Mutable)):
            names[target.id] = value
        else:
            yield from self.pairs(target, value, node, names)

    def _chosen(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> tuple[list[Statement], After]:
        """`x = m.choose(values)`: an option for each value."""
        assert isinstance(value, ast.Call)
        items: Items = self.expressions.items(only_argument(value, "values"))
        if len(targets) != 1 or isinstance(targets[0], ast.Tuple | ast.List):
            raise PythonProblem(node, "one variable gets what is chosen")
        if not items.each:
            raise PythonProblem(value, "there is nothing to choose from", "m.choose([0, 1]) has two values")
        place, names = self.place(node), dict[str, Value]()
        domain = self._widest([each for _, each in items.each], value)
        self.target(targets[0], any_of(domain, place), value, names)
        options: list[tuple[Statement, ...]] = []
        for guard, each in items.each:
            stored = list(self.pairs(targets[0], each, value, names))
            text = f"{self.written(node)}: {_shown(each)}"
            steps: list[Statement] = [Assign(to, what, place, text) for to, what in stored]
            if guard is not None:
                steps = [Test(guard, place, text), *steps]
            options.append((steps[0] if len(steps) == 1 else Group("d_step", tuple(steps), place, text),))
        return [ChoiceStatement(tuple(options), False, place)], self.namespace.binding(names)

    def _widest(self, values: list[Value], node: ast.expr) -> Domain[Any]:
        """The least domain that has all these."""
        domain = self.expressions.common(values[0], values[0], node)
        for each in values[1:]:
            more = self.expressions.common(any_of(domain, self.place(node)), each, node)
            domain = more
        return domain


def _is_copy(expression: Expression) -> bool:
    """Whether an expression is what a variable has, where that is not None."""
    return isinstance(expression.operand if isinstance(expression, Within) else expression, Reference)


def any_of(domain: Domain[Any], place: Place) -> Term | Compound:
    """Return some value of `domain`, as one at `place`."""
    found = [Term(Reference(_NOWHERE, None, (), place), each) for each in cells_of_domain(domain)]
    return compound(domain, found)


_NOWHERE: Final = Variable("", Scalar(Kind.INT), None, Place(Source("", ""), 1, 1))
"""The variable that stands for any value of a domain."""


def known_value(value: Value | None) -> Any:
    """What is known of `value` before the run; None of others."""
    return value.value if isinstance(value, Fixed) else None


def only_argument(call: ast.Call, name: str) -> ast.expr:
    """The only argument of `call`, of the function `name`."""
    if len(call.args) == 1 and not call.keywords:
        return call.args[0]
    if not call.args and len(call.keywords) == 1 and call.keywords[0].arg == name:
        return call.keywords[0].value
    raise PythonProblem(call, f"one value is passed here: the {name}", f"write it once: ({name})")


def _shown(value: Value) -> str:
    """A chosen value in a few words."""
    if isinstance(value, Fixed):
        return str(value.value)
    return "a value of the state"


def _variable_instead(name: str, reader: AssignmentReader) -> str:
    value = reader.namespace.shared.constants[name]
    domain = "bool" if isinstance(value, bool) else "m.Int[0, 9]"
    return f"a variable is written in small letters and says its values: {name.lower()} = {domain}({value!r})"
