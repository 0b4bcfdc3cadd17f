"""`if`, `match` and alternatives: a condition is one step with the branch that it opens."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from everafter.model import either
from everafter.promela.model import ChoiceStatement, Constant, Expression, Group, Statement, Test, Unary
from everafter.pymodel.assignment_reader import After, Pairs, only_argument
from everafter.pymodel.call_reader import CallReader
from everafter.pymodel.pattern_reader import case_of
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import Fixed, Term, Value, junction


class BranchReader(CallReader):
    """Reads the statements of one method of which one branch is taken."""

    def if_statement(self, node: ast.If) -> tuple[list[Statement], After]:
        """Return the steps of the branches of `node`, and what names mean behind them."""
        if self.is_call(node.test, either):
            return self._either(node)
        place = self.place(node)
        options: list[tuple[Statement, ...]] = []
        ends: list[After] = []
        denied: list[Expression] = []
        rest: list[ast.stmt] = [node]
        last, word = node, "if"
        while len(rest) == 1 and isinstance(rest[0], ast.If) and not self.is_call(rest[0].test, either):
            last = rest[0]
            value = self.expressions.condition(last.test)
            rest = last.orelse
            if isinstance(value, Fixed):
                if not value.value:
                    continue
                rest = last.body
                if not denied:
                    return self.body(rest, self.namespace)
                break
            assert isinstance(value, Term)
            tests = [*(Unary("!", each, each.place) for each in denied), value.expression]
            guard = junction("&&", tests, True, self.place(last.test)).expression
            body, after = self.body(last.body, self.namespace)
            options.append((Test(guard, self.place(last), f"{word} {self.written(last.test)}"), *body))
            ends.append(after)
            denied.append(value.expression)
            word = "elif"
        body, after = self.body(rest, self.namespace)
        if not options:
            return body, after
        none = junction("&&", [Unary("!", each, each.place) for each in denied], True, place).expression
        text = "else" if rest else f"not ({self.written(last.test)})"
        options.append((Test(none, self.place(last), text), *body))
        return [ChoiceStatement(tuple(options), False, place)], _merged([*ends, after])

    def match_statement(self, node: ast.Match) -> tuple[list[Statement], After]:
        """Return the steps of the cases of `node` in order: each is one step with the names that it binds."""
        subject, place = self.expressions.value(node.subject), self.place(node)
        options: list[tuple[Statement, ...]] = []
        ends: list[After] = []
        denied: list[Expression] = []
        for each in node.cases:
            case = case_of(self.expressions, each.pattern, subject, node.subject)
            inner = self.expressions.inside(self.namespace.binding(case.names))
            test = Fixed(True) if each.guard is None else inner.condition(each.guard)
            if case.never or (isinstance(test, Fixed) and not test.value):
                continue
            tests = [*case.tests, *([test.expression] if isinstance(test, Term) else [])]
            steps, after = self._case(each, case.names, denied, tests)
            if steps and not denied and not tests:
                return list(steps), after
            options.append(steps)
            ends.append(after)
            if not tests:
                break
            denied.append(junction("&&", tests, True, place).expression)
        else:
            none = [Unary("!", each, place) for each in denied]
            options.append((Test(junction("&&", none, True, place).expression, place, "no case"),))
            ends.append(self.namespace)
        return [ChoiceStatement(tuple(options), False, place)] if denied else [], _merged(ends)

    def _case(
        self, node: ast.match_case, bound: dict[str, Value], denied: list[Expression], tests: list[Expression]
    ) -> tuple[tuple[Statement, ...], After]:
        """The steps of a case that is taken when `tests` are true and what is `denied` is not."""
        place = self.place(node.pattern)
        names: dict[str, Value] = {}
        pairs: Pairs = []
        for name, value in bound.items():
            target = ast.copy_location(ast.Name(name, ast.Store()), node.pattern)
            pairs += list(self.turn(target, value, ast.copy_location(ast.Name(name, ast.Load()), node.pattern), names))
        text = f"case {self.written(node.pattern)}"
        guards = [*(Unary("!", each, each.place) for each in denied), *tests]
        first: list[Statement] = [*self.frame.assigns(pairs, place, text)]
        if guards:
            first = [Test(junction("&&", guards, True, place).expression, place, text), *first]
        step = [Group("d_step", tuple(first), place, text)] if len(first) > 1 else first
        body, after = self.body(node.body, self.namespace.binding(names))
        return (*step, *body), after

    def _either(self, node: ast.If) -> tuple[list[Statement], After]:
        """Alternatives: each is taken only while its condition is true."""
        options: list[tuple[Statement, ...]] = []
        ends: list[After] = []
        denied: list[Expression] = []
        rest: list[ast.stmt] = [node]
        while len(rest) == 1 and isinstance(rest[0], ast.If) and self.is_call(rest[0].test, either):
            branch = rest[0]
            call, rest = branch.test, branch.orelse
            assert isinstance(call, ast.Call)
            guard = self.expression(only_argument(call, "condition")) if call.args or call.keywords else None
            test = Constant(1, self.place(branch)) if guard is None else guard
            body, after = self.body(branch.body, self.namespace)
            options.append((Test(test, self.place(branch), self.written(call)), *body))
            ends.append(after)
            denied.append(test)
        if len(rest) == 1 and isinstance(rest[0], ast.If) and rest[0].col_offset == node.col_offset:
            raise PythonProblem(
                rest[0], "every branch behind m.either(…) says m.either(…)", "elif m.either(condition):"
            )
        if rest:
            body, after = self.body(rest, self.namespace)
            tests = [Unary("!", each, each.place) for each in denied]
            none = junction("&&", tests, True, self.place(node)).expression
            options.append((Test(none, self.place(node), "else"), *body))
            ends.append(after)
        return [ChoiceStatement(tuple(options), False, self.place(node))], _merged(ends)


def _merged(ends: Sequence[After]) -> After:
    """What names mean where several ways meet: those that have a value on all of them."""
    open_ends = [each for each in ends if each is not None]
    if not open_ends:
        return None
    first = open_ends[0]
    return first.keeping(name for name in first.names if all(name in each.names for each in open_ends))
