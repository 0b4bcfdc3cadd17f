"""No input makes the reader fail in any way but by saying what is wrong with it."""

from __future__ import annotations

import pytest
from oracles.promela.fuzzing import NESTINGS, fuzzed

from everafter.program.program import build
from everafter.promela.parser import parse
from everafter.promela.propositions import proposition
from everafter.source import InputError, Place, Source

CHUNK = 250
CHUNKS = 12


def read(text: str) -> str:
    """`accepted`, or the rendered messages."""
    try:
        model, _ = parse(Source("fuzzed.pml", text))
        build(model)
    except InputError as error:
        return error.render()
    return "accepted"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_fuzzed_inputs_are_accepted_or_refused(chunk: int) -> None:
    for seed in range(1_000_000 + chunk * CHUNK, 1_000_000 + (chunk + 1) * CHUNK):
        assert read(fuzzed(seed)), f"seed {seed} is refused without a message"


def doubled(first: str, pattern: str, count: int) -> str:
    """Definitions each of which uses the one before it twice."""
    return "\n".join([first, *(pattern.format(after=i + 1, before=i) for i in range(count))])


#: Inputs that once made the reader fail, run out of memory or take longer than two seconds.
FOUND = {
    "macros that double": doubled("#define M0 x++;", "#define M{after} M{before} M{before}", 40)
    + "\nbyte x; active proctype P() { M40 }",
    "macros whose arguments double": doubled("#define M0(a) a", "#define M{after}(a) M{before}(a a)", 40)
    + "\nbyte x; active proctype P() { M40(x++;) }",
    "inlines that double": doubled(
        "byte x; inline M0() { x++ }", "inline M{after}() {{ M{before}(); M{before}() }}", 30
    )
    + "\nactive proctype P() { M30() }",
    "an inline within its own argument": "byte x; inline i(a) { x = a } active proctype P() { " + "i(" * 3000 + "}",
    "labels upon labels": "active proctype P() { " + "L: " * 3000 + "skip }",
    "one label again and again": "active proctype P() { " + "goto A; A: " * 600 + "skip }",
    "conditionals within conditionals": "\n#if 1\n" * 3000 + "byte x;\n" + "\n#endif\n" * 3000,
    "blocks within blocks, each with a declaration": "active proctype P() { " + "byte z; { " * 3000,
    "a shift in a condition that outgrows a float": "#if (((1 << 63) << 63) << 63) / 3\n#endif\ninit { skip }",
    "a number of five thousand digits": "byte x = " + "9" * 5000 + "; init { skip }",
    "an array of a million structures": "typedef T { byte a[1000] }; T t[1000]; init { skip }",
    "structures that double": doubled("typedef M0 { byte x }", "typedef M{after} {{ M{before} a; M{before} b }}", 60)
    + "\nM60 m; init { skip }",
    "channels of wide messages": "typedef T { byte a[9999] }; chan q = [65535] of { T }; init { skip }",
    "a NUL byte": "byte x\0; init { skip }",
    "a lone quote": 'init { printf(" }',
    "nothing but spaces": " \t\n\r\n",
}


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND.keys())
def test_inputs_that_once_failed(text: str) -> None:
    assert read(text)


@pytest.mark.parametrize("nesting", NESTINGS, ids=lambda nesting: nesting[0].strip())
@pytest.mark.parametrize("depth", [20, 59, 130, 2000])
def test_nesting_never_exhausts_the_stack(nesting: tuple[str, str], depth: int) -> None:
    before, after = nesting
    declarations = "byte x; chan q = [2] of { byte };\ninline i0(a) { x = a }\n"
    assert read(f"{declarations}active proctype P() {{ {before * depth}1{after * depth} }}")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 11_000 + "x" + ")" * 11_000,
        "x[" * 200 + "0" + "]" * 200,
        " + ".join(f"unknown{i}" for i in range(50)),
        "!" * 500 + "x",
    ],
)
def test_propositions_are_refused_in_good_order(text: str) -> None:
    model, _ = parse(Source("model.pml", "byte x; active proctype P() { x = 1 }"))
    with pytest.raises(InputError):
        proposition(model, text, Place(Source("formula", text), 1, 1))
