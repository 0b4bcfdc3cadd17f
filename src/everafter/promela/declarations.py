"""Reading declarations of variables, channels, mtype names and structures."""

from __future__ import annotations

from everafter.promela.cursor import Cursor, TooManyProblems, describe
from everafter.promela.drafts import ModelDraft
from everafter.promela.expressions import ExpressionReader
from everafter.promela.model import (
    Assign,
    ChannelShape,
    Constant,
    Declare,
    Expression,
    Initial,
    Kind,
    Poll,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Scalar,
    Statement,
    Struct,
    Type,
    Variable,
)
from everafter.promela.references import PREDEFINED, fold
from everafter.promela.tokens import Token
from everafter.promela.walk import subexpressions
from everafter.record import dataclass
from everafter.source import Place, closest

BASIC_TYPES = {
    "bit": Kind.BIT,
    "bool": Kind.BIT,
    "byte": Kind.BYTE,
    "pid": Kind.BYTE,
    "short": Kind.SHORT,
    "int": Kind.INT,
    "mtype": Kind.MTYPE,
    "chan": Kind.CHAN,
    "unsigned": Kind.UNSIGNED,
}
FOREIGN_TYPES = {
    "float": "there are only integers: bit, bool, byte, short, int, unsigned",
    "double": "there are only integers: bit, bool, byte, short, int, unsigned",
    "char": "a character is a byte",
    "long": "the widest integer is an int of 32 bits",
    "string": "there are no strings; mtype names values",
    "enum": "mtype = { red, green } names values",
    "struct": "a structure is declared by  typedef Name { … }",
    "void": "a proctype has no type",
}
_VISIBILITIES = ("hidden", "show", "local")
_MOST_MESSAGES = 65_535
"""A state has two bytes for how many messages are in a channel; so has SPIN's."""
_MAXIMUM_CELLS = 100_000
_UNNAMED = "_unnamed_"


@dataclass(frozen=True, slots=True)
class _Setting:
    """What stands before the names of a declaration."""

    type: Type
    visibility: str | None
    is_parameter: bool


