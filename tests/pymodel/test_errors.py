"""What is outside the language is refused at its place, with what to write instead."""

from __future__ import annotations

import pytest
from tests.pymodel.models import complaint, kind_of, process_of

from everafter.source import InputError
from everafter.user_model import model_of

REFUSED = {
    "self.x = self.zz": ("self.zz", "the model has no variable 'zz'", ""),
    "self.x = zz": ("zz", "unknown name 'zz'", ""),
    "self.x = x": ("x", "unknown name 'x'", "did you mean 'self.x'?"),
    "self.N = 3": ("self.N", "'N' is a constant of the model", "n = m.Int[0, 9](2)"),
    "self.x = self.h": ("self.h", "a value of Hue cannot be stored where m.Int[0, 3] is expected", ""),
    "self.b = self.x": ("self.x", "a value of m.Int[0, 3] cannot be stored where bool is expected", "`x != 0`"),
    "self.x = self.x / 2": ("self.x / 2", "this operator cannot be used in a model", "//"),
    "self.x = self.x // 0": ("self.x // 0", "division by zero", ""),
    "self.x = 'one'": ("'one'", "a str is no value of a variable", ""),
    "self.x, self.b = 1": ("self.x, self.b", "this takes 2 values", ""),
    "self.b = self.h == self.x": ("self.h == self.x", "a value of Hue never equals one of m.Int[0, 3]", ""),
    "self.b = self.h < Hue.GREEN": ("self.h", "a member of Hue is no number", ""),
    "self.b = self.x or self.b": ("self.x", "'or' of what is no truth value", "x != 0"),
    "n = self.x + 1\nn = n": ("n", "the range of 'n' is not known", "n = m.Int[0, 9](self.x + 1)"),
    "if self.b:\n    n = self.x\nself.x = n": ("n", "'n' may have no value here", ""),
    "if self.h:\n    pass": ("self.h", "this is always true", ""),
    "for v in [self.x, 1]:\n    pass": ("[self.x, 1]", "these values are computed", "for x in self.xs"),
    "for v in self.xs.copy():\n    pass": ("self.xs.copy()", "these values are computed", "keep a copy"),
    "for i in range(self.x):\n    pass": ("range(self.x)", "'range' cannot be called here", ""),
    "while self.b:\n    pass\nelse:\n    self.x = 1": ("self.x = 1", "a loop has no `else` in a model", ""),
    "try:\n    pass\nexcept KeyError:\n    pass": ("except KeyError:", "this is never raised in a model", "by `if`"),
    "with open('f'):\n    pass": ("with open('f'):", "this context cannot be used in a model", "m.atomic()"),
    "print(self.x)": ("print(self.x)", "'print' cannot be called here", ""),
    "self.xs.append(1)": ("self.xs.append(1)", "'.append' cannot be called here", ".count(…)"),
    "self.b = m.wait(True)": ("m.wait(True)", "m.wait cannot be part of an expression", "as a statement"),
    "self.x = m.choose([])": ("m.choose([])", "there is nothing to choose from", ""),
    "m.end()": ("m.end()", "no statement follows m.end()", ""),
    "return 3": ("return 3", "a value cannot be returned from among statements", ""),
    "me = 1": ("me", "'me' is known before the run and stays what it is", ""),
    "self.x = self.xs": ("self.xs", "a whole array is no value of a variable", ""),
    "self.xs = [1]": ("[1]", "this takes 2 values", ""),
    "self.x = self.xs[0:1]": ("self.xs[0:1]", "a whole array is no value of a variable", ""),
    "self.q.append(self.h)": ("self.h", "a value of Hue cannot be stored where m.Int[0, 2] is expected", ""),
    "self.x = self.q.pop() + 1": ("self.q.pop()", "'.pop' changes the state", "x = xs.pop(…)"),
    "self.q.push(1)": ("self.q.push(1)", "'.push' cannot be called here", ".append(…)"),
    "self.q = self.q2": ("self.q2", "a second name of the same values", "self.q2.copy()"),
    "v = []": ("v", "how large 'v' may become is not known", "v = m.List[m.Int[0, 9], 4]([])"),
    "self.q = [1, 2, 1]": ("[1, 2, 1]", "3 values, and m.List[m.Int[0, 2], 2] has room for 2", ""),
    "self.x = self.o if self.b else self.h": (
        "self.o if self.b else self.h",
        "this is a value of m.Optional",
        "of one domain only",
    ),
    "self.p.n = 1": ("self.p.n", "a field of a record cannot be assigned to", "self.p._replace(n=…)"),
    "self.x = self.p.m": ("self.p.m", "Pair has no field 'm'", ""),
    "self.p = Pair(self.h)": ("Pair(self.h)", "Pair needs a value for 'n'", "Pair(hue, n)"),
    "self.p = Pair(self.h, 1, 2)": ("Pair(self.h, 1, 2)", "Pair has 2 fields", ""),
    "self.b = self.p == self.h": ("self.p == self.h", "a value of Pair is not compared with one of Hue", ""),
    "self.x = None": ("None", "None is no value of m.Int[0, 3]", "m.Optional[m.Int[0, 3]] has it"),
    "self.b = self.x is 3": ("self.x is 3", "'is' compares which object this is", "by =="),
    "self.s.add(9)": ("9", "9 is no value of m.Int[0, 2]", ""),
    "self.ch.send(1, 2)": ("self.ch.send(1, 2)", "one message is passed here", ""),
    "v = self.ch.send(1)": ("self.ch.send(1)", "this gives nothing", ""),
    "self.h = self.ch.receive()": ("self.ch.receive()", "a message of m.Int[0, 2] does not fit here", ""),
    "with m.atomic():\n    self.meet.send(1)": ("self.meet.send(1)", "cannot be used in an atomic block", "m.Channel"),
    "self.lock = True": ("self.lock", "this cannot be assigned to", ""),
    "self.lock.acquire(timeout=1)": ("self.lock.acquire(timeout=1)", "nothing is passed here", "as long as it takes"),
    "v = m.Lock()": ("m.Lock()", "m.Lock is shared by processes", "a variable of the model"),
    "match self.p:\n    case Pair(n=[a]):\n        pass": (
        "self.p",
        "a list of values cannot be matched with this",
        "",
    ),
    "match self.x:\n    case {1: 2}:\n        pass": ("{1: 2}", "this pattern cannot be used in a model", ""),
    "self.x = self.x * 100000 * 100000": ("self.x * 100000 * 100000", "beyond 32 bits", "smaller ranges"),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text.split("\n")[0])
