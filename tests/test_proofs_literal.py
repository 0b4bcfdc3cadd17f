"""The Viper that is proved does what the Python does that it is made of; and nothing that is unknown is translated."""

import ast
import random
import textwrap
from collections.abc import Callable
from dataclasses import replace
from inspect import getsource, isfunction
from typing import Any

import pytest
from oracles.viper import Method, Run
from proofs import literal
from proofs.expressions import Expression, Kernel, Sort, UnknownConstructError
from proofs.kernels import Clauses, Translator
from proofs.task import ProofError, inside
from proofs.variables import text_of
from tests import proofs_constructs

from everafter.search import space
from everafter.search.fields import fields_of
from everafter.search.framework import Search
from everafter.search.space import KNOWN, TARGET, Store

COLUMNS = fields_of(Store)
BITS = ("colour", "masks", "wanted", "gathered", "arriving")


class Silent:
    """No notes at all."""

    def loop(self, head: str) -> list[str]:
        """Nothing is said."""
        return []

    def steps(self, where: str, statement: str) -> list[str]:
        """Nothing is to be done."""
        return []

    def never(self, statement: str) -> bool:
        """Any test may succeed."""
        return False


def of_text(text: str, fixed: dict[str, str] | None = None, **names: Any) -> Kernel:
    """The kernel with this text."""
    tree = ast.parse(textwrap.dedent(text)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return Kernel("kernel.py", tree, {**vars(space), **names}, COLUMNS, fixed or {})


def constants(translator: Translator) -> dict[str, int]:
    """The constants that the method uses."""
    return {name: int(value.strip("()")) for name, value in translator.constants.items()}


# ---- Each construct, against Python.


class Plain:
    """A store of a few columns, as Python has it."""

    def __init__(self, draw: random.Random) -> None:
        self.stack = [draw.randrange(-3, 5) for _ in range(4)]
        self.pending = [draw.randrange(4) for _ in range(6)]
        self.colour = [draw.randrange(256) for _ in range(4)]
        self.found = [0, 0]
        self.initial = draw.sample(range(4), draw.randrange(4))

    def as_viper(self) -> dict[str, Any]:
        """The same store, with bits as sets."""
        return {name: [bits(each) if name in BITS else each for each in column] for name, column in vars(self).items()}


def bits(number: int) -> frozenset[int]:
    """The bits of a number."""
    return frozenset(place for place in range(number.bit_length()) if number >> place & 1)


CONSTRUCTS = {name: each for name, each in vars(proofs_constructs).items() if isfunction(each)}


@pytest.mark.parametrize("construct", CONSTRUCTS.values(), ids=CONSTRUCTS.keys())
def test_each_construct_does_what_python_does(construct: Callable[..., int]) -> None:
    assert differences(construct) == 0


def differences(construct: Callable[..., int], translator: type[Translator] = Translator) -> int:
    """On how many of many small stores Python and Viper do otherwise."""
    made = translator(of_text(getsource(construct)), lambda _: [], Silent())
    method = Method.read(made.head(), made.body())
    return sum(differs(construct, method, constants(made), seed) for seed in range(300))


def differs(python: Callable[..., int], method: Method, known: dict[str, int], seed: int) -> bool:
    """Whether the two do otherwise on this store."""
    draw = random.Random(seed)
    plain = Plain(draw)
    x, y = draw.randrange(4), draw.randrange(4)
    store = plain.as_viper()
    try:
        ran = Run(method, {}, store, {**known, "x": x, "y": y, "x_0": x, "y_0": y}).answer()
    except (AssertionError, KeyError):
        return True
    return ran != python(plain, x, y) or store != plain.as_viper()


# ---- Mistakes of a translator, each of which the comparison must show.


class OtherHalf(Translator):
    def assign(self, target: ast.expr, value: Expression, place: ast.expr) -> None:
        text, sort = value
        super().assign(target, (text.replace("union", "intersection"), sort), place)


class NoElse(Translator):
    def choose(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], *, never: bool = False) -> None:
        super().choose(test, body, [], never=never)


