"""The elements of a process body, linked as SPIN links them.

A control state of a process is the number of an element. Which elements exist, how they are numbered and which of
them a step passes over decides how many states a model has, so this follows SPIN's construction exactly: a group
`{ … }` is an element of its own, a choice is followed by a join, a loop is preceded by one and followed by an exit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

from everafter.promela.model import (
    Basic,
    Block,
    Break,
    ChoiceStatement,
    Constant,
    Else,
    Goto,
    Group,
    Label,
    Labelled,
    Print,
    Sequence,
    Statement,
    Test,
    Unless,
)
from everafter.promela.units import Proctype
from everafter.record import dataclass, field, replace
from everafter.source import Diagnostic, Place, closest

ElementKind = Literal["basic", "goto", "join", "exit", "choice", "group", "unless", "end"]
SPECIAL_LABELS = ("accept", "end", "progress")


@dataclass(eq=False, slots=True)
class Element:
    """One place of control. The flags say how it lies in atomic and d_step sequences."""

    number: int
    kind: ElementKind
    place: Place
    statement: Basic | None = None
    jump: Label | LoopExit | None = None
    mode: Literal["plain", "atomic", "d_step"] = "plain"
    text: str = ""
    options: list[Chain] = field(default_factory=list)
    escapes: list[Chain] = field(default_factory=list)
    next: Element | None = None
    atomic: bool = False
    ends_atomic: bool = False
    in_d_step: int = 0
    repeats: bool = False


@dataclass(eq=False, slots=True)
class LoopExit:
    """Where a `break` goes: an element that exists only when the loop has been read."""

    element: Element | None = None


@dataclass(eq=False, slots=True)
class Chain:
    """A sequence of elements linked by `next`. `extent` is the last statement of its own, before any join."""

    first: Element | None = None
    last: Element | None = None
    extent: Element | None = None

    def append(self, element: Element) -> None:
        """Link an element behind the last one."""
        if self.last is None:
            self.first = element
        else:
            self.last.next = element
        self.last = element

    def start(self) -> Element:
        """The first element of a chain that is known not to be empty."""
        assert self.first is not None
        return self.first

    def __iter__(self) -> Iterator[Element]:
        element = self.first
        while element is not None:
            yield element
            if element is self.last:
                return
            element = element.next

    def own(self) -> Iterator[Element]:
        """The elements up to the extent: the statements of the sequence itself."""
        element = self.first
        while element is not None:
            yield element
            if element is self.extent:
                return
            element = element.next


@dataclass(slots=True)
class Body:
    """The elements of one process, and where its labels stand."""

    proctype: Proctype
    chain: Chain
    elements: list[Element]
    labels: list[tuple[Label, Element]]
    end: Element
    """The end of the process. Elements of a higher number are no statements of the text."""

    def labelled(self, wanted: Label) -> Element | None:
        """The element a goto reaches: same block first, then an enclosing one, then any."""
        best: Element | None = None
        enclosing = False
        for label, element in reversed(self.labels):
            if label.name != wanted.name:
                continue
            if label.scope == wanted.scope:
                return element
            if wanted.scope[: len(label.scope)] == label.scope:
                best, enclosing = element, True
            elif best is None and not enclosing:
                best = element
        return best

    def named(self, name: str) -> Element | None:
        """The element with a label of that name, for a reference from another process."""
        return next((element for label, element in self.labels if label.name == name), None)


def build_body(proctype: Proctype, remote_labels: set[str], problems: list[Diagnostic]) -> Body:
    """Return the statements of `proctype` linked into elements, with those at `remote_labels` kept visible.

    Mistakes about labels and jumps are added to `problems`.
    """
    builder = _Builder(proctype, problems)
    body = builder.build()
    for name in sorted(remote_labels):
        builder.keep_visible(body, name)
    builder.check_jumps(body)
    return body


_Finish = Callable[[Chain], Element]
"""Appends the elements of a statement whose inner sequences have been built."""


class _Builder:
    def __init__(self, proctype: Proctype, problems: list[Diagnostic]) -> None:
        self.proctype = proctype
        self.problems = problems
        self.elements: list[Element] = []
        self.labels: list[tuple[Label, Element]] = []
        self.known_labels: set[Label] = set()
        self.exits: list[LoopExit] = []
        self.d_steps = 0
        self.d_step = 0

    def complain(self, place: Place, message: str, advice: str | None = None) -> None:
        self.problems.append(Diagnostic(place, message, advice))

    def build(self) -> Body:
        chain = Chain()
        for statement in self.proctype.body:
            self._add(statement, chain)
        end = self._element("end", self.proctype.place)
        chain.append(end)
        chain.extent = end
        return Body(self.proctype, chain, self.elements, self.labels, end)

    def _element(self, kind: ElementKind, place: Place) -> Element:
        element = Element(len(self.elements) + 1, kind, place, in_d_step=self.d_step)
        self.elements.append(element)
        return element

    def _sequence(self, statements: Sequence) -> Chain:
        chain = Chain()
        for statement in statements:
            self._add(statement, chain)
        chain.extent = chain.last
        return chain

    def _add(self, statement: Statement, chain: Chain) -> Element:
        """Append a statement's elements; the one that its label, if any, belongs to is returned."""
        return self._begin(statement)(chain)

    def _begin(self, statement: Statement) -> _Finish:
        """Build the sequences inside a statement. Its own elements come later: those of an escape go before them."""
        match statement:
            case Labelled(label=label, statement=inner, place=place):
                return partial(self._labelled, label, inner, self._begin(inner), place)
            case ChoiceStatement():
                return partial(self._choice, statement, *self._options(statement))
            case Block(body=body):
                return partial(self._spliced, statement, *self._within_exit(body))
            case Unless():
                return partial(self._unless, statement, *self._parts(statement))
            case Group():
                return partial(self._group, statement, self._grouped(statement))
            case _:
                return partial(self._simple, statement)

    def _simple(self, statement: Basic | Goto | Break, chain: Chain) -> Element:
        kind: ElementKind = "goto" if isinstance(statement, Goto | Break) else "basic"
        element = self._element(kind, statement.place)
        match statement:
            case Goto(label=label):
                element.jump = label
            case Break(levels=levels):
                element.jump = self.exits[-levels] if len(self.exits) >= levels else None
            case _:
                element.statement = statement
        chain.append(element)
        return element

    def _labelled(self, label: Label, inner: Statement, finish: _Finish, place: Place, chain: Chain) -> Element:
        goto = isinstance(inner, Goto | Break)
        special = label.name.startswith(SPECIAL_LABELS)
        if goto and special:
            # A process must be able to rest at such a label, and nothing rests at a goto: SPIN puts a skip there.
            jump = finish(Chain())
            skip = self._element("basic", place)
            skip.statement = Test(Constant(1, place), place, "skip")
            chain.append(skip)
            chain.append(jump)
            element = skip
        else:
            element = finish(chain)
        if label in self.known_labels:
            self.complain(place, f"label '{label.name}' is declared again")
        self.known_labels.add(label)
        self.labels.append((label, element))
        return element

    def _grouped(self, group: Group) -> Chain:
        outer = self.d_step
        if group.mode == "d_step":
            self.d_steps += 1
            if outer == 0:
                self.d_step = self.d_steps
        exits, self.exits = self.exits, [] if group.mode == "d_step" else self.exits
        chain = self._sequence(group.body)
        self.exits = exits
        self.d_step = outer
        return chain

    def _group(self, group: Group, body: Chain, chain: Chain) -> Element:
        element = self._element("group", group.place)
        element.mode, element.text = group.mode, group.text
        element.options = [body]
        if group.mode != "plain":
            _make_atomic(body, group.mode == "d_step")
        chain.append(element)
        return element

    def _within_exit(self, statements: Sequence) -> tuple[Chain, LoopExit]:
        """The chain of statements that a break leaves, and where it goes."""
        loop = LoopExit()
        self.exits.append(loop)
        chain = self._sequence(statements)
        self.exits.pop()
        return chain, loop

    def _spliced(self, block: Block, body: Chain, loop: LoopExit, chain: Chain) -> Element:
        """The elements of a block are those of the sequence that it stands in."""
        if chain.last is None:
            chain.first = body.first
        else:
            chain.last.next = body.first
        chain.last = body.last
        loop.element = self._element("exit", block.place)
        chain.append(loop.element)
        return body.start()

    def _options(self, choice: ChoiceStatement) -> tuple[list[Chain], LoopExit]:
        loop = LoopExit()
        if choice.repeats:
            self.exits.append(loop)
        order = -1 if choice.built_backwards else 1
        options = [self._sequence(option) for option in choice.options[::order]][::order]
        if self.proctype.role != "never":
            for option in options:
                self._prune(option)
        if choice.repeats:
            self.exits.pop()
        return options, loop

    def _choice(self, choice: ChoiceStatement, options: list[Chain], loop: LoopExit, chain: Chain) -> Element:
        element = self._element("choice", choice.place)
        join = self._element("join", choice.place)
        element.repeats = choice.repeats
        # `else` is tried last, wherever it is written.
        element.options = sorted(options, key=lambda option: isinstance(option.start().statement, Else))
        for option in element.options:
            option.append(join)
        if choice.repeats:
            chain.append(join)
            loop.element = self._element("exit", choice.place)
            join = loop.element
        chain.append(element)
        chain.append(join)
        return element

    def _prune(self, option: Chain) -> None:
        """SPIN drops a skip that follows another skip or print inside an option."""
        labelled = {id(element) for _, element in self.labels}
        run = 0
        previous: Element | None = None
        element = option.first
        while element is not None:
            if _is_skip(element) and id(element) not in labelled:
                run += 1
                inner = element is not option.first and element is not option.last
                if run > 1 and inner and previous is not None and not isinstance(element.statement, Print):
                    previous.next = element.next
                    element = element.next
                    continue
            else:
                run = 0
            previous = element
            element = element.next

    def _parts(self, unless: Unless) -> tuple[Chain, Chain]:
        """The chains of the main part and of the escape. Behind `{ … }` a part has no elements of its own to add."""
        if self.d_step:
            self.complain(unless.place, "'unless' cannot stand inside a d_step", "put the d_step inside the unless")
        main, finish_main = self._part(unless.main, unless.is_spliced)
        escape, finish_escape = self._part(unless.escape, False)
        finish_escape()
        finish_main()
        return main, escape

    def _part(self, part: Statement, is_spliced: bool) -> tuple[Chain, Callable[[], None]]:
        if isinstance(part, Group) and (is_spliced or part.mode == "plain"):
            body = self._grouped(part)
            if part.mode == "atomic":
                _make_atomic(body, deterministic=False)
            return body, lambda: None
        chain, finish = Chain(), self._begin(part)

        def finished() -> None:
            finish(chain)
            chain.extent = chain.last

        return chain, finished

    def _unless(self, unless: Unless, main: Chain, escape: Chain, chain: Chain) -> Element:
        element = self._element("unless", unless.place)
        join = self._element("join", unless.place)
        element.options = [main, escape]
        main.append(join)
        escape.append(join)
        _attach_all(main, escape)
        chain.append(element)
        chain.append(join)
        return element

    def keep_visible(self, body: Body, name: str) -> None:
        """A goto whose label is watched from outside becomes a skip and the goto, so that one can be at it."""
        element = body.named(name)
        if element is None or element.kind != "goto":
            return
        moved = replace(element, number=len(self.elements) + 1)
        self.elements.append(moved)
        element.kind, element.jump = "basic", None
        element.statement = Test(Constant(1, element.place), element.place, "skip")
        element.next = moved

    def check_jumps(self, body: Body) -> None:
        """Every goto has a label, and none crosses the border of a d_step."""
        names = [label.name for label, _ in body.labels]
        for element in body.elements:
            if not isinstance(element.jump, Label):
                continue
            target = body.labelled(element.jump)
            if target is None:
                name = element.jump.name
                self.complain(element.place, f"unknown label '{name}'", closest(name, names))
            elif target.in_d_step != element.in_d_step:
                self.complain(element.place, "a goto cannot lead into or out of a d_step")


