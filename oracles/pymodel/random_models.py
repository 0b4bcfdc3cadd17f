"""Random models in Python: small classes whose processes do a bit of everything the language has."""

from __future__ import annotations

import linecache
import random
import sys
from types import ModuleType

_HEAD = """from enum import Enum
from everafter import model as m

class Hue(Enum):
    RED, GREEN, BLUE = range(3)

class Random(m.Model):
"""


class Author:
    """Writes models of plain variables."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.ints: dict[str, tuple[int, int]] = {}
        self.bools: list[str] = []
        self.hues: list[str] = []
        self.int_arrays: dict[str, tuple[int, int, int]] = {}
        self.bool_arrays: dict[str, int] = {}
        self.turns: list[tuple[str, int]] = []
        self.helpers: list[str] = []
        self.loops = 0
        self.in_atomic = False
        self.strict = rng.random() < 0.8
        """Most models keep every value within its range."""

    def pick(self, *ways: str) -> str:
        return self.rng.choice(ways)

    # Expressions: numbers come with their bounds

    def number(self, depth: int = 2) -> tuple[str, int, int]:
        rng = self.rng
        if depth == 0 or rng.random() < 0.4:
            return self.atom()
        a, low, high = self.number(depth - 1)
        b, least, most = self.number(depth - 1)
        match rng.randrange(9):
            case 0:
                return f"({a} + {b})", low + least, high + most
            case 1:
                return f"({a} - {b})", low - most, high - least
            case 2:
                ends = [x * y for x in (low, high) for y in (least, most)]
                return f"({a} * {b})", min(ends), max(ends)
            case 3:
                divisor = rng.choice((2, 3, -2, 1))
                reach = max(abs(low), abs(high))
                return f"({a} // {divisor})", -reach, reach
            case 4:
                divisor = rng.choice((2, 3, -2))
                return f"({a} % {divisor})", min(0, divisor + 1), max(0, divisor - 1)
            case 5:
                name = rng.choice(("min", "max"))
                pick = min if name == "min" else max
                return f"{name}({a}, {b})", pick(low, least), pick(high, most)
            case 6:
                return f"({a} if {self.truth(depth - 1)} else {b})", min(low, least), max(high, most)
            case 7 if self.bool_arrays:
                name, length = rng.choice(sorted(self.bool_arrays.items()))
                return f"self.{name}.count({rng.choice(('True', 'False'))})", 0, length
            case 8 if self.int_arrays:
                name, low, high, length = self.numbers()
                return f"sum(x for x in self.{name} if x != {rng.randint(0, 1)})", min(0, low) * length, high * length
        return f"abs({a})", 0, max(abs(low), abs(high))

    def numbers(self) -> tuple[str, int, int, int]:
        name = self.rng.choice(sorted(self.int_arrays))
        return (name, *self.int_arrays[name])

    def atom(self) -> tuple[str, int, int]:
        ways = ["constant"] + ["variable"] * 3 * bool(self.ints) + ["cell"] * bool(self.int_arrays)
        ways += ["turn"] * bool(self.turns)
        match self.rng.choice(ways):
            case "variable":
                name = self.rng.choice(sorted(self.ints))
                return (name, *self.ints[name])
            case "cell":
                name, low, high, length = self.numbers()
                return f"self.{name}[{self.index(length)}]", low, high
            case "turn":
                name, count = self.rng.choice(self.turns)
                return name, 0, count - 1
        value = self.rng.randint(-1, 3)
        return str(value), value, value

    def index(self, length: int) -> str:
        if not self.strict and self.rng.random() < 0.1:
            return f"{self.number(1)[0]}"
        fitting = [name for name, count in self.turns if count <= length]
        fitting += [name for name, (low, high) in self.ints.items() if low >= 0 and high < length]
        return self.rng.choice([str(self.rng.randrange(length)), *fitting])

    def truth(self, depth: int = 2) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            if rng.random() < 0.4 and self.bools:
                return rng.choice(self.bools)
            if rng.random() < 0.3 and self.bool_arrays:
                name, length = rng.choice(sorted(self.bool_arrays.items()))
                return f"self.{name}[{self.index(length)}]"
            if rng.random() < 0.4 and self.hues:
                return f"{rng.choice(self.hues)} {rng.choice(('==', '!=', 'is'))} Hue.{self.hue()}"
            name = self.atom_of_state()
            return f"{name} {self.pick('==', '!=', '<', '<=', '>', '>=')} {self.number(0)[0]}"
        match rng.randrange(7):
            case 0:
                return f"({self.truth(depth - 1)} and {self.truth(depth - 1)})"
            case 1:
                return f"({self.truth(depth - 1)} or {self.truth(depth - 1)})"
            case 2:
                return f"(not {self.truth(depth - 1)})"
            case 3:
                return (
                    f"({self.atom_of_state()} {self.pick('in', 'not in')} ({rng.randint(0, 1)}, {rng.randint(1, 3)}))"
                )
            case 4:
                return f"({self.number(1)[0]} <= {self.atom_of_state()} < {self.number(1)[0]})"
            case 5 if self.bool_arrays:
                name, length = rng.choice(sorted(self.bool_arrays.items()))
                others = f" if i != {rng.randrange(length)}" * rng.randint(0, 1)
                return f"{self.pick('any', 'all')}(self.{name}[i] for i in range({length}){others})"
        return f"({self.atom_of_state()} {self.pick('==', '!=', '<', '>')} {self.number(1)[0]})"

    def atom_of_state(self) -> str:
        return self.rng.choice(sorted(self.ints))

    def hue(self) -> str:
        return self.rng.choice(("RED", "GREEN", "BLUE"))

    def fitted(self, low: int, high: int) -> str:
        """A number for a variable; most keep within its range."""
        text, least, most = self.number()
        if low <= least and most <= high:
            return text
        if not self.strict and self.rng.random() < 0.2:
            return text
        return f"({text}) % {high - low + 1} + {low}" if low else f"({text}) % {high + 1}"

    # Statements

    def target(self) -> tuple[str, str]:
        """A variable and a value for it."""
        ways = ["number"] * 3 + ["truth"] * bool(self.bools) + ["hue"] * bool(self.hues)
        ways += ["cell"] * bool(self.int_arrays) + ["flag"] * bool(self.bool_arrays)
        match self.rng.choice(ways):
            case "truth":
                return self.rng.choice(self.bools), self.truth()
            case "hue":
                own = self.rng.choice(self.hues)
                other = f"({self.rng.choice(self.hues)} if {self.truth(1)} else Hue.{self.hue()})"
                return own, self.rng.choice((f"Hue.{self.hue()}", other))
            case "cell":
                name, low, high, length = self.numbers()
                return f"self.{name}[{self.index(length)}]", self.fitted(low, high)
            case "flag":
                name, length = self.rng.choice(sorted(self.bool_arrays.items()))
                return f"self.{name}[{self.index(length)}]", self.truth(1)
        name = self.rng.choice(sorted(self.ints))
        return name, self.fitted(*self.ints[name])

    def body(self, depth: int, size: int, first_is_plain: bool = False) -> list[str]:
        found: list[str] = []
        for number in range(self.rng.randint(1, size)):
            found += self.plain() if first_is_plain and number == 0 else self.statement(depth)
        return found

    def plain(self) -> list[str]:
        target, value = self.target()
        return [f"{target} = {value}"]

    def statement(self, depth: int) -> list[str]:
        rng = self.rng
        ways = ["plain"] * 4 + ["both", "choose", "grow", "wait"]
        if depth > 0:
            ways += ["if", "if", "either", "for", "while"] + ["atomic"] * (not self.in_atomic)
            ways += ["leave"] * bool(self.loops) + ["call"] * bool(self.helpers) + ["stay", "known", "assert", "return"]
        match rng.choice(ways):
            case "both":
                (one, a), (other, b) = self.target(), self.target()
                return [f"{one}, {other} = {a}, {b}"]
            case "choose":
                name = rng.choice(sorted(self.ints))
                low, high = self.ints[name]
                test = f" if {self.truth(1)}" if rng.random() < 0.3 else ""
                listed = f"(i for i in range({low}, {high + 1}){test})" if test else f"range({low}, {high + 1})"
                return [f"{name} = m.choose({listed})"]
            case "grow":
                name = rng.choice(sorted(self.ints))
                low, high = self.ints[name]
                return [f"{name} += {self.pick('1', '-1')} if {name} in range({low + 1}, {high}) else 0"]
            case "wait":
                return [f"m.wait({self.truth()})"] if rng.random() < 0.5 else self.plain()
            case "if":
                return self.branches("if", "elif", self.truth, depth)
            case "either":
                made = self.branches("if m.either(", "elif m.either(", lambda: self.truth(1) + ")", depth)
                return [line.replace("m.either()", "m.either()") for line in made]
            case "known":
                name, count = rng.choice(self.turns) if self.turns else ("2", 2)
                rest = ["else:", *indented(self.body(depth - 1, 1))] if rng.random() < 0.5 else []
                return [f"if {name} == {rng.randrange(count)}:", *indented(self.body(depth - 1, 2)), *rest]
            case "for":
                name = f"k{len(self.turns)}"
                count = rng.randint(1, 3)
                self.turns.append((name, count))
                self.loops += 1
                made = [f"for {name} in range({count}):", *indented(self.body(depth - 1, 2))]
                self.loops -= 1
                self.turns.pop()
                return made
            case "while":
                self.loops += 1
                made = [f"while {self.truth(1)}:", *indented(self.body(depth - 1, 2))]
                self.loops -= 1
                return made
            case "atomic":
                self.in_atomic, loops, self.loops = True, self.loops, 0
                made = ["with m.atomic():", *indented(self.body(depth - 1, 3, first_is_plain=True))]
                self.in_atomic, self.loops = False, loops
                return made
            case "leave":
                return [f"if {self.truth(1)}:", *indented([self.pick("break", "continue")])]
            case "return" if not self.in_atomic and rng.random() < 0.3:
                return [f"if {self.truth(1)}:", *indented(["return"])]
            case "call":
                return [f"self.{rng.choice(self.helpers)}({rng.randrange(2)})"]
            case "stay":
                return ["m.end()", f"m.wait({self.truth(1)})"]
            case "assert" if not self.strict:
                return [f"assert {self.truth()}"]
        return self.plain()

    def branches(self, first: str, more: str, condition: object, depth: int) -> list[str]:
        assert callable(condition)
        gap = "" if first.endswith("(") else " "
        made = [f"{first}{gap}{condition()}:", *indented(self.body(depth - 1, 2))]
        for _ in range(self.rng.randint(0, 1)):
            made += [f"{more}{gap}{condition()}:", *indented(self.body(depth - 1, 2))]
        if self.rng.random() < 0.4:
            made += ["else:", *indented(self.body(depth - 1, 2))]
        return made

    # The class

    def variables(self) -> list[str]:
        rng, lines = self.rng, []
        for name in ("x", "y")[: rng.randint(1, 2)]:
            low, high = rng.choice((0, 0, 0, -1)), rng.randint(1, 2)
            self.ints[f"self.{name}"] = (low, high)
            lines.append(f"{name} = m.Int[{low}, {high}]({rng.randint(low, high)})")
        if rng.random() < 0.6:
            self.bools.append("self.b")
            lines.append(f"b = {rng.choice(('True', 'False'))}")
        if rng.random() < 0.4:
            self.hues.append("self.h")
            lines.append(f"h = Hue.{self.hue()}")
        if rng.random() < 0.5:
            length = rng.randint(2, 3)
            self.bool_arrays["f"] = length
            lines.append(f"f = m.Array[bool, {length}](False)")
        if rng.random() < 0.4:
            self.int_arrays["a"] = (0, 2, 2)
            lines.append("a = m.Array[m.Int[0, 2], 2]([1, 0])")
        return lines

    def method(self, name: str, parameter: str, depth: int, size: int) -> list[str]:
        self.turns.append((parameter, 2))
        own: list[str] = []
        if self.rng.random() < 0.4:
            own.append(f"n = m.Int[0, 2]({self.rng.randrange(3)})")
            self.ints["n"] = (0, 2)
        made = [f"def {name}(self, {parameter}: int) -> None:", *indented([*own, *self.body(depth, size)])]
        self.ints.pop("n", None)
        self.turns.pop()
        return made

    def process(self, name: str) -> list[str]:
        instances = self.rng.randint(1, 2)
        self.turns.append(("me", 2))
        own: list[str] = []
        if self.rng.random() < 0.4:
            own.append(f"n = m.Int[0, 2]({self.rng.randrange(3)})")
            self.ints["n"] = (0, 2)
        if self.rng.random() < 0.5:
            self.loops += 1
            made = [*own, "while True:", *indented(self.body(2, 3, first_is_plain=True))]
            self.loops -= 1
        else:
            made = [*own, *self.body(2, 4)]
        self.ints.pop("n", None)
        self.turns.pop()
        return [f"@m.process(instances={instances})", f"def {name}(self, me: int) -> None:", *indented(made)]

    def properties(self) -> list[str]:
        saved, self.turns, self.strict = self.turns, [], True
        made = []
        for number in range(self.rng.randint(1, 3)):
            p, q = (f"lambda self: {self.truth(1)}" for _ in range(2))
            shape = self.pick(
                f"m.always({p})",
                f"m.eventually({p})",
                f"m.leads_to({p}, {q})",
                f"m.until({p}, {q})",
                f"m.release({p}, {q})",
                f"m.always(m.eventually({p}))",
                f"m.eventually(m.always({p}))",
                f"m.implies({p}, m.eventually({q}))",
                f"m.next({p})",
            )
            made.append(f"p{number} = {shape}")
        self.turns = saved
        return made


def indented(lines: list[str]) -> list[str]:
    """The lines, each further to the right."""
    return [f"    {line}" for line in lines]


def random_text(seed: int) -> str:
    """Return the text of a model."""
    author = Author(random.Random(seed))
    lines = author.variables()
    if author.rng.random() < 0.4:
        loops = author.loops
        lines += author.method("help", "j", 1, 3)
        author.loops = loops
        author.helpers.append("help")
    for name in ("one", "two")[: author.rng.randint(1, 2)]:
        lines += author.process(name)
    lines += author.properties()
    return _HEAD + "\n".join(indented(lines)) + "\n"


def model_of_text(text: str, name: str) -> type:
    """Return the class `Random` that `text` defines, in a module called `name`."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, file, "exec"), vars(module))
    found: type = module.Random
    return found