class OneMore(Translator):
    def count(self, statement: ast.For, name: str, iterated: ast.expr, body: list[ast.stmt]) -> None:
        before = len(self.lines)
        super().count(statement, name, iterated, body)
        self.lines[before:] = [line.replace("< stop_", "<= stop_") for line in self.lines[before:]]


class LiveRange(Translator):
    def count(self, statement: ast.For, name: str, iterated: ast.expr, body: list[ast.stmt]) -> None:
        before = len(self.lines)
        super().count(statement, name, iterated, body)
        self.lines[before:] = [line.replace("next_1 < stop_1", "next_1 < z") for line in self.lines[before:]]


class GoesOn(Translator):
    def loop(self, statement: ast.While | ast.For, condition: str, clauses: Clauses, body: list[ast.stmt]) -> None:
        before = len(self.lines)
        super().loop(statement, condition, clauses, body)
        self.lines[before] = self.lines[before].replace("!returned && ", "")


class KeepsBits(Translator):
    def binary(self, *given: Any) -> Expression:
        text, sort = super().binary(*given)
        return text.replace("setminus", "union"), sort


class OtherComparison(Translator):
    def expression(self, node: ast.expr) -> Expression:
        text, sort = super().expression(node)
        return text.replace(" <= ", " < "), sort


class OtherBit(Translator):
    def binary(self, *given: Any) -> Expression:
        text, sort = super().binary(*given)
        return text.replace("bit_number(x)", "bit_number(x + 1)"), sort


class AllBits(Translator):
    def fitting(self, value: ast.expr, sort: Sort | None) -> Expression:
        text, sort_of = super().fitting(value, sort)
        return text.replace("Set[Int]()", "Set(KNOWN)"), sort_of


PLANTED = [
    (OtherHalf, proofs_constructs.bits_in_a_variable),
    (NoElse, proofs_constructs.with_else),
    (OneMore, proofs_constructs.a_range),
    (LiveRange, proofs_constructs.range_once),
    (GoesOn, proofs_constructs.return_in_a_loop),
    (KeepsBits, proofs_constructs.bit_is_cleared),
    (OtherComparison, proofs_constructs.at_most),
    (OtherBit, proofs_constructs.a_bit_by_its_number),
    (AllBits, proofs_constructs.bits_begin_with_none),
]


@pytest.mark.parametrize(("mistake", "construct"), PLANTED)
def test_a_mistake_of_the_translator_is_noticed(mistake: type[Translator], construct: Callable[..., int]) -> None:
    assert differences(construct, mistake) > 0


# ---- What is refused.

REFUSED = {
    "break": "while x:\n        break\n    return x",
    "unknown statement": "del x\n    return 1",
    "unknown expression": "return x // 2",
    "unknown function": "return g(space, x)",
    "no column": "return space.pile[x]",
    "is no number": "return y",
    "not every way": "if x:\n        return 1",
    "nothing comes here": "return 1\n    x = 2",
    "may not be changed": "space.initial[0] = x\n    return 1",
    "a call in a part": "if x and g(space, x):\n        return 1\n    return 2",
    "is taken": "answer = x\n    return answer",
    "plain parameters": "def f(space: Store, x: int = 1) -> int:\n    return x",
    "returns int or bool": "def f(space: Store) -> str:\n    return 1",
    "no single bit": "space.colour[x] |= UNDECIDED\n    return 1",
    "where a number is expected": "return x + space.colour[x]",
    "Bits where a number": "return 1 if space.colour[x] < space.colour[x] else 2",
    "Int where bits": "return 1 if space.colour[x] == 1 else 2",
    "unknown expression 2 <<": "space.colour[x] |= 2 << x\n    return 1",
    "unknown statement While": "while g(space, x):\n        x -= 1\n    return 1",
    "unknown statement For": "for a, b in space.stack:\n        x -= 1\n    return 1",
}


@pytest.mark.parametrize(("says", "text"), REFUSED.items(), ids=REFUSED.keys())
def test_what_is_unknown_is_refused_with_its_place(says: str, text: str) -> None:
    whole = text if text.startswith("def ") else f"def f(space: Store, x: int) -> int:\n    {text}"
    with pytest.raises(UnknownConstructError, match=rf"kernel.py:\d+:\d+: f: .*{says}"):
        Translator(of_text(whole), lambda _: [], Silent()).body()


