"""Statements of one line in random programs: stores, conditions, jumps, and what can be done with channels."""

from oracles.promela.random_expressions import Expressions
from oracles.promela.random_parts import INDENT, MESSAGES, Channel, Place, Variable


class SimpleStatements(Expressions):
    """Writes statements that contain no others."""

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
        # SPIN does not truncate an element of a bit array, so that counting up there would take 256 steps to wrap.
        untruncated = variable.type in {"bit", "bool"} and (variable.size or "[" in variable.name)
        if variable.type in steps and not untruncated and self.happens(self.features.wrapping):
            return f"{target} = {target} + {steps[variable.type]}"
        if variable.type in {"bit", "bool", "unsigned"} and not untruncated and self.happens(0.2):
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

    def set_priority(self, place: Place) -> list[str]:
        """A new priority for a process, perhaps for one that does not exist."""
        if self.happens(0.3):
            return self.line(place, f"_priority = {self.chance.randrange(1, 4)}")
        return self.line(place, f"set_priority({self.some_process()}, {self.chance.randrange(1, 4)})")

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

    def line(self, place: Place, text: str) -> list[str]:
        """A statement of one line."""
        return [f"{INDENT * place.depth}{text};"]
