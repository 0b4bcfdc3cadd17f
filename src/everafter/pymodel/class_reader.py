"""From a class to the tree of a model: its variables, its processes and the properties that it states."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Any, TypeGuard

from everafter.ltl.formula import Formula
from everafter.model.domains import AnyDomain, ArrayDomain, Declared, IntDomain, domain_of, field_names
from everafter.model.synchronization import ChannelDomain, ConditionDomain, RLockDomain
from everafter.model.tasks import AsyncEventDomain, AsyncLockDomain, AsyncQueueDomain
from everafter.model.temporal import Temporal
from everafter.model.vocabulary import PROCESS, PythonModel
from everafter.promela.cursor import MAXIMUM_ERRORS
from everafter.promela.model import (
    ChannelShape,
    Expression,
    Initial,
    Kind,
    Scalar,
    Variable,
)
from everafter.promela.units import NO_NEEDS, ModelTree
from everafter.pymodel.fingerprint import fingerprint
from everafter.pymodel.namespace import Shared
from everafter.pymodel.process_reader import ProcessReader
from everafter.pymodel.property_reader import PropertyReader, read_proposition
from everafter.pymodel.python_text import PythonText, text_of_code
from everafter.pymodel.storage_shapes import (
    MOST_HELD,
    Structures,
    cells_of_domain,
    fixed_cells,
    located,
    message_cells,
    named_parts,
)
from everafter.pymodel.typed_values import (
    TRUTH,
    Stored,
    Term,
    Value,
    constant,
    domain_of_value,
    names_of,
    scalar_of,
)
from everafter.record import dataclass, replace
from everafter.source import Diagnostic, InputError, OptionError, Place

MOST_PROCESSES = 255


@dataclass(frozen=True, eq=False)
class PythonFormula:
    """A property of a class: its name, its formula, what the propositions mean, and where it is written."""

    name: str
    formula: Formula
    expressions: Mapping[str, Expression]
    place: Place


@dataclass(frozen=True, eq=False)
class PythonReading:
    """What was read of a class."""

    tree: ModelTree
    formulas: tuple[PythonFormula, ...]


def read_class(model: type[PythonModel]) -> PythonReading:
    """Return what `model` says. Raises InputError with every mistake in it, and OptionError without its source."""
    return _ClassReader(model).read()


class _ClassReader:
    def __init__(self, model: type[PythonModel]) -> None:
        self.model = model
        self.problems: list[Diagnostic] = []
        members = _members(model)
        functions = {name: each for name, each in members.items() if inspect.isfunction(each)}
        self.processes = {name: each for name, each in functions.items() if hasattr(each, PROCESS)}
        self.methods = {name: each for name, each in functions.items() if not hasattr(each, PROCESS)}
        self.properties = {name: each for name, each in members.items() if isinstance(each, Temporal)}
        self.members = {name: each for name, each in members.items() if name not in functions}
        self.text = self._text()
        named = (each.attr for each in ast.walk(self.text.tree) if isinstance(each, ast.Attribute))
        self.mentioned = frozenset(named)
        """What some variant of the model may use."""
        self.counts_tasks = "task_done" in self.mentioned or any(map(_is_join, ast.walk(self.text.tree)))
        files = {each.__code__.co_filename for each in functions.values()}
        self.may_nest = len(files) > 1 or _may_nest(self.text.tree)
        """Whether a process may take a lock that it has."""
        self.lines = dict(_lines(self.text.tree, model.__name__))
        self.structures = Structures()
        self.domains: list[AnyDomain] = []
        self.reader = ProcessReader(self.processes, self.place, self.problems, self.structures, self.domains)

    def _text(self) -> PythonText:
        for function in (*self.processes.values(), *self.methods.values()):
            if function.__qualname__.startswith(f"{self.model.__qualname__}."):
                return text_of_code(function.__code__, function.__globals__)
        for function in self.processes.values():
            return text_of_code(function.__code__, function.__globals__)
        raise OptionError(f"{self.model.__name__} has no process", "write a method below @m.process")

    def place(self, name: str) -> Place:
        """Where an attribute of the class gets its value."""
        node = self.lines.get(name)
        return self.text.place(node) if node is not None else Place(self.text.source, 1, 1)

    def complain(self, name: str, message: str, advice: str | None = None) -> None:
        self.problems.append(Diagnostic(self.place(name), message, advice))

    def read(self) -> PythonReading:
        variables: dict[str, Value] = {}
        constants: dict[str, Any] = {}
        declared: list[Variable] = []
        for name, value in self.members.items():
            domain = self._domain(name, value)
            if domain is None:
                constants[name] = value
            else:
                domain = self._sized(name, domain)
                variable = self._variable(name, domain, value)
                declared.append(variable)
                variables[name] = located(variable, None, (), domain, variable.place)
        threads = dict(self.reader.threads(declared))
        unfinished = dict(self._unfinished(variables, declared))
        cancelled = dict(self.reader.cancelled(declared, frozenset(_cancelled_names(self.text.tree))))
        shared = Shared(variables, constants, self.methods, threads, unfinished, cancelled)
        proctypes = tuple(self.reader.proctypes(shared, declared))
        formulas = tuple(self._formulas(shared))
        if not proctypes and not self.problems:
            raise OptionError(f"{self.model.__name__} has no process", "instances of @m.process is more than 0")
        if self.problems:
            raise InputError(_distinct(self.problems)[:MAXIMUM_ERRORS])
        outer = vars(sys.modules[self.model.__module__]) if self.model.__module__ in sys.modules else {}
        tree = ModelTree(
            source=self.text.source,
            mtypes=MappingProxyType(self._names()),
            structs=self.structures.by_name(),
            variables=tuple(declared),
            proctypes=proctypes,
            formulas=(),
            macros=MappingProxyType({}),
            needs=NO_NEEDS,
            digest=fingerprint((tuple(declared), proctypes)),
            reader=partial(read_proposition, shared, {**outer, **self.enums}),
        )
        return PythonReading(tree, formulas)

    # Variables

    def _domain(self, name: str, value: object) -> AnyDomain | None:
        """The domain of a variable; None of what never changes: a number without a range, or a name in capitals."""
        if isinstance(value, Declared):
            return value.domain
        annotation = self._annotation(name)
        if annotation is not None and not (name.isupper() or annotation is int):
            try:
                return domain_of(annotation)
            except OptionError as error:
                self.complain(name, error.message, error.advice)
        is_record = not isinstance(value, type | Temporal) and field_names(type(value)) is not None
        if (isinstance(value, bool | Enum) or is_record) and not name.isupper():
            try:
                return domain_of_value(value)
            except OptionError as error:
                self.complain(name, error.message, error.advice)
        return None

    def _sized(self, name: str, domain: AnyDomain) -> AnyDomain:
        """The domain, of conditions with room for all processes that may sleep."""
        if isinstance(domain, ConditionDomain | RLockDomain):
            domain = replace(domain, processes=self.reader.names or ("",), is_nested=self.may_nest)
        if isinstance(domain, ConditionDomain):
            return replace(domain, lock=self._lock_of(name, domain.lock))
        if isinstance(domain, AsyncLockDomain | AsyncEventDomain | AsyncQueueDomain):
            return replace(domain, tasks=max(1, self.reader.count))
        if isinstance(domain, ArrayDomain):
            return replace(domain, element=self._sized(name, domain.element))
        return domain

    def _lock_of(self, name: str, lock: object) -> str | None:
        """The name of the variable that is the lock of the condition called `name`; None if it has its own."""
        if lock is None:
            return None
        found = next((each for each, value in self.members.items() if value is lock), None)
        if found is None:
            self.complain(name, "the lock of this condition is no variable of the model", "lock = m.Lock(), before it")
        return found

    def _unfinished(self, variables: Mapping[str, Value], declared: list[Variable]) -> Iterator[tuple[str, Any]]:
        """Variables that count the tasks of queues, where the model asks for them, added to `declared`."""
        for name, value in variables.items():
            domain = value.domain if isinstance(value, Term | Stored) else None
            inner = domain.element if isinstance(domain, ArrayDomain) else domain
            if isinstance(inner, ChannelDomain) and inner.is_queue and self.counts_tasks:
                one, place = IntDomain(0, MOST_HELD), self.place(name)
                counts = ArrayDomain(one, domain.length) if isinstance(domain, ArrayDomain) else one
                kind, length = self.structures.shape(counts, place)
                declared.append(
                    Variable(f"unfinished tasks of {name}", kind, length, place, constant(0, place), is_shown=True)
                )
                yield name, located(declared[-1], None, (), counts, place)

    def _annotation(self, name: str) -> object:
        for kind in self.model.__mro__:
            if name in (found := inspect.get_annotations(kind)):
                written = found[name]
                if isinstance(written, str):
                    names = vars(sys.modules[kind.__module__]) if kind.__module__ in sys.modules else {}
                    try:
                        return eval(written, dict(names), dict(vars(kind)))
                    except Exception:
                        return None
                return written
        return None

    def _variable(self, name: str, domain: AnyDomain, value: object) -> Variable:
        initial = value.initial if isinstance(value, Declared) else value
        place = self.place(name)
        kind, length = self.structures.shape(domain, place)
        self.domains += [domain]
        first = fixed_cells(initial, domain, place)
        if first is None:
            self.complain(name, f"{initial!r} is no value of {domain}", "the initial value is one of its values")
            first = [Term(constant(0, place), each) for each in cells_of_domain(domain)]
        given: Initial = tuple(each.expression for each in first)
        if isinstance(kind, Scalar) and kind.kind is Kind.CHAN:
            given = self._shape(domain, place)
        elif length is None and isinstance(kind, Scalar):
            given = first[0].expression
        return Variable(name, kind, length, place, given, is_shown=name in self.mentioned)

    def _shape(self, domain: AnyDomain, place: Place) -> ChannelShape:
        """What channels of `domain`, or of its elements, hold."""
        inner = domain.element if isinstance(domain, ArrayDomain) else domain
        assert isinstance(inner, ChannelDomain)
        fields = tuple(scalar_of(each) for each in cells_of_domain(inner.message))
        return ChannelShape(inner.capacity, fields, place)

    @property
    def enums(self) -> dict[str, Any]:
        """The Enums and records that the variables of the model have, by name."""
        found: dict[str, Any] = {}
        for name, value in self.members.items():
            domain = self._domain(name, value)
            for each in named_parts(domain) if domain is not None else ():
                found[each.__name__] = each
        return found

    def _names(self) -> dict[str, Mapping[str, int]]:
        """The names of values: of truth values, and of the members of the Enums that variables have."""
        names: dict[str, Mapping[str, int]] = {TRUTH: MappingProxyType({"False": 0, "True": 1})}
        for domain in self.domains:
            for cell in message_cells(domain):
                kind = scalar_of(cell)
                if kind.mtype is not None:
                    names[kind.mtype] = MappingProxyType(dict(names_of(cell)))
        return names

    # Properties

    def _formulas(self, shared: Shared) -> Iterator[PythonFormula]:
        for name, stated in self.properties.items():
            reader = PropertyReader(shared, self.place(name), {**self.enums})
            try:
                formula = reader.formula(stated)
            except InputError as error:
                self.problems += error.diagnostics
                continue
            yield PythonFormula(name, formula, reader.expressions, self.place(name))


def _members(model: type[PythonModel]) -> dict[str, Any]:
    """The attributes of a class and those that it inherits, in the order in which they are written."""
    found: dict[str, Any] = {}
    for kind in reversed(model.__mro__):
        if kind not in (object, PythonModel):
            for name, value in vars(kind).items():
                if not (name.startswith("__") and name.endswith("__")):
                    found[name] = value
    return found


def _lines(tree: ast.Module, name: str) -> Iterator[tuple[str, ast.stmt]]:
    """The statements in the body of the class of that name, by what they give a value to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == name:
            for each in node.body:
                match each:
                    case ast.Assign(targets=targets):
                        yield from (
                            (part.id, each)
                            for target in targets
                            for part in ast.walk(target)
                            if isinstance(part, ast.Name)
                        )
                    case ast.AnnAssign(target=ast.Name(id=target_name)):
                        yield target_name, each
                    case ast.FunctionDef(name=function) | ast.AsyncFunctionDef(name=function):
                        yield function, each


