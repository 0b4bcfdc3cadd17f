"""What a Promela text says: variables, expressions and statements, with every name resolved.

The tree is what the parser found and nothing more; `everafter.program` turns it into control-flow graphs.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from everafter.record import dataclass
from everafter.source import Place

# Types and variables


class Kind(StrEnum):
    """The basic types. `bool` is `bit`, and `pid` is `byte`."""

    BIT = "bit"
    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    MTYPE = "mtype"
    CHAN = "chan"
    UNSIGNED = "unsigned"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A basic type; `bits` is the width of an `unsigned`, `mtype` the subtype of an `mtype:name`."""

    kind: Kind
    bits: int = 0
    mtype: str | None = None

    @property
    def size(self) -> int:
        """How many cells a value takes."""
        return 1


@dataclass(frozen=True, slots=True)
class Struct:
    """A `typedef`."""

    name: str
    fields: tuple[Variable, ...]

    @property
    def size(self) -> int:
        """How many cells a value takes."""
        return sum(item.cells * item.type.size for item in self.fields)

    def field(self, name: str) -> Variable | None:
        """The field of that name, if there is one."""
        return next((item for item in self.fields if item.name == name), None)


Type = Scalar | Struct


@dataclass(frozen=True, slots=True)
class ChannelShape:
    """`[capacity] of { fields }`, structures flattened; capacity 0 is a rendezvous.

    `message` is the structure that a message is, if it is just one.
    """

    capacity: int
    fields: tuple[Scalar, ...]
    place: Place
    message: Struct | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Variable:
    """A declared name. `length` is None for a scalar. Two variables are the same only if they are one object."""

    name: str
    type: Type
    length: int | None
    place: Place
    initial: Initial | None = None
    proctype: str | None = None
    is_parameter: bool = False
    is_hidden: bool = False
    is_shown: bool = False

    @property
    def cells(self) -> int:
        """How many times the type is repeated: 1 for a scalar."""
        return 1 if self.length is None else self.length


# Expressions


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a truth value or an mtype name."""

    value: int
    place: Place
    name: str | None = None
    mtype: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """`.field` or `.field[index]` behind a structure."""

    field: Variable
    index: Expression | None


@dataclass(frozen=True, slots=True)
class Reference:
    """`variable[index].field[index]…` read as a value, or written to."""

    variable: Variable
    index: Expression | None
    selections: tuple[Selection, ...]
    place: Place

    @property
    def leaf(self) -> Variable:
        """The variable or field whose type the whole reference has."""
        return self.selections[-1].field if self.selections else self.variable


PredefinedName = Literal["_pid", "_nr_pr", "_last", "_priority", "_"]


@dataclass(frozen=True, slots=True)
class Predefined:
    """`_pid`, `_nr_pr`, `_last`, `_priority`, or `_`, which may only be written."""

    name: PredefinedName
    place: Place


@dataclass(frozen=True, slots=True)
class Unary:
    """`!`, `-` or `~`."""

    operator: Literal["!", "-", "~"]
    operand: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator between two operands, as in C."""

    operator: str
    left: Expression
    right: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Conditional:
    """`(condition -> chosen : other)`."""

    condition: Expression
    chosen: Expression
    other: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Within:
    """The value of `operand`, which it is an error to leave `least` … `greatest`; `name` says what has that range.

    Promela has no such expression: its variables cut what is stored in them.
    """

    operand: Expression
    least: int
    greatest: int
    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class RunExpression:
    """`run P(arguments)`; its value is the new process's number."""

    proctype: str
    arguments: tuple[Expression, ...]
    priority: int | None
    place: Place


@dataclass(frozen=True, slots=True)
class ChannelQuery:
    """`len`, `empty`, `nempty`, `full` or `nfull` of a channel."""

    query: Literal["len", "empty", "nempty", "full", "nfull"]
    channel: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Poll:
    """`q?[…]` or `q??[…]`: whether the receive would be executable."""

    channel: Expression
    arguments: tuple[Argument, ...]
    anywhere: bool
    place: Place


ProcessQuestion = Literal["enabled", "pc_value", "get_priority"]


