"""Declarations and expressions of random programs."""

import random
from dataclasses import dataclass, field

from oracles.promela.random_parts import Channel, Features, Proctype, Variable


@dataclass(slots=True)
class Expressions:
    """Writes declarations and expressions, and holds what is known at each point of the text.

    The order of the calls to the source of chance is part of what a seed means.
    """

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
        capacity = self.chance.choice((0, 1, 2, 2) if self.features.rendezvous else (1, 2))
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
        if self.features.enabled and self.happens(self.features.enabled):
            return f"enabled({self.some_process()})"
        if depth and self.happens(0.2):
            return f"({self.condition(depth - 1)} {self.chance.choice(('&&', '||'))} {self.condition(depth - 1)})"
        if self.happens(0.08):
            return f"SMALL({self.name(self.chance.choice(self.visible()))})"
        if self.happens(0.07):
            return f"!({self.expression(1)} {self.chance.choice(('==', '>'))} {self.atom()})"
        comparison = self.chance.choice(("==", "!=", "!=", "<", "<=", "<=", ">", ">="))
        return f"({self.expression(1)} {comparison} {self.atom()})"

    def some_process(self) -> str:
        """The number of a process, which may be another one or none."""
        return self.chance.choice(("0", "1", "1", "2", "_nr_pr - 1", "5"))

    def reference(self, channel: Channel) -> str:
        """The channel, or an element of an array of channels."""
        return f"{channel.name}[{self.chance.randrange(2)}]" if channel.size else channel.name