def _may_nest(tree: ast.Module) -> bool:
    """Whether a process may take a lock that it has: not if locks are taken by `with` alone, none inside another."""
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and not each.decorator_list]
    taking = {each.name for each in functions if any(isinstance(part, ast.With) for part in ast.walk(each))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "acquire":
            return True
        if isinstance(node, ast.With):
            inside = [part for each in node.body for part in ast.walk(each)]
            called = {part.func.attr for part in inside if isinstance(part, ast.Call) and _is_method(part.func)}
            if len(node.items) > 1 or any(isinstance(part, ast.With) for part in inside) or (taking and called):
                return True
    return False


def _is_method(node: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether a call of this may be one of a method of the model."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


def _is_join(node: ast.AST) -> bool:
    """Whether this may name the method `join` of a queue."""
    return isinstance(node, ast.Attribute) and node.attr == "join" and not isinstance(node.value, ast.Name)


def _cancelled_names(tree: ast.Module) -> Iterator[str]:
    """The methods that some statement may cancel: those passed to what is called `cancel`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="cancel") | ast.Name(id="cancel"), args=[ast.Attribute(attr=name), *_]
            ):
                yield name


def _distinct(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Each mistake once: loops and processes are written out."""
    return list({(str(each.place), each.message): each for each in problems}.values())
