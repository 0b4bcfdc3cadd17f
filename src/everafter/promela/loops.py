"""Reading `for` and `select`, written out as the loops and choices that SPIN makes of them."""

from __future__ import annotations

from everafter.promela.cursor import SyntaxProblem
from everafter.promela.inlines import InlineReader
from everafter.promela.model import (
    Assign,
    Binary,
    Bind,
    Break,
    ChannelQuery,
    ChannelShape,
    ChoiceStatement,
    Constant,
    Else,
    Expression,
    Kind,
    Predefined,
    Receive,
    Reference,
    Scalar,
    Send,
    Sequence,
    Statement,
    Struct,
    Test,
    Variable,
)
from everafter.promela.references import fields_of, fold
from everafter.promela.tokens import Token


class LoopReader(InlineReader):
    """The part of the parser that reads loops over ranges, arrays and channels."""

    def keyword_statement(self, token: Token) -> list[Statement] | None:
        """The statement that a keyword begins, if it begins one."""
        match token.text:
            case "for":
                return self._for(token)
            case "select":
                return self._select(token)
            case _:
                return super().keyword_statement(token)

    def _for(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        self.cursor.expect("(", "after 'for'")
        counter = self.reference()
        if isinstance(counter, Predefined):
            self.cursor.fail(token, f"'{counter.name}' cannot count a loop")
        if self.cursor.take("in"):
            return self._for_each(token, counter)
        self._check_counter(counter)
        self.cursor.expect(":", "after the variable of a loop: for (i : 1 .. 9)")
        first, last = self._range("for")
        self.cursor.expect(")", "after the range of 'for'")
        return self._counting_loop(token, counter, first, Binary("<=", counter, last, last.place), ())

    def _range(self, what: str) -> tuple[Expression, Expression]:
        first = self.value()
        self.cursor.expect("..", f"between the bounds of '{what}'")
        last = self.value()
        low, high = fold(first), fold(last)
        literal = isinstance(first, Constant) and isinstance(last, Constant)
        if literal and low is not None and high is not None and low > high:
            self.cursor.complain(first.place, f"the range {low} .. {high} is empty")
        return first, last

    def _check_counter(self, counter: Reference) -> None:
        leaf = counter.variable
        plain = counter.index is None and not counter.selections and leaf.length is None
        if not plain or not isinstance(leaf.type, Scalar) or leaf.type.kind is Kind.CHAN:
            self.cursor.complain(counter.place, "a loop is counted by a plain variable")

    def _for_each(self, token: Token, counter: Reference) -> list[Statement]:
        over = self.reference()
        self.cursor.expect(")", "after what 'for' runs over")
        if isinstance(over, Predefined) or over.selections:
            self.cursor.fail(token, "'for … in' runs over the name of an array or a channel")
        if isinstance(counter.leaf.type, Struct):
            return self._for_messages(token, counter, counter.leaf.type, over)
        self._check_counter(counter)
        if over.variable.length is None and not self.is_unknown(over.variable):
            self.cursor.complain(over.place, f"'{over.variable.name}' is not an array")
        last = Constant(over.variable.cells - 1, over.place)
        return self._counting_loop(token, counter, Constant(0, over.place), Binary("<=", counter, last, over.place), ())

    def _for_messages(self, token: Token, item: Reference, struct: Struct, over: Reference) -> list[Statement]:
        """`for (message in channel)`: every message is received and sent again, so the channel turns once round."""
        shape = over.variable.initial
        if not isinstance(shape, ChannelShape) or shape.capacity == 0:
            self.cursor.fail(token, f"'{over.variable.name}' is not a buffered channel declared with its fields")
        if shape.message is None or shape.message.name != struct.name:
            advice = f"chan {over.variable.name} = [{shape.capacity}] of {{ {struct.name} }}"
            self.cursor.complain(over.place, f"the messages of '{over.variable.name}' are no {struct.name}", advice)
        kind = Kind.SHORT if shape.capacity > 255 else Kind.BYTE
        index = self.counters.get(self.scopes.path)
        if index is None and self.proctype is not None:
            index = Variable("_index", Scalar(kind), None, token.place, proctype=self.proctype.name)
            self.proctype.variables.append(index)
            self.counters[self.scopes.path] = index
        if index is None:
            raise SyntaxProblem
        counter = Reference(index, None, (), token.place)
        cells = fields_of(item, struct)
        name = over.variable.name
        rotate: Sequence = (
            Receive(over, tuple(Bind(cell) for cell in cells), False, False, token.place, f"{name}?{item.leaf.name}"),
            Send(over, tuple(cells), False, token.place, f"{name}!{item.leaf.name}"),
        )
        condition = Binary("<", counter, ChannelQuery("len", over, over.place), token.place)
        return self._counting_loop(token, counter, Constant(0, token.place), condition, rotate)

    def _counting_loop(
        self, token: Token, counter: Reference, first: Expression, condition: Expression, before: Sequence
    ) -> list[Statement]:
        self.separators()
        self.loops += 1
        body = self.block("before the body of 'for'")
        self.loops -= 1
        name, place = counter.variable.name, token.place
        following = Binary("+", counter, Constant(1, place), place)
        option = (
            Test(condition, place, f"{name} in range"),
            *before,
            *body,
            Assign(counter, following, place, f"{name}++"),
        )
        loop = ChoiceStatement(((Else(place), Break(place)), option), True, place, built_backwards=True)
        return [Assign(counter, first, place, f"{name} = first"), loop]

    def _select(self, token: Token) -> list[Statement]:
        self.cursor.advance()
        self.cursor.expect("(", "after 'select'")
        counter = self.reference()
        if isinstance(counter, Predefined):
            self.cursor.fail(token, f"'{counter.name}' cannot be selected")
        self._check_counter(counter)
        self.cursor.expect(":", "after the variable: select (i : 1 .. 9)")
        first, last = self._range("select")
        self.cursor.expect(")", "after the range of 'select'")
        name, place = counter.variable.name, token.place
        literal = (
            isinstance(first, Constant)
            and isinstance(last, Constant)
            and first.name is None
            and last.name is None
            and name.isalnum()
            and min(first.value, last.value) >= 0
            and self.inline_number(token) == 0
        )
        following = Assign(counter, Binary("+", counter, Constant(1, place), place), place, f"{name}++")
        more = Test(Binary("<", counter, last, place), place, f"{name} < last")
        # SPIN writes a short range of literals out as a choice, a longer one as a loop that may stop anywhere.
        if literal and isinstance(first, Constant) and isinstance(last, Constant):
            if last.value - first.value <= 32:
                return [
                    ChoiceStatement(
                        tuple(
                            (Assign(counter, Constant(value, place), place, f"{name} = {value}"),)
                            for value in range(first.value, last.value + 1)
                        )
                        or ((Test(Constant(0, place), place, "false"),),),
                        False,
                        place,
                    )
                ]
            loop = ChoiceStatement(((more, following), (Break(place),)), True, place)
        else:
            loop = ChoiceStatement(((Break(place),), (more, following)), True, place, built_backwards=True)
        return [Assign(counter, first, place, f"{name} = first"), loop]