class DeclarationReader(ExpressionReader):
    """The part of the parser that reads declarations."""

    def __init__(self, draft: ModelDraft, cursor: Cursor) -> None:
        super().__init__(draft, cursor)
        self.draft = draft
        self.initialisers_at_start = True
        """Whether initial values here are given when the process starts, not by a step of their own."""

    def at_declaration(self) -> bool:
        """Whether a declaration begins here."""
        token = self.cursor.current
        if token.kind != "name":
            return False
        return token.text in BASIC_TYPES or token.text in _VISIBILITIES or token.text in self.draft.structs

    def declaration(
        self, owner: Struct | None = None, is_parameter: bool = False
    ) -> tuple[list[Variable], list[Statement]]:
        """Read one declaration; return its variables, and the steps it amounts to in the middle of a body.

        `owner` is the structure whose fields are declared, if it is one; `is_parameter` says that a proctype's
        parameters are.
        """
        visibility = self.cursor.advance().text if self.cursor.at(*_VISIBILITIES) else None
        token = self.cursor.current
        if token.text in self.draft.structs and token.kind == "name":
            self.cursor.advance()
            self.mention(token, "typedef")
            setting = _Setting(self.draft.structs[token.text], visibility, is_parameter)
        elif token.text in BASIC_TYPES and token.kind == "name":
            self.cursor.advance()
            subtype = self._subtype(token)
            if token.text == "mtype" and self.cursor.at("=", "{"):
                if visibility is not None and owner is not None:
                    self.cursor.complain(token.place, f"mtype names in a structure cannot be '{visibility}'")
                self._mtype_names(token, subtype)
                return [], []
            setting = _Setting(Scalar(BASIC_TYPES[token.text], 0, subtype), visibility, is_parameter)
        else:
            if owner is not None and token.text == owner.name:
                self.cursor.fail(token, "a structure cannot contain itself", "use an array of them, and an index")
            advice = FOREIGN_TYPES.get(token.text) or closest(token.text, [*BASIC_TYPES, *self.draft.structs])
            self.cursor.fail(token, f"expected a type, found {describe(token)}", advice)
        variables: list[Variable] = []
        steps: list[Statement] = []
        while True:
            variable, own_steps = self._variable(setting, owner)
            variables.append(variable)
            steps += own_steps
            if not self.cursor.take(","):
                return variables, steps
            if self.at_declaration():
                message = "declarations of different types are separated by ';'"
                self.cursor.complain(self.cursor.last.place, message)
                more_variables, more_steps = self.declaration(owner, is_parameter)
                return variables + more_variables, steps + more_steps

    def _subtype(self, token: Token) -> str | None:
        if not self.cursor.at(":"):
            return None
        if token.text != "mtype":
            self.cursor.fail(self.cursor.current, f"'{token.text}' has no subtypes", "is a ';' missing?")
        self.cursor.advance()
        name = self.cursor.expect_name("the name of an mtype subtype")
        self.mention(name, "subtype")
        return name.text

    def _mtype_names(self, token: Token, subtype: str | None) -> None:
        """`mtype = { a, b }`: numbered backwards, and behind the names declared before."""
        if self.proctype is not None:
            self.cursor.complain(token.place, "mtype names can only be declared globally")
        if not self.cursor.take("=") and subtype is not None:
            self.cursor.fail(self.cursor.current, "expected '=' before the names of an mtype subtype")
        opening = self.cursor.expect("{", "before the mtype names")
        numbers = self.draft.mtypes.setdefault(subtype or _UNNAMED, {})
        names: list[Token] = []
        while not self.cursor.at("}"):
            name = self.cursor.expect_new_name("an mtype name")
            if name.text in numbers or name.text in (other.text for other in names):
                self.cursor.complain(name.place, f"mtype name '{name.text}' is declared twice")
            else:
                self.mention(name, "mtype", is_declaration=True)
                names.append(name)
            while self.cursor.take(","):
                pass
        self.cursor.expect("}", "after the mtype names")
        if self.cursor.ahead(-2) is opening:
            self.cursor.complain(opening.place, "an mtype needs at least one name")
        for name in reversed(names):
            numbers[name.text] = len(numbers) + 1
        if len(numbers) > 255:
            self.cursor.complain(token.place, f"{len(numbers)} mtype names, but 255 is the most")

    def _variable(self, setting: _Setting, owner: Struct | None) -> tuple[Variable, list[Statement]]:
        """A variable, and the steps that its declaration amounts to."""
        name = self.cursor.expect_new_name("a variable name")
        self._check_new(name, owner)
        self.mention(name, "variable" if owner is None else "field", name.place, is_declaration=True)
        kind, length = setting.type, None
        if self.cursor.at(":"):
            kind = self._width(name, setting.type)
        elif isinstance(kind, Scalar) and kind.kind is Kind.UNSIGNED:
            self.cursor.complain(name.place, f"how many bits has '{name.text}'?", f"unsigned {name.text} : 4")
            kind = Scalar(Kind.UNSIGNED, 16)
        if self.cursor.at("["):
            length = self._length(name, setting.type)
        if setting.visibility == "hidden":
            self._check_hidden(name.place, kind, owner)
        initial = self._initial(name, kind, length) if self.cursor.take("=") else None
        if owner is not None and not isinstance(initial, ChannelShape | tuple | None) and fold(initial) is None:
            self.cursor.complain(initial.place, "the initial value of a field must be a constant")
        if isinstance(kind, Scalar) and kind.kind is Kind.CHAN and name.text == "STDIN" and initial is None:
            advice = "SPIN reads its standard input here when it simulates, and fails here when it verifies"
            self.cursor.warn(name.place, "'STDIN' is a channel that nobody creates", advice)
        self._check_subtype(name, kind, initial)
        is_step = self.proctype is not None and owner is None and not self.initialisers_at_start
        assigned = None if isinstance(initial, ChannelShape | tuple) or not is_step else initial
        variable = Variable(
            name.text,
            kind,
            length,
            name.place,
            initial=initial if assigned is None else None,
            proctype=self.proctype.name if self.proctype is not None and owner is None else None,
            is_parameter=setting.is_parameter,
            is_hidden=setting.visibility == "hidden",
            is_shown=setting.visibility == "show",
        )
        if owner is None:
            self._declare(variable)
        return variable, self._steps(variable, assigned) if is_step else []

    def _declare(self, variable: Variable) -> None:
        variables = self.draft.variables if self.proctype is None else self.proctype.variables
        variables.append(variable)
        self.scopes.declare(variable)

    def _check_new(self, name: Token, owner: Struct | None) -> None:
        if owner is not None:
            earlier = owner.field(name.text)
        elif self.mtype_value(name.text):
            self.cursor.complain(name.place, f"'{name.text}' is an mtype name already")
            return
        elif (
            name.text in PREDEFINED
            or name.text in self.draft.structs
            or self.draft.proctype(name.text)
            or name.text in self.inlines
        ):
            self.cursor.complain(name.place, f"'{name.text}' names something else already")
            return
        else:
            earlier = self.scopes.find(name.text)
        if earlier is not None and not self.is_unknown(earlier):
            self.cursor.complain(
                name.place, f"'{name.text}' is declared again", f"it is visible here from {earlier.place}"
            )

    def _check_hidden(self, place: Place, kind: Type, owner: Struct | None) -> None:
        if self.proctype is not None or owner is not None:
            self.cursor.complain(place, "only a global variable can be hidden")
        elif isinstance(kind, Scalar) and kind.kind in (Kind.BIT, Kind.CHAN):
            self.cursor.complain(place, f"a {kind.kind.value} cannot be hidden", "use a byte")

    def _width(self, name: Token, kind: Type) -> Type:
        self.cursor.advance()
        token = self.cursor.current
        bits = self.constant(self.expression(), "the width")
        if not (isinstance(kind, Scalar) and kind.kind is Kind.UNSIGNED):
            self.cursor.complain(token.place, "only an unsigned has a width", f"unsigned {name.text} : {bits}")
            return kind
        if not 1 <= bits <= 31:
            self.cursor.complain(token.place, f"the width of an unsigned lies between 1 and 31, not {bits}")
            bits = 16
        return Scalar(Kind.UNSIGNED, bits)

    def _length(self, name: Token, kind: Type) -> int:
        opening = self.cursor.advance()
        length = self.constant(self.expression(), f"the length of '{name.text}'")
        self.cursor.expect("]", f"after the length of '{name.text}'")
        if self.cursor.at("["):
            self.cursor.fail(
                self.cursor.current,
                "arrays have one dimension",
                "put an array into a typedef, and declare an array of that",
            )
        if length < 1:
            self.cursor.complain(opening.place, f"an array has at least one element, not {length}")
        elif length * kind.size > _MAXIMUM_CELLS:
            self.cursor.complain(opening.place, f"'{name.text}' would have more than {_MAXIMUM_CELLS:,} cells")
            raise TooManyProblems
        return max(length, 1)

    def _initial(self, name: Token, kind: Type, length: int | None) -> Initial | None:
        token = self.cursor.current
        if self.cursor.at("["):
            initial: Initial | None = self._created(name, kind)
        elif self.cursor.take("{"):
            initial = self._initial_values(name, length, token.place)
        else:
            initial = self.value()
        self._check_initial(initial)
        if isinstance(kind, Struct):
            advice = f"give initial values to the fields, where '{kind.name}' is declared"
            self.cursor.warn(token.place, "the initial value of a structure is passed over", advice)
            return None
        return initial

    def _check_subtype(self, name: Token, kind: Type, initial: Initial | None) -> None:
        wanted = kind.mtype if isinstance(kind, Scalar) else None
        if wanted and isinstance(initial, Constant) and initial.mtype not in (None, wanted):
            message = f"'{name.text}' is an mtype:{wanted}, but '{initial.name}' is not one of those"
            self.cursor.complain(initial.place, message)

    def _check_initial(self, initial: Initial | None) -> None:
        """A value that asks for processes or messages is not known before anything has run."""
        for part in () if isinstance(initial, ChannelShape | tuple | None) else subexpressions(initial):
            match part:
                case RunExpression():
                    what = "'run'"
                case RemoteLabel() | RemoteVariable():
                    what = "a remote reference"
                case Poll():
                    what = "a poll"
                case _:
                    continue
            advice = "assign it in a statement"
            self.cursor.complain(part.place, f"{what} cannot stand in an initial value", advice)

    def _created(self, name: Token, kind: Type) -> ChannelShape | None:
        token = self.cursor.current
        shape = self._channel_shape()
        if isinstance(kind, Scalar) and kind.kind is not Kind.CHAN:
            self.cursor.complain(token.place, f"'{name.text}' is not a channel")
            return None
        if self.proctype is not None and not self.initialisers_at_start:
            self.cursor.complain(
                token.place,
                "a channel cannot be created in the middle of a body",
                "move this declaration before the first statement of the process",
            )
        return None if isinstance(kind, Struct) else shape

    def _initial_values(self, name: Token, length: int | None, place: Place) -> tuple[Expression, ...] | None:
        values: list[Expression] = []
        while not self.cursor.at("}"):
            values.append(Constant(self.constant(self.expression(), "an initial value"), place))
            if not self.cursor.take(","):
                break
        self.cursor.expect("}", "after the initial values")
        if not values:
            self.cursor.complain(place, "a list of initial values needs at least one")
        if length is None:
            self.cursor.complain(place, f"'{name.text}' is not an array")
        elif len(values) > 1 and self.proctype is not None and not self.initialisers_at_start:
            message = "a list of initial values can only stand before the first statement"
            self.cursor.complain(place, message, "move this declaration up, or assign the elements")
        return tuple(values) or None

    def _channel_shape(self) -> ChannelShape:
        opening = self.cursor.advance()
        capacity = self.constant(self.expression(), "the capacity of a channel")
        self.cursor.expect("]", "after the capacity")
        self.cursor.expect("of", "in a channel initialiser [capacity] of { types }")
        self.cursor.expect("{", "before the types of the fields")
        fields: list[Scalar] = []
        message = self.draft.structs.get(self.cursor.current.text)
        while True:
            fields += self._field_types()
            if not self.cursor.take(","):
                break
            message = None
        self.cursor.expect("}", "after the types of the fields")
        if not 0 <= capacity <= _MOST_MESSAGES:
            advice = f"{_MOST_MESSAGES:,} messages are the most"
            self.cursor.complain(opening.place, f"a channel cannot have a capacity of {capacity}", advice)
            capacity = 1
        if capacity * len(fields) > _MAXIMUM_CELLS:
            self.cursor.complain(opening.place, f"this channel would have more than {_MAXIMUM_CELLS:,} cells")
            capacity = 1
        return ChannelShape(capacity, tuple(fields), opening.place, message)

    def _field_types(self) -> list[Scalar]:
        token = self.cursor.advance()
        if token.kind == "name" and token.text in self.draft.structs:
            self.mention(token, "typedef")
            return _flattened(self.draft.structs[token.text])
        if token.kind != "name" or token.text not in BASIC_TYPES:
            advice = FOREIGN_TYPES.get(token.text) or closest(token.text, [*BASIC_TYPES, *self.draft.structs])
            self.cursor.fail(token, f"expected the type of a field, found {describe(token)}", advice)
        if token.text == "unsigned":
            self.cursor.fail(token, "a channel field cannot be unsigned", "use byte, short or int")
        return [Scalar(BASIC_TYPES[token.text], 0, self._subtype(token))]

    def _steps(self, variable: Variable, assigned: Expression | None) -> list[Statement]:
        """A declaration behind the first statement is a step: SPIN assigns the initial value, or 0, there."""
        if isinstance(variable.type, Struct):
            return [Declare(variable.place, f"{variable.type.name} {variable.name}")]
        # Only the first element of an array is set, as SPIN does.
        index = None if variable.length is None else Constant(0, variable.place)
        value = assigned or Constant(0, variable.place)
        if isinstance(variable.initial, tuple):
            value = variable.initial[0]
        text = f"{variable.name} = {value.value if isinstance(value, Constant) else '…'}"
        return [Assign(Reference(variable, index, (), variable.place), value, variable.place, text)]

    def separators(self) -> bool:
        """Read the semicolons here, and say whether there were any."""
        found = False
        while self.cursor.take(";"):
            found = True
        return found

    def typedef(self) -> None:
        """`typedef Name { fields }`."""
        self.cursor.advance()
        name = self.cursor.expect_new_name("the name of a structure")
        if name.text in self.draft.structs or self.scopes.find(name.text):
            self.cursor.complain(name.place, f"'{name.text}' is declared again")
        self.mention(name, "typedef", is_declaration=True)
        self.cursor.expect("{", "before the fields of a structure")
        struct = Struct(name.text, ())
        self.cursor.in_sequence = True
        while not self.cursor.at("}"):
            variables, _ = self.declaration(struct)
            struct = Struct(name.text, (*struct.fields, *variables))
            if not self.separators() and not self.cursor.at("}"):
                self.cursor.fail(self.cursor.current, f"expected ';' or '}}', found {describe(self.cursor.current)}")
        self.cursor.in_sequence = False
        self.cursor.advance()
        if not struct.fields:
            self.cursor.complain(name.place, f"'{name.text}' has no fields")
        if struct.size > _MAXIMUM_CELLS:
            self.cursor.complain(name.place, f"'{name.text}' would have more than {_MAXIMUM_CELLS:,} cells")
            raise TooManyProblems
        self.draft.structs[name.text] = struct
        self.cursor.names_of_kinds.add(name.text)


def _flattened(struct: Struct) -> list[Scalar]:
    """The scalar types of a structure's cells, in order."""
    result: list[Scalar] = []
    for item in struct.fields:
        inner = _flattened(item.type) if isinstance(item.type, Struct) else [item.type]
        result += inner * item.cells
    return result