def test_a_statement_is_refused(text: str) -> None:
    written, message, advice = complaint(process_of(*text.split("\n")))
    expected, said, helps = REFUSED[text]
    assert (written, said in message, helps in advice) == (expected, True, True), (written, message, advice)


def test_an_initial_value_lies_in_the_domain() -> None:
    written, message, _ = complaint(kind_of("x = m.Int[0, 3](7)\n@m.process\ndef p(self) -> None:\n    self.x = 1"))
    assert (written, message) == ("x = m.Int[0, 3](7)", "7 is no value of m.Int[0, 3]")


def test_a_mistake_in_a_lambda_is_shown_there() -> None:
    body = "x = m.Int[0, 3](0)\n@m.process\ndef p(self) -> None:\n    self.x = 1\nok = m.always(lambda s: s.x < s.xx)"
    assert complaint(kind_of(body)) == ("s.xx", "the model has no variable 'xx'", "did you mean 'x'?")


def test_a_method_that_calls_itself_is_refused() -> None:
    kind = process_of("self.again()", before="def again(self) -> None:\n    self.again()")
    assert complaint(kind)[:2] == ("self.again()", "'again' calls itself")


def test_all_mistakes_are_told() -> None:
    with pytest.raises(InputError) as told:
        model_of(process_of("self.x = self.y", "self.b = 3", "pass", "m.wait(self.zq)"))
    assert [each.place.line for each in told.value.diagnostics] == [21, 22, 24]