def test_a_hook_of_a_fixed_search_is_the_function_that_it_names() -> None:
    def hook(space: Store, _depth: int, node: int) -> int:
        return node

    body = """
    def f(space: Store, x: int, search: Search) -> int:
        space.colour[x] |= search.visited
        return search.action(space, x, x)
    """
    called = of_text("def hook(space: Store, _depth: int, node: int) -> int:\n    return node")
    kernel = of_text(body, {"search": "MINE"}, MINE=Search(KNOWN, action=hook))
    lines = Translator(kernel, literal.callees_of([called]), Silent()).body()
    assert "  space._colour := space._colour[x := (space._colour[x] union Set(KNOWN))]" in lines
    assert "  call_1 := hook(space, x, x)" in lines


def test_another_argument_for_a_fixed_parameter_is_refused() -> None:
    called = of_text("def g(space: Store, bit: int) -> int:\n    return 1", {"bit": "KNOWN"})
    kernel = of_text("def f(space: Store) -> int:\n    return g(space, RED)")
    with pytest.raises(UnknownConstructError, match="bit of g is fixed to KNOWN"):
        Translator(kernel, literal.callees_of([called]), Silent()).body()


# ---- Calls.

CALLING = """
    def f(space: Store, x: int, search: Search) -> int:
        colour(space, x, search.visited | RED)
        return g(space, x, search)
"""
COLOURING = "def colour(space: Store, x: int, new: int) -> None:\n    space.colour[x] |= new"
CALLED = "def g(space: Store, x: int, search: Search) -> int:\n    return 1 if space.colour[x] & search.visited else 2"


def calling(search: str, translator: type[Translator] = Translator) -> tuple[Translator, list[Kernel]]:
    """A function that is handed this search, and those that it calls, of which `g` is there for two searches."""
    names = {"ONE": Search(KNOWN), "OTHER": Search(TARGET)}
    known = [replace(of_text(CALLED, {"search": each}, **names), named=f"g_{each.lower()}") for each in names]
    known.append(replace(of_text(COLOURING), sets=frozenset({"new"})))
    return translator(of_text(CALLING, {"search": search}, **names), literal.callees_of(known), Silent()), known


def called(translator: Translator, known: list[Kernel]) -> tuple[int, frozenset[int]]:
    """What the function answers, and the colour that it leaves."""
    methods = {}
    constants_of: dict[str, int] = {}
    for each in (translator, *(Translator(kernel, lambda _: [], Silent()) for kernel in known)):
        methods[each.kernel.method] = Method.read(each.head(), each.body())
        constants_of |= constants(each)
    store: dict[str, Any] = {"colour": [frozenset(), frozenset()]}
    answer = Run(methods["f"], methods, store, {**constants_of, "x": 1}).answer()
    assert store["colour"][0] == frozenset()
    return answer, store["colour"][1]


@pytest.mark.parametrize(("search", "method", "bit"), [("ONE", "g_one", KNOWN), ("OTHER", "g_other", TARGET)])
def test_a_function_is_called_for_the_search_that_is_handed_on(search: str, method: str, bit: int) -> None:
    translator, known = calling(search)
    assert called(translator, known) == (1, bits(bit | space.RED))
    assert f"  call_1 := {method}(space, x)" in translator.lines


class FirstOfThem(Translator):
    def callee(self, node: ast.Call) -> Kernel:
        return self.callees(self.hook(node.func)[0])[0]


def test_a_call_for_another_search_is_noticed() -> None:
    assert called(*calling("ONE", FirstOfThem)) == called(*calling("ONE"))
    assert called(*calling("OTHER", FirstOfThem)) != called(*calling("OTHER"))


def test_a_search_for_which_nothing_is_translated_is_refused() -> None:
    translator, _ = calling("NEITHER")
    translator.kernel = replace(translator.kernel, names={**translator.kernel.names, "NEITHER": Search(space.RED)})
    with pytest.raises(UnknownConstructError, match="search of g is fixed to OTHER"):
        translator.body()


