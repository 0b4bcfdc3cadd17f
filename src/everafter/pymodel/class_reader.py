"""From a class to the tree of a model: its variables, its processes and the properties that it states."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from everafter.ltl.formula import Formula
from everafter.model.domains import AnyDomain, ArrayDomain, Declared, EnumDomain, IntDomain, domain_of, field_names
from everafter.model.synchronization import ChannelDomain, ConditionDomain
from everafter.model.temporal import Temporal
from everafter.model.vocabulary import PROCESS, Launch, PythonModel
from everafter.promela.cursor import MAXIMUM_ERRORS
from everafter.promela.model import (
    Assign,
    Binary,
    Break,
    ChannelShape,
    Expression,
    Group,
    Initial,
    Kind,
    Reference,
    Scalar,
    Statement,
    Test,
    Unary,
    Variable,
)
from everafter.promela.units import NO_NEEDS, ModelTree, Proctype
from everafter.pymodel.crash_option import restarted, stopped
from everafter.pymodel.expression_reader import PythonExpressions, without_docstring
from everafter.pymodel.fingerprint import fingerprint
from everafter.pymodel.namespace import Namespace, Shared, outer_names
from everafter.pymodel.process_frame import PythonFrame, endless, undivided
from everafter.pymodel.property_reader import PropertyReader, read_proposition
from everafter.pymodel.python_text import PythonProblem, PythonText, node_of, text_of_code
from everafter.pymodel.statement_reader import PythonStatements
from everafter.pymodel.storage_shapes import (
    Structures,
    cells,
    cells_of_domain,
    fixed_cells,
    located,
    message_cells,
    named_parts,
)
from everafter.pymodel.typed_values import (
    BOOL,
    TRUTH,
    Fixed,
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
STEPS, STATEMENTS, ACCESSES = "STEPS", "statements", "accesses"
"""The constant that says what a step is, and its values."""


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
        self.lines = dict(_lines(self.text.tree, model.__name__))
        self.structures = Structures()
        self.domains: list[AnyDomain] = []
        launches: list[Launch] = [getattr(each, PROCESS) for each in self.processes.values()]
        self.launches = launches
        self.count = sum(each.count for each in launches)
        self.quiet: Variable | None = None
        self.index = 0

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
                domain = self._sized(domain)
                variable = self._variable(name, domain, value)
                declared.append(variable)
                variables[name] = located(variable, None, (), domain, variable.place)
        threads = dict(self._threads(declared))
        shared = Shared(variables, constants, self.methods, threads)
        self.quiet = self._quiet(declared)
        proctypes = tuple(proctype for name in self.processes for proctype in self._proctypes(name, shared))
        if self.quiet is not None:
            proctypes = (*proctypes, self._calm(self.quiet))
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

    def _sized(self, domain: AnyDomain) -> AnyDomain:
        """The domain, of conditions with room for all processes that may sleep."""
        if isinstance(domain, ConditionDomain):
            return replace(domain, sleepers=max(1, self.count))
        if isinstance(domain, ArrayDomain):
            return replace(domain, element=self._sized(domain.element))
        return domain

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

    # Processes

    def _proctypes(self, name: str, shared: Shared) -> Iterator[Proctype]:
        method = self.processes[name]
        launch: Launch = getattr(method, PROCESS)
        text, node = node_of(method)
        assert isinstance(node, ast.FunctionDef)
        parameters = [each.arg for each in node.args.args]
        place = text.place(node)
        if node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults:
            self.problems.append(Diagnostic(place, f"'{name}' has parameters that are not plain names"))
            return
        given = launch.arguments if launch.arguments is not None else ((),)
        for arguments in given:
            if len(arguments) != len(parameters) - 1:
                takes = f"{len(parameters) - 1} besides self" if parameters else "not even self"
                message = f"'{name}' is given {len(arguments)} values, and takes {takes}"
                self.problems.append(Diagnostic(place, message, f"def {name}(self{', me' * len(arguments)}): …"))
                return
            shown = f"{name}({', '.join(map(_shown, arguments))})" if launch.arguments is not None else name
            names: dict[str, Value] = {
                each: Fixed(value) for each, value in zip(parameters[1:], arguments, strict=True)
            }
            namespace = Namespace(text, shared, parameters[0], names, outer_names(method))
            yield self._proctype(shown, node, namespace, place, launch, arguments)

    def _threads(self, declared: list[Variable]) -> Iterator[tuple[tuple[str, tuple[Any, ...]], Term]]:
        """The variables that say whether processes run that are started by others."""
        for name, method in self.processes.items():
            launch: Launch = getattr(method, PROCESS)
            if not launch.is_started:
                self.domains.append(THREADS)
                for arguments in launch.arguments if launch.arguments is not None else ((),):
                    shown = f"{name}({', '.join(map(_shown, arguments))})" if launch.arguments is not None else name
                    place = self.place(name)
                    first = constant(Thread.NEW, place)
                    declared.append(Variable(shown, scalar_of(THREADS), None, place, first, is_shown=True))
                    yield (name, arguments), Term(Reference(declared[-1], None, (), place), THREADS)

    def _quiet(self, declared: list[Variable]) -> Variable | None:
        """The variable that says that nothing crashes any more, where something may crash.

        Fairness would have a process that waits crash at last; so that it may wait for ever, crashes come to an end.
        """
        if not any(each.crashes and each.count for each in self.launches):
            return None
        place = Place(self.text.source, 1, 1)
        declared.append(
            Variable("no more crashes", scalar_of(BOOL), None, place, constant(False, place), is_shown=True)
        )
        return declared[-1]

    def _calm(self, quiet: Variable) -> Proctype:
        """The process that ends all crashes."""
        reference = Reference(quiet, None, (), quiet.place)
        steps = (Assign(reference, constant(True, quiet.place), quiet.place, "nothing crashes any more"),)
        return self._made("calm", quiet.place, (), steps)

    def _proctype(
        self,
        name: str,
        node: ast.FunctionDef,
        namespace: Namespace,
        place: Place,
        launch: Launch,
        arguments: tuple[Any, ...],
    ) -> Proctype:
        frame = PythonFrame(name, self.problems, self.structures, index=self.index)
        self.index += 1
        body = without_docstring(node.body)
        frame.is_split = self._steps(namespace.shared) == ACCESSES and not launch.is_action
        steps = PythonStatements(frame, namespace).whole(body, node)
        if launch.is_action:
            steps = self._action(steps, launch, namespace, arguments, place)
        if launch.crashes and steps:
            crash = partial(self._crash, frame, launch, place)
            steps = (restarted if launch.restarts else stopped)(steps, crash, place)
        thread = namespace.shared.threads.get((node.name, arguments))
        if thread is not None:
            steps = [*_begun(frame, thread, place), *steps, *_ended(thread, place)]
        self.domains += frame.domains.values()
        return self._made(name, place, tuple(frame.variables.values()), tuple(steps))

    def _steps(self, shared: Shared) -> str:
        """What a step is: a statement, or an access to the shared state."""
        chosen = shared.constants.get(STEPS, STATEMENTS)
        if chosen not in (STATEMENTS, ACCESSES):
            self.complain(STEPS, f"{STEPS} is {chosen!r}", f'"{STATEMENTS}" or "{ACCESSES}"')
        return str(chosen)

    def _action(
        self,
        steps: list[Statement],
        launch: Launch,
        namespace: Namespace,
        arguments: tuple[Any, ...],
        place: Place,
    ) -> list[Statement]:
        """An action again and again, each time as a whole, when its condition is true."""
        guard, text = constant(True, place), "when True"
        if launch.when is not None:
            try:
                found, node = node_of(launch.when)
                parameters = [each.arg for each in node.args.args]
                if not isinstance(node, ast.Lambda) or len(parameters) != 1 + len(arguments):
                    raise PythonProblem(node, f"`when` takes {1 + len(arguments)} values", "lambda self, …: condition")
                given: dict[str, Value] = dict(zip(parameters[1:], map(Fixed, arguments), strict=True))
                inner = Namespace(found, namespace.shared, parameters[0], given, outer_names(launch.when))
                value = PythonExpressions(inner).condition(node.body)
                text = f"when {found.written(node.body)}"
                guard = value.expression if isinstance(value, Term) else constant(bool(value.value), place)  # type: ignore[union-attr, assignment]
            except PythonProblem as problem:
                self.problems.append(found.diagnostic(problem))
            except OptionError as error:
                self.problems.append(Diagnostic(place, error.message, error.advice))
        return [endless([undivided([Test(guard, place, text), *steps], place)], place)]

    def _crash(self, frame: PythonFrame, launch: Launch, place: Place, levels: int) -> tuple[Statement, ...]:
        """The option to crash: the variables of the process are gone, and loops are left, as many as `levels`."""
        assert self.quiet is not None
        count = frame.local(("",), "crashes", IntDomain(0, launch.crashes), place)
        assert isinstance(count, Term)
        assert isinstance(count.expression, Reference)
        least = Binary("<", count.expression, constant(launch.crashes, place), place)
        calm = Unary("!", Reference(self.quiet, None, (), place), place)
        more = Binary("+", count.expression, constant(1, place), place)
        text = f"{frame.name} crashes"
        steps: list[Statement] = [Test(Binary("&&", calm, least, place), place, text)]
        steps.append(Assign(count.expression, more, place, text))
        for key, variable in frame.variables.items():
            if variable is not count.expression.variable:
                held = located(variable, None, (), frame.domains[key], place) if key in frame.domains else None
                for each in cells(held, place) if held is not None else ():
                    assert isinstance(each.expression, Reference)
                    steps.append(Assign(each.expression, constant(0, place), place, text))
        return Group("d_step", tuple(steps), place, text), Break(place, "", levels)

    def _made(self, name: str, place: Place, variables: tuple[Variable, ...], body: tuple[Statement, ...]) -> Proctype:
        return Proctype(
            name=name,
            role="process",
            place=place,
            parameters=(),
            variables=variables,
            body=body,
            instances=1,
            priority=1,
            provided=None,
            deterministic=False,
            exclusive=(),
            is_sole=True,
        )

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
                    case ast.FunctionDef(name=function):
                        yield function, each


class Thread(Enum):
    """What is with a process that is started by another."""

    NEW, ALIVE, ENDED = range(3)


THREADS: Final = EnumDomain(Thread)


def _begun(frame: PythonFrame, thread: Term, place: Place) -> tuple[Statement, ...]:
    """The step with which a process begins that is started by another; it may never come."""
    alive = Binary("==", thread.expression, constant(Thread.ALIVE, place), place)
    return (frame.labelled(Test(alive, place, f"{frame.name} begins"), place),)


def _ended(thread: Term, place: Place) -> tuple[Statement, ...]:
    assert isinstance(thread.expression, Reference)
    return (Assign(thread.expression, constant(Thread.ENDED, place), place, "the end"),)


def _shown(value: object) -> str:
    return value.name if isinstance(value, Enum) else repr(value)


def _distinct(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Each mistake once: loops and processes are written out."""
    return list({(str(each.place), each.message): each for each in problems}.values())