def _is_skip(element: Element) -> bool:
    match element.statement:
        case Print() | Test(condition=Constant(value=1)):
            return True
        case _:
            return False


def _attach_all(main: Chain, escape: Chain) -> None:
    for element in main.own():
        _attach(element, escape)


def _attach(element: Element, escape: Chain) -> None:
    """Let `escape` be tested before every step from this element, and from the escapes it has already."""
    if escape in element.escapes:
        return
    for earlier in element.escapes:
        _attach_all(earlier, escape)
    element.escapes.insert(0, escape)
    if element.kind == "unless":
        _attach_all(element.options[0], escape)
    elif element.kind == "choice":
        for option in element.options:
            _attach_all(option, escape)
    elif element.kind == "group":
        if element.mode == "d_step":
            _attach(element.options[0].start(), escape)
        else:
            _attach_all(element.options[0], escape)


def _make_atomic(chain: Chain, deterministic: bool) -> None:
    """Mark the elements of an atomic sequence; its last one gives the atomicity up."""
    _mark_atomic(chain, deterministic)
    last = chain.last
    while last is not None and last.kind == "group" and last.mode != "d_step":
        last = last.options[0].last
    assert last is not None
    last.atomic = False
    last.ends_atomic = True


def _mark_atomic(chain: Chain, deterministic: bool) -> None:
    for element in chain:
        element.atomic = True
        if element.kind == "group":
            if element.mode == "d_step" and not deterministic:
                continue
            element.mode = "plain"
            _mark_atomic(element.options[0], deterministic)
        else:
            for option in element.options:
                _mark_atomic(option, deterministic)