def test_what_answers_nothing_is_no_value() -> None:
    called = of_text("def g(space: Store) -> None:\n    space.found[0] = 1")
    with pytest.raises(UnknownConstructError, match="answers nothing"):
        Translator(
            of_text("def f(space: Store) -> int:\n    return g(space)"), literal.callees_of([called]), Silent()
        ).body()


def test_what_is_said_of_several_is_written_out_for_each() -> None:
    entry = {"of": "m.f", "named": "f_$who", "loops": [{"says": "invariant $what"}], "number": 1}
    words = {"who": "a", "what": "$who > 0"}
    made = literal.written_out("x.toml", {**entry, "each": [words, {"who": "b", "what": "true"}]})
    assert [(one["named"], one["loops"], one["number"]) for one in made] == [
        ("f_a", [{"says": "invariant a > 0"}], 1),
        ("f_b", [{"says": "invariant true"}], 1),
    ]
    with pytest.raises(ProofError, match="nothing is known of 'what'"):
        literal.written_out("x.toml", {**entry, "each": [{"who": "c"}]})


def test_a_test_that_never_succeeds_is_marked_and_must_be_there() -> None:
    said = literal.Said("f", [], [], frozenset(), ["if x:"])
    assert not said.never("if y:")
    with pytest.raises(ProofError, match="speaks of what is not there: if x:"):
        said.check_used()
    assert said.never("if x:")
    said.check_used()
    made = inside("search/trimming/searches.vpr").read_text()
    marks = [line.endswith("// absurd") for line in made.splitlines() if "if ((outcome != GO_ON))" in line]
    assert marks == [True, True, False]


# ---- A kernel and its companion.


def test_every_kept_text_is_what_the_kernels_make() -> None:
    assert "search/unordered.toml" in literal.companions()
    for companion in literal.companions():
        assert inside(literal.generated(companion)).read_text() == literal.text(companion)


CHANGES = [
    ("        space.colour[start] |= DISCOVERED\n", ""),
    ("count, 1):\n                return STOPPED\n", "count, 1):\n                return COMPLETED\n"),
    ("        while height > 0:\n", "        while height > 1:\n"),
    ("            space.colour[node] |= DISCOVERED\n", ""),
    ("range(begin, end)", "range(begin + 1, end)"),
    ("            target += 1\n", "            target = target + 1\n"),
]


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_changed_kernel_does_not_fit_its_companion(old: str, new: str) -> None:
    with pytest.raises(ProofError):
        literal.with_changed_kernel("search/unordered.vpr", "everafter.search.unordered", old, new)


