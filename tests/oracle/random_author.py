"""An author of random Promela: one small method for each syntactic category.

Every program is bounded by construction: a value is reduced modulo a small number, or wraps around within its type
in a few steps, before it is stored; a process is created only while few are alive; channels are short.
Each statement stands on lines of its own, indented by its depth, which the shrinker relies upon.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

INDENT = "    "
MESSAGES = ("red", "green", "blue")


@dataclass(frozen=True, slots=True)
class Features:
    """How often each feature appears, as weights against each other; 0 switches a feature off.

    The fields of the first group weigh statements. The second group holds probabilities between 0 and 1.
    """

    assignment: float = 9
    guard: float = 1.5
    send: float = 3
    receive: float = 2.5
    choice: float = 3
    loop: float = 3
    atomic: float = 3
    d_step: float = 2.5
    unless: float = 2
    jump: float = 1.5
    for_loop: float = 0.7
    select: float = 0.7
    inline: float = 1
    macro: float = 0.7
    declaration: float = 1.5
    assertion: float = 1.4
    printing: float = 0.3
    skip: float = 0.5
    run: float = 1.5
    block: float = 0.5

    arrays: float = 0.5
    structs: float = 0.4
    messages: float = 0.5
    init: float = 0.5
    parameters: float = 0.5
    channel_values: float = 0.3
    several_copies: float = 0.2
    timeout: float = 0.15
    otherwise: float = 0.35
    end_labels: float = 0.6
    labels: float = 0.25
    provided: float = 0.07
    hidden: float = 0.05
    priority: float = 0.0
    exclusive: float = 0.03
    d_step_may_block: float = 0.12
    zero_division: float = 0.004
    wild_index: float = 0.04
    wild_assertion: float = 0.5
    wrapping: float = 0.12


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar, or an array if it has a size."""

    name: str
    type: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, or an array of channels; the fields are the types of a message."""

    name: str
    capacity: int
    fields: tuple[str, ...]
    size: int = 0


@dataclass(slots=True)
class Proctype:
    """What a `run` must know of a process type: its parameters."""

    name: str
    parameters: tuple[str, ...]


@dataclass(slots=True)
class Place:
    """Where a statement stands, which decides what may be written there."""

    depth: int = 0
    in_loop: bool = False
    in_d_step: bool = False
    in_inline: bool = False


@dataclass(slots=True)
class Author:
    """Writes one program. The order of the calls to the source of chance is part of what a seed means."""

    chance: random.Random
    features: Features
    scopes: list[list[Variable]] = field(default_factory=lambda: [[]])
    channels: list[Channel] = field(default_factory=list)
    local_channels: list[Channel] = field(default_factory=list)
    proctypes: list[Proctype] = field(default_factory=list)
    inlines: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    count: int = 0
    budget: int = 0
    may_rest: bool = False
    claimed: bool = False

    # ── chance ──────────────────────────────────────────────────────────────────────────────────────────────────

    def happens(self, probability: float) -> bool:
        """True with this probability."""
        return self.chance.random() < probability

    def fresh(self, stem: str) -> str:
        """A name not used before."""
        self.count += 1
        return f"{stem}{self.count}"

    # ── the whole program ───────────────────────────────────────────────────────────────────────────────────────

    def program(self) -> str:
        """The text of a program."""
        lines = [*self.preamble(), *self.type_declarations(), *self.global_variables(), *self.global_channels()]
        lines += self.inline_definition()
        passive = self.happens(self.features.init)
        self.proctypes = [self.signature(passive) for _ in range(self.chance.choice((1, 2, 2, 2, 3)))]
        for proctype in self.proctypes:
            lines += self.proctype(proctype, active=not proctype.parameters and not (passive and self.happens(0.7)))
        if passive:
            lines += self.init_process()
        return "\n".join(lines) + "\n"

    def preamble(self) -> list[str]:
        """The macros that statements may use."""
        return ["#define NEXT(v) v = (v + 1) % 3", "#define SMALL(v) (v < 2)"]

    def type_declarations(self) -> list[str]:
        """The names of messages, and nested structures."""
        lines: list[str] = []
        if self.happens(self.features.messages):
            lines.append(f"mtype = {{ {', '.join(MESSAGES)} }};")
            self.scopes[0].append(Variable("note", "mtype"))
            lines.append(f"mtype note{self.chance.choice(('', ' = green'))};")
        if self.happens(self.features.structs):
            lines += ["typedef Inner { byte part; bit flags[2] };", "typedef Outer { Inner inner[2]; short level };"]
            lines += ["Outer whole;"]
            for name, kind in (("part", "byte"), ("flags[1]", "bit")):
                self.scopes[0].append(Variable(f"whole.inner[{self.chance.randrange(2)}].{name}", kind))
            self.scopes[0].append(Variable("whole.level", "short"))
        return lines

    def global_variables(self) -> list[str]:
        """One to three scalars, perhaps an array, perhaps a variable that is no part of the state."""
        lines = [self.declare(self.scopes[0]) for _ in range(self.chance.choice((1, 2, 2, 3)))]
        if self.happens(self.features.arrays):
            lines.append(self.declare_array(self.scopes[0]))
        if self.happens(self.features.hidden):
            self.hidden.append("unseen")
            lines.append("hidden byte unseen;")
        return lines

    def global_channels(self) -> list[str]:
        """One to three channels; the first carries one byte, so that there is one to pass around."""
        lines = [self.declare_channel(self.channels, ("byte",))]
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            lines.append(self.declare_channel(self.channels, self.message_type()))
        return lines

    def inline_definition(self) -> list[str]:
        """A piece of text with two parameters: a variable and a value."""
        if self.features.inline == 0:
            return []
        name = self.fresh("step")
        self.inlines.append(name)
        body = [f"{INDENT}target = (target + value) % 3;"]
        if self.happens(0.5):
            body += [f"{INDENT}if", f"{INDENT}:: target == value ->", f"{INDENT * 2}target = 0;"]
            body += [f"{INDENT}:: else", f"{INDENT}fi;"]
        return [f"inline {name}(target, value) {{", *body, "}"]

    def init_process(self) -> list[str]:
        """A process that starts others, sometimes all at once, and sometimes waits for their end."""
        runs = [self.run_statement() for _ in range(self.chance.choice((1, 2, 2, 3)))]
        body = [f"{INDENT}{run};" for run in runs]
        if self.happens(0.5):
            body = [f"{INDENT}atomic {{", *(INDENT + line for line in body), f"{INDENT}}};"]
        if self.happens(0.4):
            body.append(f"{INDENT}_nr_pr == {self.chance.choice((1, 1, 2))};")
        self.budget = self.chance.choice((0, 1, 2))
        with self.process_scope():
            body += self.statements(Place(depth=1), self.budget)
            body += self.remaining_labels()
        return ["init {", *body, "}"]

    # ── processes ───────────────────────────────────────────────────────────────────────────────────────────────

    def signature(self, passive: bool) -> Proctype:
        """A process type; only one that is run may have parameters."""
        parameters: tuple[str, ...] = ()
        if passive and self.happens(self.features.parameters):
            parameters = self.chance.choice((("byte",), ("chan",), ("short", "bit"), ("byte", "chan")))
        return Proctype(self.fresh("P"), parameters)

    def proctype(self, proctype: Proctype, active: bool) -> list[str]:
        """A process type with its body."""
        copies = 2 if self.happens(self.features.several_copies) else 1
        prefix = f"active [{copies}] " if active and copies > 1 else "active " if active else ""
        clauses = ""
        if self.happens(self.features.priority):
            clauses += f" priority {self.chance.randrange(1, 4)}"
        if self.happens(self.features.provided):
            clauses += f" provided ({self.condition()})"
        with self.process_scope():
            formals = "; ".join(self.formal(kind) for kind in proctype.parameters)
            body = self.body(4 if copies > 1 and active else 5)
        return [f"{prefix}proctype {proctype.name}({formals}){clauses} {{", *body, "}"]

    def formal(self, kind: str) -> str:
        """A parameter; a channel parameter can be used like any channel of one byte."""
        name = self.fresh("given")
        if kind == "chan":
            self.local_channels.append(Channel(name, 1, ("byte",)))
        else:
            self.scopes[-1].append(Variable(name, kind))
        return f"{kind} {name}"

    def body(self, most: int) -> list[str]:
        """Declarations, statements, often all inside a loop."""
        lines = []
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            lines.append(f"{INDENT}{self.declare(self.scopes[-1])}")
        if self.happens(0.12):
            lines.append(f"{INDENT}{self.declare_channel(self.local_channels, ('byte',))}")
        if self.happens(self.features.exclusive) and not self.channels[0].size and not self.claimed:
            self.claimed = True
            lines.append(f"{INDENT}{self.chance.choice(('xr', 'xs'))} {self.channels[0].name};")
        self.labels = [self.fresh("here") for _ in range(self.chance.choice((0, 1, 2)))]
        self.unplaced = list(self.labels)
        self.budget = self.chance.randrange(1, most + 2)
        if self.happens(0.7):
            lines += self.assignment(Place(depth=1))
        lines += self.statements(Place(depth=1), self.chance.randrange(1, most - 1))
        if self.happens(0.6):
            lines += self.loop(Place(depth=1))
        return lines + self.remaining_labels()

    def remaining_labels(self) -> list[str]:
        """A place for each label that a jump may name but that no statement carries."""
        lines = [f"{INDENT}{label}: skip;" for label in self.unplaced]
        self.unplaced = []
        return lines

    @contextmanager
    def process_scope(self) -> Iterator[None]:
        """Names declared within are forgotten after."""
        self.scopes.append([])
        self.local_channels, self.labels, self.unplaced = [], [], []
        yield
        self.scopes.pop()
        self.local_channels = []

    # ── declarations ────────────────────────────────────────────────────────────────────────────────────────────

    def declare(self, scope: list[Variable]) -> str:
        """A scalar of any type, with an initial value or none."""
        kind = self.chance.choice(("bit", "bool", "byte", "byte", "short", "int", "unsigned"))
        name = self.fresh("v")
        value = f" = {self.chance.randrange(3)}" if self.happens(0.5) else ""
        if kind in {"bit", "bool"} and value:
            value = f" = {self.chance.randrange(2)}"
        if kind in {"short", "int"} and self.happens(0.2):
            value = " = -1"
        scope.append(Variable(name, kind))
        return f"unsigned {name} : 2{value};" if kind == "unsigned" else f"{kind} {name}{value};"

    def declare_array(self, scope: list[Variable]) -> str:
        """An array of two or four elements: powers of two, so that a mask bounds an index."""
        kind = self.chance.choice(("bit", "bool", "byte", "short", "int"))
        size = self.chance.choice((2, 2, 4))
        name = self.fresh("a")
        scope.append(Variable(name, kind, size))
        return f"{kind} {name}[{size}]{self.chance.choice(('', ' = 1'))};"

    def message_type(self) -> tuple[str, ...]:
        """The fields of a channel."""
        choices: list[tuple[str, ...]] = [("byte",), ("bit", "byte"), ("short", "bool"), ("int",)]
        if any(variable.type == "mtype" for variable in self.scopes[0]):
            choices += [("mtype", "byte"), ("mtype",)]
        if self.happens(self.features.channel_values):
            return ("chan",)
        return self.chance.choice(choices)

    def declare_channel(self, scope: list[Channel], fields: tuple[str, ...]) -> str:
        """A channel of any capacity from rendezvous to two messages, sometimes an array of two."""
        capacity = self.chance.choice((0, 1, 2, 2))
        size = 2 if self.happens(0.15) else 0
        name = self.fresh("q")
        scope.append(Channel(name, capacity, fields, size))
        return f"chan {name}{'[2]' if size else ''} = [{capacity}] of {{ {', '.join(fields)} }};"

    # ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────

    def visible(self) -> list[Variable]:
        """The variables that can be named here."""
        return [variable for scope in self.scopes for variable in scope]

    def name(self, variable: Variable) -> str:
        """The variable, or an element of it."""
        if not variable.size:
            return variable.name
        if self.happens(0.5):
            return f"{variable.name}[{self.chance.randrange(variable.size)}]"
        index = self.name(self.chance.choice([one for one in self.visible() if not one.size]))
        if self.happens(self.features.wild_index):
            return f"{variable.name}[{index}]"
        return f"{variable.name}[{index} & {variable.size - 1}]"

    def atom(self) -> str:
        """A constant, a variable, or what a process knows of itself."""
        if self.happens(0.35):
            return str(self.chance.choice((0, 1, 1, 2, 2, 3, -1)))
        if self.happens(0.06):
            return self.chance.choice(("_pid", "_nr_pr"))
        if self.happens(0.06):
            return f"len({self.reference(self.chance.choice(self.channels))})"
        return self.name(self.chance.choice(self.visible()))

    def expression(self, depth: int = 2) -> str:
        """A number."""
        if depth == 0 or self.happens(0.4):
            return self.atom()
        if self.happens(self.features.zero_division):
            return f"({self.atom()} {self.chance.choice('/%')} {self.atom()})"
        if self.happens(0.1):
            return f"({self.condition(depth - 1)} -> {self.expression(depth - 1)} : {self.expression(depth - 1)})"
        if self.happens(0.12):
            return f"({self.expression(depth - 1)} {self.chance.choice(('/ 2', '% 2', '/ -2', '>> 1', '<< 1'))})"
        if self.happens(0.08):
            return f"({self.chance.choice('-~!')}{self.atom_in_brackets()})"
        operator = self.chance.choice(("+", "+", "-", "-", "*", "&", "|", "^", "==", "<"))
        return f"({self.expression(depth - 1)} {operator} {self.expression(depth - 1)})"

    def atom_in_brackets(self) -> str:
        """An operand for a sign; the brackets keep two minus signs from becoming a decrement."""
        return f"({self.atom()})"

    def condition(self, depth: int = 1) -> str:
        """A truth value, more often true than a random comparison would be."""
        if depth and self.happens(0.2):
            return f"({self.condition(depth - 1)} {self.chance.choice(('&&', '||'))} {self.condition(depth - 1)})"
        if self.happens(0.08):
            return f"SMALL({self.name(self.chance.choice(self.visible()))})"
        if self.happens(0.07):
            return f"!({self.expression(1)} {self.chance.choice(('==', '>'))} {self.atom()})"
        comparison = self.chance.choice(("==", "!=", "!=", "<", "<=", "<=", ">", ">="))
        return f"({self.expression(1)} {comparison} {self.atom()})"

    # ── sequences ───────────────────────────────────────────────────────────────────────────────────────────────

    def statements(self, place: Place, count: int) -> list[str]:
        """Some statements in a row."""
        lines: list[str] = []
        with self.block_scope():
            for number in range(max(count, 1)):
                if number and self.unplaced and not place.in_d_step and self.happens(self.features.labels):
                    lines.append(f"{INDENT * place.depth}{self.unplaced.pop()}: skip;")
                self.may_rest = number > 0
                lines += self.statement(place)
        return lines

    @contextmanager
    def block_scope(self) -> Iterator[None]:
        """Variables and channels declared within are not named after."""
        self.scopes.append([])
        channels = len(self.local_channels)
        yield
        self.scopes.pop()
        del self.local_channels[channels:]

    def statement(self, place: Place) -> list[str]:
        """One statement, with everything inside it."""
        self.budget -= 1
        kinds = self.kinds(place)
        pick = self.chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        return pick(place)

    def kinds(self, place: Place) -> list[tuple[Callable[[Place], list[str]], float]]:
        """What may stand here, with its weight."""
        weights = self.features
        simple: list[tuple[Callable[[Place], list[str]], float]] = [
            (self.assignment, weights.assignment),
            (self.macro_call, weights.macro),
            (self.skip, weights.skip + 0.001),
            (self.inline_call, weights.inline if self.inlines else 0),
            (self.printing, weights.printing),
            (self.assertion, weights.assertion),
        ]
        if place.in_d_step:
            compound = weights.choice if place.depth < 5 else 0
            return [*simple, (self.choice, compound), (self.careful_exchange, min(compound, weights.send))]
        simple += [
            (self.guard, weights.guard),
            (self.send, weights.send),
            (self.receive, weights.receive),
            (self.jump, weights.jump if self.labels or place.in_loop else 0),
            (self.select, weights.select),
            (self.declaration, weights.declaration),
            (self.run, weights.run * 0.3 if self.proctypes else 0),
        ]
        if self.budget <= 0 or place.depth >= 5:
            return simple
        return [
            *simple,
            (self.choice, weights.choice),
            (self.loop, weights.loop),
            (self.atomic, weights.atomic),
            (self.d_step, weights.d_step),
            (self.unless, weights.unless),
            (self.for_loop, weights.for_loop),
            (self.block, weights.block),
        ]

    # ── simple statements ───────────────────────────────────────────────────────────────────────────────────────

    def assignment(self, place: Place) -> list[str]:
        """A store that keeps the range of the variable small."""
        if self.hidden and self.happens(0.2):
            return self.line(place, f"{self.hidden[0]} = {self.atom()}")
        return self.line(place, self.store(self.chance.choice(self.visible())))

    def store(self, variable: Variable) -> str:
        """A bounded store: modulo a small number, or wrapping around within the type."""
        target = self.name(variable)
        steps = {"byte": 64, "short": 16384, "unsigned": 1, "bit": 1, "bool": 1}
        if variable.type == "mtype":
            return f"{target} = {self.chance.choice(MESSAGES)}"
        if variable.type in steps and self.happens(self.features.wrapping):
            return f"{target} = {target} + {steps[variable.type]}"
        if variable.type in {"bit", "bool", "unsigned"} and self.happens(0.2) and not variable.size:
            return f"{target}{self.chance.choice(('++', '--'))}"
        return f"{target} = ({self.expression()}) % {self.chance.choice((2, 3, 3))}"

    def guard(self, place: Place) -> list[str]:
        """A condition that may have to wait."""
        return self.line(place, self.resting(place) + self.waiting())

    def resting(self, place: Place) -> str:
        """Perhaps a label that lets the process end where it waits; SPIN allows none on the first of a block."""
        if place.depth and self.may_rest and self.happens(self.features.end_labels / 2):
            return f"{self.fresh('end')}: "
        return ""

    def waiting(self) -> str:
        """A condition as a statement: on variables, on channels, on the number of processes."""
        if self.happens(0.25):
            return f"{self.chance.choice(('empty', 'nempty', 'full', 'nfull'))}({self.channel_name(buffered=True)})"
        if self.happens(0.15):
            return self.poll()
        return self.condition()

    def macro_call(self, place: Place) -> list[str]:
        """A statement by the preprocessor."""
        numbers = [variable for variable in self.visible() if variable.type != "mtype"]
        return self.line(place, f"NEXT({self.name(self.chance.choice(numbers))})")

    def inline_call(self, place: Place) -> list[str]:
        """A statement by textual expansion."""
        numbers = [variable for variable in self.visible() if variable.type != "mtype" and not variable.size]
        name = self.chance.choice(self.inlines)
        return self.line(place, f"{name}({self.chance.choice(numbers).name}, {self.chance.randrange(3)})")

    def printing(self, place: Place) -> list[str]:
        """A step without effect."""
        return self.line(place, f'printf("%d\\n", {self.atom()})')

    def skip(self, place: Place) -> list[str]:
        """A step without effect."""
        return self.line(place, self.chance.choice(("skip", "true")))

    def assertion(self, place: Place) -> list[str]:
        """Sometimes a guess, otherwise something true of every value we store."""
        if self.happens(self.features.wild_assertion):
            return self.line(place, f"assert({self.condition()})")
        return self.line(place, f"assert({self.name(self.chance.choice(self.visible()))} < 32767)")

    def jump(self, place: Place) -> list[str]:
        """A goto, or a break where there is a loop to leave."""
        if place.in_loop and (not self.labels or self.happens(0.5)):
            return self.line(place, "break")
        return self.line(place, f"goto {self.chance.choice(self.labels)}")

    def select(self, place: Place) -> list[str]:
        """A non-deterministic value."""
        integers = {"byte", "short", "int"}
        numbers = [one for one in self.visible() if one.type in integers and not one.size and "." not in one.name]
        if not numbers:
            return self.skip(place)
        return self.line(place, f"select({self.chance.choice(numbers).name} : 0 .. {self.chance.randrange(1, 3)})")

    def declaration(self, place: Place) -> list[str]:
        """A variable that begins here, and begins anew on every pass."""
        text = self.declare_array(self.scopes[-1]) if self.happens(0.15) else self.declare(self.scopes[-1])
        return [f"{INDENT * place.depth}{text}", *self.assignment(place)]

    def run(self, place: Place) -> list[str]:
        """A new process, while there are few."""
        indent = INDENT * place.depth
        lines = [f"{indent}if", f"{indent}:: _nr_pr < 3 ->", f"{indent}{INDENT}{self.run_statement()};"]
        return [*lines, f"{indent}:: else", f"{indent}fi;"]

    def run_statement(self) -> str:
        """The creation of a process, with arguments."""
        proctype = self.chance.choice(self.proctypes)
        return f"run {proctype.name}({', '.join(self.argument(kind) for kind in proctype.parameters)})"

    def argument(self, kind: str) -> str:
        """A value for a parameter."""
        if kind == "chan":
            return self.reference(self.chance.choice([one for one in self.channels if one.fields == ("byte",)]))
        return f"({self.expression(1)}) % 3"

    # ── channels ────────────────────────────────────────────────────────────────────────────────────────────────

    def reference(self, channel: Channel) -> str:
        """The channel, or an element of an array of channels."""
        return f"{channel.name}[{self.chance.randrange(2)}]" if channel.size else channel.name

    def any_channel(self, buffered: bool = False) -> Channel:
        """A channel that can be named here; a parameter may turn out to be of any capacity."""
        candidates = [one for one in (*self.channels, *self.local_channels) if one.capacity or not buffered]
        return self.chance.choice(candidates or self.channels)

    def channel_name(self, buffered: bool = False) -> str:
        """A channel's name."""
        return self.reference(self.any_channel(buffered))

    def send(self, place: Place) -> list[str]:
        """A send, sometimes into sorted order."""
        channel = self.any_channel()
        operator = "!!" if channel.capacity and self.happens(0.2) else "!"
        values = [self.message(kind) for kind in channel.fields]
        if channel.fields[0] == "mtype" and len(values) > 1 and self.happens(0.3):
            return self.line(place, f"{self.reference(channel)}{operator}{values[0]}({', '.join(values[1:])})")
        return self.line(place, f"{self.resting(place)}{self.reference(channel)}{operator}{', '.join(values)}")

    def message(self, kind: str) -> str:
        """A value to send."""
        if kind == "mtype":
            return self.chance.choice((*MESSAGES, "note"))
        if kind == "chan":
            return self.argument("chan")
        return f"({self.expression(1)}) % 3" if self.happens(0.6) else str(self.chance.randrange(3))

    def receive(self, place: Place) -> list[str]:
        """A receive in one of its four forms."""
        channel = self.any_channel()
        operator = "??" if channel.capacity and self.happens(0.25) else "?"
        if channel.fields == ("chan",):
            return self.receive_channel(place, channel)
        fields = self.pattern(channel.fields)
        if channel.capacity and self.happens(0.15):
            fields = f"<{fields}>"
        return self.line(place, f"{self.resting(place)}{self.reference(channel)}{operator}{fields}")

    def receive_channel(self, place: Place, channel: Channel) -> list[str]:
        """Receive a channel, and from then on know it by a new name."""
        name = self.fresh("got")
        self.local_channels.append(Channel(name, 0, ("byte",)))
        indent = INDENT * place.depth
        return [f"{indent}chan {name};", f"{indent}{self.reference(channel)}?{name};"]

    def careful_exchange(self, place: Place) -> list[str]:
        """A send or receive that cannot block, for a d_step."""
        buffered = [one for one in self.channels if one.capacity and one.fields != ("chan",)]
        if not buffered:
            return self.assignment(place)
        channel = self.chance.choice(buffered)
        name = self.reference(channel)
        if self.happens(0.5):
            guard, step = f"len({name}) < {channel.capacity}", f"!{', '.join(map(self.message, channel.fields))}"
        else:
            guard, step = f"len({name}) > 0", f"?{', '.join('_' for _ in channel.fields)}"
        indent = INDENT * place.depth
        return [
            f"{indent}if",
            f"{indent}:: {guard};",
            f"{indent}{INDENT}{name}{step};",
            f"{indent}:: else;",
            f"{indent}{INDENT}skip;",
            f"{indent}fi;",
        ]

    def pattern(self, fields: tuple[str, ...]) -> str:
        """What a receive expects: variables to fill, each once, values to match, and places to ignore."""
        taken: set[str] = set()
        return ", ".join(self.pattern_field(kind, taken) for kind in fields)

    def pattern_field(self, kind: str, taken: set[str]) -> str:
        """One field of a receive."""
        if kind == "mtype":
            if self.happens(0.4) and "note" not in taken:
                taken.add("note")
                return "note"
            return self.chance.choice((*MESSAGES, "eval(note)", "_"))
        if self.happens(0.2):
            return self.chance.choice((str(self.chance.randrange(3)), "_"))
        if self.happens(0.15):
            return f"eval({self.expression(1)})"
        numbers = [one for one in self.visible() if one.type != "mtype" and not one.size and one.name not in taken]
        if not numbers:
            return "_"
        taken.add(variable := self.chance.choice(numbers).name)
        return variable

    def poll(self) -> str:
        """Whether a receive would be possible."""
        buffered = [one for one in self.channels if one.capacity and one.fields != ("chan",)]
        if not buffered:
            return self.condition()
        channel = self.chance.choice(buffered)
        return f"{self.reference(channel)}{self.chance.choice(('?', '??'))}[{self.pattern(channel.fields)}]"

    # ── compound statements ─────────────────────────────────────────────────────────────────────────────────────

    def options(self, place: Place, count: int, leave: bool = False) -> list[str]:
        """The options of a choice or loop; `leave` adds one that leaves the loop."""
        indent = INDENT * place.depth
        inner = Place(place.depth + 1, place.in_loop, place.in_d_step, place.in_inline)
        lines: list[str] = []
        otherwise = place.in_d_step or self.happens(self.features.otherwise)
        for _ in range(count):
            lines.append(f"{indent}:: {self.option_guard(otherwise)};")
            lines += self.statements(inner, self.chance.choice((0, 1, 1, 2)))
        if leave:
            lines += [f"{indent}:: {self.option_guard(otherwise)};", f"{indent}{INDENT}break;"]
        if otherwise:
            lines += [f"{indent}:: else;", f"{indent}{INDENT}{'break' if leave else 'skip'};"]
        elif self.happens(self.features.timeout):
            lines += [f"{indent}:: timeout;", *self.statements(inner, 1)]
        return lines

    def option_guard(self, plain: bool = False) -> str:
        """The statement that decides whether an option can be taken; beside an else, SPIN allows no channel there."""
        if plain:
            return self.condition()
        pick = self.chance.random()
        if pick < 0.25:
            return self.single(self.send(Place()))
        if pick < 0.5:
            return self.single(self.receive(Place()))
        if pick < 0.65:
            return self.store(self.chance.choice(self.visible()))
        return self.waiting()

    def single(self, lines: list[str]) -> str:
        """A statement of one line as the guard of an option; a plain true for longer ones."""
        if len(lines) > 1:
            self.local_channels.pop()
            return "true"
        return lines[0].strip().rstrip(";")

    def choice(self, place: Place) -> list[str]:
        """An if."""
        indent = INDENT * place.depth
        return [f"{indent}if", *self.options(place, self.chance.choice((1, 2, 2, 3))), f"{indent}fi;"]

    def loop(self, place: Place) -> list[str]:
        """A do, sometimes one in which the process may end."""
        indent = INDENT * place.depth
        label = f"{self.fresh('end')}: " if self.happens(self.features.end_labels) else ""
        inner = Place(place.depth, True, place.in_d_step, place.in_inline)
        lines = self.options(inner, self.chance.choice((1, 2, 2)), leave=self.happens(0.5))
        return [f"{indent}{label}do", *lines, f"{indent}od;"]

    def atomic(self, place: Place) -> list[str]:
        """An atomic sequence; anything may block inside."""
        return self.enclosed(place, "atomic {", self.chance.choice((1, 2, 2, 3)))

    def block(self, place: Place) -> list[str]:
        """A block for its scope only."""
        return self.enclosed(place, "{", self.chance.choice((1, 2)))

    def enclosed(self, place: Place, opening: str, count: int) -> list[str]:
        """Statements between braces."""
        indent = INDENT * place.depth
        inner = Place(place.depth + 1, place.in_loop, place.in_d_step, place.in_inline)
        return [f"{indent}{opening}", *self.statements(inner, count), f"{indent}}};"]

    def d_step(self, place: Place) -> list[str]:
        """A deterministic step: a guard perhaps, then what cannot block, except rarely."""
        indent = INDENT * place.depth
        inner = Place(place.depth + 1, in_d_step=True)
        lines = [f"{indent}{INDENT}{self.condition()};"] if self.happens(0.4) else []
        lines += self.statements(inner, self.chance.choice((1, 2, 3)))
        if self.happens(self.features.d_step_may_block):
            lines.append(f"{indent}{INDENT}{self.condition()};")
        return [f"{indent}d_step {{", *lines, f"{indent}}};"]

    def unless(self, place: Place) -> list[str]:
        """A main part that is left as soon as the escape can begin."""
        indent = INDENT * place.depth
        inner = Place(place.depth + 1, place.in_loop)
        main = self.statements(inner, self.chance.choice((1, 2, 3)))
        if self.happens(0.2):
            main = [f"{indent}{INDENT}atomic {{", *(INDENT + line for line in main), f"{indent}{INDENT}}};"]
        return [f"{indent}{{", *main, f"{indent}}} unless {{", *self.escape(inner), f"{indent}}};"]

    def escape(self, place: Place) -> list[str]:
        """One escape, or a choice of several."""
        if self.happens(0.3):
            indent = INDENT * place.depth
            return [f"{indent}if", *self.escape_options(place), f"{indent}fi;"]
        first = "timeout" if self.happens(self.features.timeout) else self.option_guard()
        return [f"{INDENT * place.depth}{first};", *self.statements(place, self.chance.choice((1, 1, 2)))]

    def escape_options(self, place: Place) -> list[str]:
        """Two escapes side by side."""
        indent = INDENT * place.depth
        inner = Place(place.depth + 1, place.in_loop)
        lines: list[str] = []
        for _ in range(2):
            lines += [f"{indent}:: {self.option_guard()};", *self.statements(inner, 1)]
        return lines

    def for_loop(self, place: Place) -> list[str]:
        """A counted loop, over numbers or over the elements of an array."""
        indent = INDENT * place.depth
        name = self.fresh("i")
        arrays = [variable for variable in self.visible() if variable.size and "." not in variable.name]
        span = f"{name} in {self.chance.choice(arrays).name}" if arrays and self.happens(0.3) else f"{name} : 0 .. 1"
        inner = Place(place.depth + 1)
        body = self.statements(inner, self.chance.choice((1, 1, 2)))
        return [f"{indent}byte {name};", f"{indent}for ({span}) {{", *body, f"{indent}}};"]

    def line(self, place: Place, text: str) -> list[str]:
        """A statement of one line."""
        return [f"{INDENT * place.depth}{text};"]
