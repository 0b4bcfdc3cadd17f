"""Sequences and compound statements of random programs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oracles.promela.random_parts import INDENT, Place
from oracles.promela.random_simple import SimpleStatements


class Statements(SimpleStatements):
    """Writes any statement, with everything inside it."""

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
        if weights.set_priority:
            simple.append((self.set_priority, weights.set_priority))
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

    # ── compound statements ─────────────────────────────────────────────────────────────────────────────────────

    def options(self, place: Place, count: int, leave: bool = False) -> list[str]:
        """The options of a choice or loop; `leave` adds one that leaves the loop."""
        indent = INDENT * place.depth
        inner = Place(place.depth + 1, place.in_loop, place.in_d_step, place.in_inline)
        lines: list[str] = []
        otherwise = place.in_d_step or self.happens(self.features.otherwise)
        for _ in range(count):
            lines += self.option(inner, otherwise)
            lines += self.statements(inner, self.chance.choice((0, 1, 1, 2)))
        if leave:
            lines += [f"{indent}:: {self.option_guard(otherwise)};", f"{indent}{INDENT}break;"]
        if otherwise:
            lines += [f"{indent}:: else;", f"{indent}{INDENT}{'break' if leave else 'skip'};"]
        elif self.happens(self.features.timeout):
            lines += [f"{indent}:: timeout;", *self.statements(inner, 1)]
        return lines

    def option(self, inner: Place, otherwise: bool) -> list[str]:
        """The beginning of an option: what decides whether it can be taken."""
        indent = INDENT * (inner.depth - 1)
        decides = self.features.d_step_decides if not inner.in_d_step else 0
        if decides and self.happens(decides):
            first, *rest = self.d_step(Place(inner.depth - 1, inner.in_loop), otherwise)
            return [f"{indent}:: {first.strip()}", *rest]
        return [f"{indent}:: {self.option_guard(otherwise)};"]

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

    def d_step(self, place: Place, plain: bool = False) -> list[str]:
        """A deterministic step: a guard perhaps, a plain one beside an else; then what cannot block, except rarely."""
        indent = INDENT * place.depth
        inner = Place(place.depth + 1, in_d_step=True)
        receives = self.features.d_step_receives if not plain else 0
        if receives and self.happens(receives):
            lines = [f"{indent}{INDENT}{self.single(self.receive(Place()))};"]
        else:
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