def test_a_changed_kernel_makes_another_text(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "count = min(TOGETHER, height)", "count = TOGETHER"
    made = literal.with_changed_kernel("search/unordered.vpr", "everafter.search.unordered", old, new)
    monkeypatch.setattr(literal, "text", lambda _: made)
    with pytest.raises(ProofError, match="is not what the kernels"):
        literal.check_generated()


STEPS = [
    ("height := 0", "changes height"),
    ("space._colour := Seq(Set(1))", "changes space._colour"),
    ("if (true) { answer := 1 }", "changes answer"),
    ("expand_all(space, 1, 1, 1)", "hands on the store"),
    ("var x: Int := 1\nexpanded, height := both(1)", "changes height"),
    ("// [\nheight := 0\n// ]", "changes height"),
    ("// space._colour[\nspace._colour := Seq(Set(1)) // ]", "changes space._colour"),
    ("if (false) { // }", "is not whole"),
    ("// {\n}", "is not whole"),
    ("/*", "is not whole"),
    ("// /*\n*/", "is not whole"),
]


@pytest.mark.parametrize(("step", "says"), STEPS)
def test_a_step_of_a_proof_changes_nothing_of_the_kernel(step: str, says: str) -> None:
    with pytest.raises(ProofError, match=says):
        literal.harmless("f", step, frozenset({"expanded", "space._visited"}))


def test_steps_change_what_is_declared_for_the_proof() -> None:
    step = "var x: Seq[Int] := space._pending[1..2]\nx := x[0 := 3]\nspace._visited := space._visited union Set(1)"
    assert literal.harmless("f", step, frozenset({"space._visited"})) == step.splitlines()


CLAUSES = [
    "assert false",
    "invariant true\n{ x := 1 }",
    "ensures true\nassume false",
    "invariant true\ndecreases 0\n{ }",
]


@pytest.mark.parametrize("said", CLAUSES)
def test_clauses_are_clauses_only(said: str) -> None:
    with pytest.raises(ProofError):
        literal.clauses("f", said, "invariant", "decreases")


def test_the_braces_of_triggers_are_part_of_a_clause() -> None:
    said = "invariant forall x: Int :: { f(x) } { g(x), f(x) } f(x) == g(x)"
    assert literal.clauses("f", said, "invariant") == [said]


MACROS = {
    "statement": "define bump(x) { x := x + 1 }",
    "statement on the next line": "define bump(x)\n// more\n{ x := x + 1 }",
    "statement without arguments": "define damage { space._colour := Seq(Set(1)) }",
    "the store under another name": "define it space",
    "the store in brackets": "define it (space)",
    "the store in an expression": "define it(x) (x ? space : space)",
    "name of a variable": "define height 0",
    "indented": "  define bump(x) { x := x + 1 }",
    "behind a field": "field f: Int define bump(x) { x := x + 1 }",
}


@pytest.mark.parametrize("text", MACROS.values(), ids=MACROS)
@pytest.mark.parametrize("place", ["prelude", "import"])
def test_macros_change_nothing_of_the_kernel(text: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    companion = "search/unordered.toml"
    table = literal.table_of(companion)
    if place == "prelude":
        table["prelude"] += f"\n{text}\n"
    else:
        monkeypatch.setattr(literal, "texts_of", lambda *_: ["field g: Int\n", f"{text}\n"])
    with pytest.raises(ProofError, match=r"(the|a) macro"):
        literal.functions(companion, table, text_of)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("ghosts", ["base: Int := 1", "gathered: Seq[Int]"]),
        ("ghosts", ["base: Int\n  space._colour := Seq(Set(1))", "gathered: Seq[Int]"]),
        ("named", "expand_all() {}\nmethod more"),
    ],
)
def test_names_in_a_companion_are_names(key: str, said: Any) -> None:
    table = literal.table_of("search/unordered.toml")
    table["functions"][0][key] = said
    with pytest.raises(ProofError, match=r"more than a variable|no name of a method"):
        literal.functions("search/unordered.toml", table, text_of)


TRUSTED = [
    ("search/depth.toml", 0, {"of": "everafter.search.framework.report", "named": "nothing"}),
    ("search/depth.toml", 1, {"sets": []}),
    ("search/depth.toml", 1, {"named": "planted"}),
    ("search/trimming.toml", 3, {"fixed": {"inside": "ACTIVE", "search": "STEM"}}),
    (
        "search/trimming.toml",
        3,
        {"names": "everafter.search.breadth", "fixed": {"inside": "KNOWN", "search": "SHORTEST"}},
    ),
    ("search/generalised/hooks.toml", 0, {"named": "expand_all"}),
]


@pytest.mark.parametrize(("companion", "number", "other"), TRUSTED)
def test_what_is_trusted_is_proved_where_it_is_imported_from(
    companion: str, number: int, other: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a method that the companion itself declares, and proves, could stand for any function."""
    tables = {each: literal.table_of(each) for each in literal.companions()}
    monkeypatch.setattr(literal, "table_of", tables.__getitem__)
    literal.check_trusted(companion)
    tables[companion]["trusted"][number] |= other
    with pytest.raises(ProofError, match=r"is not proved of everafter\."):
        literal.check_trusted(companion)


def test_what_is_trusted_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(literal, "imports", lambda _: ())
    with pytest.raises(ProofError, match=r"is not proved of everafter\."):
        literal.check_trusted("search/depth.toml")
