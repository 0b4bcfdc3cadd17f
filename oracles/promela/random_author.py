"""An author of random Promela: one small method for each syntactic category.

Every program is bounded by construction: a value is reduced modulo a small number, or wraps around within its type
in a few steps, before it is stored; a process is created only while few are alive; channels are short.
Each statement stands on lines of its own, indented by its depth, which the shrinker relies upon.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from oracles.promela.random_parts import INDENT, MESSAGES, Channel, Place, Proctype, Variable
from oracles.promela.random_statements import Statements


class Author(Statements):
    """Writes one program."""

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
