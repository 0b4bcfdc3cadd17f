"""From the methods of a class to its processes: those that run at once or are started, those that crash, actions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from functools import partial
from typing import Any, Final

from everafter.model.domains import AnyDomain, ArrayDomain, EnumDomain, IntDomain
from everafter.model.synchronization import ConditionDomain, RLockDomain
from everafter.model.vocabulary import PROCESS, Launch
from everafter.promela.model import (
    Assign,
    Binary,
    Block,
    Break,
    ChoiceStatement,
    Conditional,
    Expression,
    Group,
    Reference,
    Statement,
    Test,
    Unary,
    Variable,
)
from everafter.promela.units import Proctype
from everafter.pymodel.crash_option import restarted, stopped
from everafter.pymodel.expression_reader import PythonExpressions, without_docstring
from everafter.pymodel.namespace import Namespace, Shared, outer_names
from everafter.pymodel.process_frame import CANCELLING, ENDED, NOT_CANCELLED, PythonFrame, endless, undivided
from everafter.pymodel.python_text import PythonProblem, is_async, node_of
from everafter.pymodel.statement_reader import PythonStatements
from everafter.pymodel.storage_shapes import OWNER, Structures, cells, elements, located, part
from everafter.pymodel.typed_values import BOOL, Fixed, Stored, Term, Value, constant, junction, scalar_of
from everafter.source import Diagnostic, OptionError, Place

STEPS, STATEMENTS, ACCESSES, BLOCKS = "STEPS", "statements", "accesses", "blocks"
"""The constant that says what a step is, and its values."""


class ProcessReader:
    """Reads the `processes` of a class; `place` says where each is written.

    What is wrong is added to `problems`, and what their variables need to `structures` and `domains`.
    """

    def __init__(
        self,
        processes: Mapping[str, Callable[..., Any]],
        place: Callable[[str], Place],
        problems: list[Diagnostic],
        structures: Structures,
        domains: list[AnyDomain],
    ) -> None:
        self.processes = processes
        self.place = place
        self.problems = problems
        self.structures = structures
        self.domains = domains
        self.launches: list[Launch] = [getattr(each, PROCESS) for each in processes.values()]
        self.count = sum(each.count for each in self.launches)
        self.names = tuple(
            _called(name, getattr(method, PROCESS), arguments)
            for name, method in processes.items()
            for arguments in getattr(method, PROCESS).arguments or ((),) * getattr(method, PROCESS).count
        )
        self.quiet: Variable | None = None
        self.owners: list[Term] = []
        """The owners of all RLocks: one that crashed is not the process that begins in its place."""
        self.index = 0

    def proctypes(self, shared: Shared, declared: list[Variable]) -> Iterator[Proctype]:
        """Return all processes of a class that says `shared`; a variable that they need is added to `declared`."""
        self.quiet = self._quiet(declared)
        self.owners = [each for value in shared.variables.values() for each in _owners(value)]
        self._refuse_mixtures()
        for name in self.processes:
            yield from self._proctypes(name, shared)
        for name, method in self.processes.items():
            yield from self._cancelling(name, getattr(method, PROCESS), shared)
        if self.quiet is not None:
            yield self._calm(self.quiet)

    def _proctypes(self, name: str, shared: Shared) -> Iterator[Proctype]:
        method = self.processes[name]
        launch: Launch = getattr(method, PROCESS)
        text, node = node_of(method)
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
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
            shown = _called(name, launch, arguments)
            names: dict[str, Value] = {
                each: Fixed(value) for each, value in zip(parameters[1:], arguments, strict=True)
            }
            namespace = Namespace(text, shared, parameters[0], names, outer_names(method))
            yield self._proctype(shown, node, namespace, place, launch, arguments)

    def _refuse_mixtures(self) -> None:
        """Complain of tasks beside threads, and of options that only one of these has."""
        tasks = [name for name, method in self.processes.items() if is_async(method)]
        for name, method in self.processes.items():
            launch: Launch = getattr(method, PROCESS)
            message = ""
            if name in tasks and launch.is_action:
                message, advice = "an action waits for nothing", "def, and not async def"
            elif name in tasks and launch.crashes:
                message, advice = "tasks of one program do not crash one by one", "cancels=1: it is cancelled"
            elif name not in tasks and launch.cancels:
                message, advice = "only tasks are cancelled", f"async def {name}"
            elif tasks and name not in tasks and not launch.is_action:
                message, advice = "a model has tasks of asyncio, or threads", "async def, or actions for the rest"
            if message:
                self.problems.append(Diagnostic(self.place(name), message, advice))

    def cancelled(
        self, declared: list[Variable], named: Collection[str]
    ) -> Iterator[tuple[tuple[str, tuple[Any, ...]], tuple[int, Term]]]:
        """Return what says whether tasks are cancelled, added to `declared`: of those `named`, or cancelled outside."""
        index = 0
        for name, method in self.processes.items():
            launch: Launch = getattr(method, PROCESS)
            for arguments in launch.arguments if launch.arguments is not None else ((),):
                if is_async(method) and (launch.cancels or name in named):
                    place, domain = self.place(name), IntDomain(NOT_CANCELLED, ENDED)
                    first = constant(NOT_CANCELLED, place)
                    shown = f"cancelled {_called(name, launch, arguments)}"
                    declared.append(Variable(shown, scalar_of(domain), None, place, first, is_shown=True))
                    yield (name, arguments), (index, Term(Reference(declared[-1], None, (), place), domain))
                index += 1

    def _cancelling(self, name: str, launch: Launch, shared: Shared) -> Iterator[Proctype]:
        """The processes that cancel tasks from outside, or do so no more."""
        for arguments in launch.arguments if launch.arguments is not None else ((),):
            if launch.cancels and (name, arguments) in shared.cancelled:
                yield self._canceller(f"cancels {_called(name, launch, arguments)}", (name, arguments), launch, shared)

    def _canceller(self, name: str, key: tuple[str, tuple[Any, ...]], launch: Launch, shared: Shared) -> Proctype:
        place = self.place(key[0])
        frame = PythonFrame(name, self.problems, self.structures)
        asked = shared.cancelled[key][1].expression
        count = frame.local(("",), "cancels", IntDomain(0, launch.cancels), place)
        assert isinstance(count, Term)
        assert isinstance(count.expression, Reference)
        assert isinstance(asked, Reference)
        tests: list[Expression] = [
            Binary("==", asked, constant(NOT_CANCELLED, place), place),
            Binary("<", count.expression, constant(launch.cancels, place), place),
        ]
        if key in shared.threads:
            tests.append(Binary("==", shared.threads[key].expression, constant(Thread.ALIVE, place), place))
        more = Binary("+", count.expression, constant(1, place), place)
        asks = (
            Test(junction("&&", tests, True, place).expression, place, name),
            Assign(asked, constant(CANCELLING, place), place, name),
            Assign(count.expression, more, place, name),
        )
        no_more = (Test(constant(True, place), place, f"{name} no more"), Break(place, ""))
        loop = ChoiceStatement(((Group("d_step", asks, place, name),), no_more), True, place)
        return self._made(name, place, tuple(frame.variables.values()), (loop,))

    def _task(self, frame: PythonFrame, steps: list[Statement], thread: Term | None, place: Place) -> list[Statement]:
        """The whole of a task, which is one step from each place where it waits to the next."""
        found = list(steps)
        if frame.cancelled is not None:
            asked = Binary("==", frame.cancelled.expression, constant(CANCELLING, place), place)
            begins = (Test(Unary("!", asked, place), place, f"{frame.name} begins"),)
            never = (Test(asked, place, f"{frame.name} is cancelled before it begins"), Break(place, ""))
            found = [Block((ChoiceStatement((begins, never), False, place), *found), place)]
            assert isinstance(frame.cancelled.expression, Reference)
            found.append(Assign(frame.cancelled.expression, constant(ENDED, place), place, "the end"))
        if thread is not None:
            found = [*_begun(frame, thread, place), *found, *_ended(thread, place)]
        return [undivided(found, place)] if found else []

    def threads(self, declared: list[Variable]) -> Iterator[tuple[tuple[str, tuple[Any, ...]], Term]]:
        """Return the variables that say whether processes run that are started by others, added to `declared`."""
        for name, method in self.processes.items():
            launch: Launch = getattr(method, PROCESS)
            if not launch.is_started:
                self.domains.append(THREADS)
                for arguments in launch.arguments if launch.arguments is not None else ((),):
                    shown = _called(name, launch, arguments)
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
        place = Place(self.place(next(iter(self.processes))).source, 1, 1)
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
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        namespace: Namespace,
        place: Place,
        launch: Launch,
        arguments: tuple[Any, ...],
    ) -> Proctype:
        frame = PythonFrame(name, self.problems, self.structures, index=self.index)
        self.index += 1
        body = without_docstring(node.body)
        frame.is_task = isinstance(node, ast.AsyncFunctionDef)
        kind = self._steps(namespace.shared) if not launch.is_action and not frame.is_task else STATEMENTS
        frame.is_split, frame.is_coarse = kind == ACCESSES, kind == BLOCKS
        if (node.name, arguments) in namespace.shared.cancelled:
            frame.cancelled = namespace.shared.cancelled[node.name, arguments][1]
            frame.blocks.append("task")
        steps = PythonStatements(frame, namespace).whole(body, node)
        if launch.is_action:
            steps = self._action(steps, launch, namespace, arguments, place)
        if frame.is_coarse and launch.crashes:
            self.problems.append(Diagnostic(place, f'no process crashes where {STEPS} = "{BLOCKS}"'))
        elif frame.is_coarse and steps:
            steps = [undivided(steps, place)]
        elif launch.crashes and steps:
            crash = partial(self._crash, frame, launch, place)
            steps = (restarted if launch.restarts else stopped)(steps, crash, place)
        thread = namespace.shared.threads.get((node.name, arguments))
        if frame.is_task:
            steps = self._task(frame, steps, thread, place)
        elif thread is not None:
            steps = [*_begun(frame, thread, place), *steps, *_ended(thread, place)]
        self.domains += frame.domains.values()
        return self._made(name, place, tuple(frame.variables.values()), tuple(steps))

    def _steps(self, shared: Shared) -> str:
        """What a step is: a statement, or an access to the shared state."""
        chosen = shared.constants.get(STEPS, STATEMENTS)
        if chosen not in (STATEMENTS, ACCESSES, BLOCKS):
            message, advice = f"{STEPS} is {chosen!r}", f'"{STATEMENTS}", "{ACCESSES}" or "{BLOCKS}"'
            self.problems.append(Diagnostic(self.place(STEPS), message, advice))
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
        mine, gone = constant(frame.index + 1, place), constant(len(self.names) + 1, place)
        for each in self.owners:
            assert isinstance(each.expression, Reference)
            is_mine = Binary("==", each.expression, mine, place)
            steps.append(Assign(each.expression, Conditional(is_mine, gone, each.expression, place), place, text))
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


def _owners(value: Value) -> Iterator[Term]:
    """What says of RLocks, and of conditions with one of their own, which process has them."""
    match value:
        case Stored(domain=ArrayDomain(element=RLockDomain() | ConditionDomain()), variable=variable):
            for each in elements(value, variable.place):
                yield from _owners(each)
        case Stored(domain=RLockDomain() | ConditionDomain(lock=None), variable=variable):
            owner = part(value, OWNER, variable.place)
            assert isinstance(owner, Term)
            yield owner


def _called(name: str, launch: Launch, arguments: tuple[Any, ...]) -> str:
    """What a process is called: its method, and what it is given."""
    return f"{name}({', '.join(map(_shown, arguments))})" if launch.arguments is not None else name


def _shown(value: object) -> str:
    return value.name if isinstance(value, Enum) else repr(value)
