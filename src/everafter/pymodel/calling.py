"""A call that waits for other processes or lets them go on: what it is called on, and how its steps are made."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from everafter.promela.model import Assign, Constant, Expression, Group, Reference, Statement, Test
from everafter.pymodel.container_items import ItemReader
from everafter.pymodel.process_frame import PythonFrame
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import Term, constant
from everafter.record import dataclass
from everafter.source import Place

Target = Sequence[Term]
"""The cells that get what is received; none if it is thrown away."""


@dataclass(frozen=True, eq=False)
class Calling:
    """A call of a method that waits, or lets others go on."""

    reader: ItemReader
    frame: PythonFrame
    call: ast.Call
    place: Place
    text: str
    target: Target | None = None

    def together(self, *statements: Statement) -> Statement:
        """Return `statements` as one step."""
        return statements[0] if len(statements) == 1 else Group("d_step", statements, self.place, self.text)

    def test(self, condition: Expression) -> Test:
        """Return the step that waits for `condition`."""
        return Test(condition, self.place, self.text)

    def assign(self, target: Term, value: Expression) -> Assign:
        """Return the step that stores `value` in `target`."""
        assert isinstance(target.expression, Reference)
        return Assign(target.expression, value, self.place, self.text)

    def nothing_given(self) -> None:
        """Complain of arguments."""
        if self.call.args or self.call.keywords:
            raise PythonProblem(self.call, "nothing is passed here", "what blocks in a model waits as long as it takes")

    def number(self, value: int) -> Constant:
        """Return `value` as an expression."""
        return constant(value, self.place)