@dataclass(frozen=True, slots=True)
class ProcessQuery:
    """`enabled(p)`, `pc_value(p)` or `get_priority(p)`."""

    query: ProcessQuestion
    process: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Timeout:
    """`timeout`: no process has an executable step."""

    place: Place


@dataclass(frozen=True, slots=True)
class NonProgress:
    """`np_`: no process is at a progress label."""

    place: Place


@dataclass(frozen=True, slots=True)
class RemoteLabel:
    """`P[i]@label` or `P@label`."""

    proctype: str
    process: Expression | None
    label: str
    place: Place


@dataclass(frozen=True, slots=True)
class RemoteVariable:
    """`P[i]:variable` or `P:variable`."""

    proctype: str
    process: Expression | None
    variable: Variable
    index: Expression | None
    place: Place


Expression = (
    Constant
    | Reference
    | Predefined
    | Unary
    | Binary
    | Conditional
    | Within
    | RunExpression
    | ChannelQuery
    | Poll
    | ProcessQuery
    | Timeout
    | NonProgress
    | RemoteLabel
    | RemoteVariable
)


Initial = Expression | tuple[Expression, ...] | ChannelShape
"""The initial value of a variable: one for every cell, one for each of the first cells, or a channel created."""


@dataclass(frozen=True, slots=True)
class Match:
    """A constant or `eval(e)` in a receive: the field must have this value."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Bind:
    """A variable in a receive: the field is stored there; `_` throws it away."""

    target: Reference | Predefined


Argument = Match | Bind


# Statements


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`, also what `++`, `--` and a declaration inside a body amount to."""

    target: Reference | Predefined
    value: Expression
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Send:
    """`q!…`, or `q!!…` when sorted."""

    channel: Expression
    arguments: tuple[Expression, ...]
    is_sorted: bool
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Receive:
    """`q?…`; anywhere for `??`, keeps the message for `<…>`."""

    channel: Expression
    arguments: tuple[Argument, ...]
    anywhere: bool
    keeps: bool
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Test:
    """An expression as a statement: executable when it is not zero. `skip` is the test of 1."""

    __test__ = False  # not a test of pytest's
    condition: Expression
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Else:
    """`else`."""

    place: Place
    text: str = "else"


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert(e)`."""

    condition: Expression
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Print:
    """`printf(format, …)` or `printm(e)`."""

    format: str
    arguments: tuple[Expression, ...]
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class SetPriority:
    """`set_priority(process, priority)`."""

    process: Expression
    priority: Expression
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Declare:
    """The declaration of a structure in the middle of a body: a step that does nothing."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Goto:
    """`goto label`."""

    label: Label
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """`break`, out of the innermost loop; with `levels`, out of as many."""

    place: Place
    text: str = "break"
    levels: int = 1


SWITCH: Final = "switch "
"""How labels are called at which control is given up even inside an atomic sequence; Promela has no such name."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """`label: statement`."""

    label: Label
    statement: Statement
    place: Place


@dataclass(frozen=True, slots=True)
class ChoiceStatement:
    """`if … fi`, or `do … od` when it repeats. `built_backwards`: SPIN numbers the last option's elements first."""

    options: tuple[Sequence, ...]
    repeats: bool
    place: Place
    built_backwards: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """`{ … }`, `atomic { … }` or `d_step { … }`. `text` is what the step of a d_step is called."""

    mode: Literal["plain", "atomic", "d_step"]
    body: Sequence
    place: Place
    text: str = "d_step { … }"


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that a break leaves; they are not repeated. Promela has no such block."""

    body: Sequence
    place: Place


@dataclass(frozen=True, slots=True)
class Unless:
    """`main unless escape`. Behind a label SPIN splices the statements of an atomic main part into the unless."""

    main: Statement
    escape: Statement
    place: Place
    is_spliced: bool = False


Basic = Assign | Send | Receive | Test | Else | Assert | Print | SetPriority | Declare
Statement = Basic | Goto | Break | Labelled | ChoiceStatement | Group | Block | Unless
Sequence = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """A label's name together with where it stands: labels of different blocks or inline calls differ."""

    name: str
    scope: tuple[int, ...]
    inline: int
