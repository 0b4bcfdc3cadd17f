"""The preprocessor gives the tokens that a C preprocessor gives, and says where each mistake is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from time import process_time

import pytest
from oracles.promela.random_macros import compare
from oracles.spin import by_preprocessor

from everafter.promela.preprocess import preprocess
from everafter.promela.tokens import Token, scan
from everafter.source import Diagnostic, Source
from everafter.system import without_collecting


def expanded(text: str, defines: dict[str, str] | None = None, name: str = "model.pml") -> list[str]:
    """The texts of our tokens; there must be no complaint."""
    problems: list[Diagnostic] = []
    tokens = preprocess(Source(name, text), defines or {}, problems)
    assert not problems, problems[0].render()
    return [token.text for token in tokens]


def complaints(text: str, name: str = "model.pml") -> list[str]:
    """What is said of a wrong text, each message with its place."""
    problems: list[Diagnostic] = []
    preprocess(Source(name, text), {}, problems)
    return [str(problem) for problem in problems]


def by_gcc(text: str, *options: str) -> list[str]:
    """The tokens of what gcc makes of the text."""
    made = by_preprocessor(text, *options)
    assert made is not None
    return [token.text for token in scan(Source("gcc", made), []) if token.kind != "newline"]


CASES = {
    "object": "#define N 3\nN; N+N; NN",
    "empty": "#define NOTHING\nNOTHING a NOTHING b",
    "no directive": "a # b",
    "redefined": "#define N 1\nN\n#undef N\nN\n#define N 2\nN",
    "nested objects": "#define A B\n#define B C\n#define C 5\nA",
    "used before the inner one is defined": "#define A B\n#define B 1\nA\n#undef B\n#define B 2\nA",
    "self-reference": "#define A A + 1\nA",
    "mutual recursion": "#define A B a\n#define B A b\nA; B",
    "function": "#define F(x) (x*x)\nF(2); F(a+b); F((a,b)); F()",
    "function without a call": "#define F(x) (x)\nF; F + 1; (F)",
    "space before the parenthesis of a definition": "#define F (x) y\nF",
    "space before the parenthesis of a call": "#define F(x) <x>\nF (1); F\t(2)",
    "call over several lines": "#define F(x,y) x+y\nF(1,\n  2); F\n(\n3\n,\n4\n)",
    "two parameters": "#define MAX(a,b) ((a) > (b) -> (a) : (b))\nMAX(x, y); MAX(MAX(1,2),3)",
    "no parameters": "#define G() 7\nG() G ( ) G",
    "empty arguments": "#define F(a,b) [a|b]\nF(,) F(1,) F(,2)",
    "argument is a macro": "#define N 3\n#define F(x) x x\nF(N)",
    "argument is a call": "#define F(x) {x}\nF(F(F(1)))",
    "body is a call": "#define F(x) <x>\n#define G(y) F(y) F(y+1)\nG(G(1))",
    "recursion through arguments": "#define F(x) x F(x)\nF(F(1))",
    "call made by an expansion": "#define F(x) x+x\n#define A F\nA(2)",
    "call whose parenthesis comes later": "#define L (\n#define F(x) [x]\nF L 1 )",
    "name completed by the rest of the line": "#define F(x) [x]\n#define G F\nG(1) G (2) G",
    "stringify": '#define S(x) #x\nS(a + b); S("q\\n"); S( a   b ); S()',
    "stringify does not expand": "#define N 3\n#define S(x) #x\n#define T(x) S(x)\nS(N) T(N)",
    "paste": "#define P(a,b) a##b\nP(x,1); P(1,2); P(a,); P(,b); P(,)",
    "paste does not expand": "#define N 3\n#define P(a,b) a##b\nP(N,1) P(N,) P(a,N)",
    "paste makes a macro": "#define AB 9\n#define P(a,b) a ## b\nP(A,B)",
    "paste of three": "#define P(a,b,c) a##b##c\nP(x,y,z) P(1,2,3)",
    "paste of operators": "#define P(a,b) a##b\nP(<,<) P(-,>) P(=,=)",
    "paste of several words": "#define P(a,b) a##b\nP(x y, z w)",
    "paste in an object": "#define XY a ## b\nXY",
    "variadic": "#define V(...) q!__VA_ARGS__\nV(1); V(1,2,3); V()",
    "variadic after others": "#define V(q, ...) q!__VA_ARGS__;\nV(c, 1, 2) V(d, (1,2), 3)",
    "comma before further arguments": "#define V(q, ...) f(q, ## __VA_ARGS__)\nV(1) V(1,) V(1,2) V(1,V(2))",
    "further arguments with a name": "#define V(q, r...) f(q, ## r) #r\nV(1) V(1,2 ,3)",
    "directives among arguments": "#define F(x, y) x-y\nF(1\n#define N 3\n#if N\n,N\n#else\n,4\n#endif\n) N",
    "quoting what has been an argument": "#define S(x) #x\n#define F(x) S(x) S(a x)\nF(1\n2)",
    "directive behind a name": "#define F(x) [x]\nF\n#define N\n(3)",
    "numbers of conditions": "#if 010 == 8 && 0x1F == 31 && 7L == '\\a' && 1 << 70 == 0\nyes\n#endif",
    "variadic in printf": '#define LOG(f, ...) printf(f, __VA_ARGS__)\nLOG("%d %d", x, y)',
    "brackets do not protect commas": "#define F(a,b) a-b\nF([1,2])",
    "strings hide commas and names": '#define x 1\n#define F(a) a\nF("x,y") "x" \'x\'',
    "comments": "#define N /* none */ 3 // three\nN /* N */ N // N\n",
    "comment over lines": "a /* one\ntwo */ b\n#define N 1 /* x\n y */ + 2\nN",
    "continued lines": "#define F(a) a + \\\n  a\nF(1)\n#define \\\nM 4\nM",
    "if": "#define N 2\n#if N > 1\nyes\n#else\nno\n#endif",
    "if with names unknown": "#if UNKNOWN\nyes\n#elif !UNKNOWN\nother\n#endif",
    "elif": "#define N 2\n#if N==1\none\n#elif N==2\ntwo\n#elif N==2\nagain\n#else\nnone\n#endif",
    "ifdef": "#define A\n#ifdef A\na\n#endif\n#ifdef B\nb\n#else\nnot b\n#endif\n#ifndef B\nno b\n#endif",
    "defined": "#define A\n#if defined A && defined(A) && !defined(B)\nyes\n#endif\n#if defined(B)\nno\n#endif",
    "nested conditionals": "#define A 1\n#if 0\n#if A\nx\n#else\ny\n#endif\n#elif A\n#if 0\nz\n#endif\n#endif",
    "false branches are not read": '#if 0\n#define X 1\n#include "nothing"\n#error no\n\'\n#endif\nX',
    "arithmetic": "#if 1 + 2 * 3 == 7 && 7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1\nyes\n#endif",
    "unary and ternary": "#if !0 && ~0 == -1 && +1 && (0 ? 0 : 1) && (1 ? 2 : 0) == 2\nyes\n#endif",
    "comparison": "#if 3 >= 2 && 2 <= 2 && 1 < 2 && 2 > 1 && 1 != 2\nyes\n#endif",
    "bits": "#if (1 << 4 | 1) == 17 && (6 & 3) == 2 && (6 ^ 3) == 5 && 8 >> 1 == 4\nyes\n#endif",
    "what does not matter is not computed": "#if 0 && 1 / 0 || 1 || 1 % 0\nyes\n#endif\n#if 1 ? 1 : 1 / 0\nyes\n#endif",
    "large numbers": "#if 1 << 62 > 0 && (1 << 62) / (1 << 61) == 2 && 922337203685477580 / 3 > 1\nyes\n#endif",
    "left to right": "#if 10 - 3 - 2 == 5 && 100 / 10 / 5 == 2\nyes\n#endif",
    "characters": "#if 'a' == 97\nyes\n#endif",
    "macro in a condition": "#define F(x) (x > 2)\n#if F(3) && !F(1)\nyes\n#endif",
    "indented directives": "  #define N 1\n\t# define M 2\n #  if N\nN M\n # endif",
    "empty directive": "#\na\n# \nb",
    "line number": "a\n__LINE__\n#define L __LINE__\n\nL L",
    "promela operators": "::x->y :: a..b ?? !! <-> ++ -- @ q??[x] c_expr",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
@pytest.mark.spin
def test_the_tokens_are_those_of_gcc(text: str) -> None:
    assert expanded(text) == by_gcc(text)


@pytest.mark.spin
def test_names_defined_on_the_command_line() -> None:
    text = "#ifdef N\nN * N\n#endif\n#if M > 2\nM\n#endif\nO"
    assert expanded(text, {"N": "1 + 1", "M": "3", "O": ""}) == by_gcc(text, "-DN=1 + 1", "-DM=3", "-DO=")


# Includes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    (tmp_path / "consts.h").write_text("#define N 4\nbyte shared;\n")
    (tmp_path / "parts" / "outer.h").write_text('#include "deep/inner.h"\nouter\n')
    (tmp_path / "parts" / "deep" / "inner.h").write_text("inner\n")
    (tmp_path / "guarded.h").write_text("#ifndef GUARD\n#define GUARD\nonce\n#endif\n")
    (tmp_path / "itself.h").write_text('#include "itself.h"\n')
    (tmp_path / "ping.h").write_text('#include "pong.h"\n')
    (tmp_path / "pong.h").write_text('#include "ping.h"\n')
    (tmp_path / "wrong.h").write_text("fine\n#frobnicate\n")
    (tmp_path / "open.h").write_text("#if 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        '#include "consts.h"\nN',
        "#include <consts.h>\nN",
        '#include "parts/outer.h"\nafter',
        '#include "guarded.h"\n#include "guarded.h"\n',
        '#define FILE "consts.h"\n#include FILE\nN',
        '#include "consts.h" // with a comment\nN',
    ],
)
@pytest.mark.spin
def test_included_text_is_that_of_gcc(folder: Path, text: str) -> None:
    (folder / "model.pml").write_text(text)
    command = ["gcc", "-E", "-P", "-x", "c", "-I.", "model.pml"]
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    theirs = [token.text for token in scan(Source("gcc", done.stdout), []) if token.kind != "newline"]
    assert expanded(text, name=str(folder / "model.pml")) == theirs


def test_a_token_remembers_how_it_got_here(folder: Path) -> None:
    problems: list[Diagnostic] = []
    text = '#define TWICE(x) x x\n#include "parts/outer.h"\nTWICE(outer)'
    tokens = preprocess(Source(str(folder / "model.pml"), text), {}, problems)
    inner = next(token for token in tokens if token.text == "inner")
    assert inner.place.source.name == str(folder / "parts" / "deep" / "inner.h")
    assert [(step.kind, step.name, step.place.line) for step in inner.place.chain()] == [
        ("include", "deep/inner.h", 1),
        ("include", "parts/outer.h", 2),
    ]


def test_a_token_of_a_macro_knows_its_definition_and_its_use() -> None:
    tokens: list[Token] = preprocess(Source("m", "#define INC(v) v = v + one\n\nINC(x)"), {}, [])
    word = tokens[-1]
    assert (word.text, word.place.line, word.place.column) == ("one", 1, 24)
    assert [(step.kind, step.name, str(step.place)) for step in word.place.chain()] == [("macro", "INC", "m:3:1")]
    assert str(word.place.seen_at()) == "m:3:1"
    argument = tokens[0]
    assert (argument.text, str(argument.place)) == ("x", "m:3:5")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('\n#include "missing.h"', "model.pml:2:10: error: cannot find the included file 'missing.h'"),
        ('#include "itself.h"', "itself.h:1:10: error: 'itself.h' includes itself"),
        ('#include "ping.h"', "pong.h:1:10: error: 'ping.h' includes itself"),
        ('#include "wrong.h"', "wrong.h:2:2: error: unknown directive #frobnicate"),
        ('#include "open.h"', "open.h:1:2: error: this conditional is never closed"),
        ("#include", 'model.pml:1:2: error: #include needs "file" or <file>'),
        ("#include consts", 'model.pml:1:2: error: #include needs "file" or <file>'),
    ],
)
@pytest.mark.usefixtures("folder")
def test_mistakes_about_includes(text: str, expected: str) -> None:
    assert complaints(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a /* b", ["model.pml:1:3: error: comment is not closed"]),
        ("#endif", ["model.pml:1:2: error: #endif without #if"]),
        ("#else", ["model.pml:1:2: error: #else without #if"]),
        ("#elif 1", ["model.pml:1:2: error: #elif without #if"]),
        ("x\n #if 1\ny", ["model.pml:2:3: error: this conditional is never closed"]),
        ("#if 1\n#else\n#else\n#endif", ["model.pml:3:2: error: #else after #else"]),
        ("#if 1\n#else\n#elif 1\n#endif", ["model.pml:3:2: error: #elif after #else"]),
        ("#if\n#endif", ["model.pml:1:2: error: #if needs an expression"]),
        ("#if 1 +\n#endif", ["model.pml:1:2: error: #if needs an expression"]),
        ("#if (1\n#endif", ["model.pml:1:5: error: '(' is not closed in #if"]),
        ("#if 1 ? 2\n#endif", ["model.pml:1:2: error: '?' without ':' in #if"]),
        ("#if 1 2\n#endif", ["model.pml:1:7: error: unexpected '2' in #if"]),
        ("#if 1 / 0\n#endif", ["model.pml:1:7: error: division by zero in #if"]),
        ("#ifdef\n#endif", ["model.pml:1:2: error: #ifdef needs a name"]),
        ("#define", ["model.pml:1:2: error: #define needs a name"]),
        ("#define 3 x", ["model.pml:1:2: error: #define needs a name"]),
        ("#define F(a x", ["model.pml:1:10: error: the parameters of macro 'F' are not closed"]),
        ("#define F(a,3) x", ["model.pml:1:13: error: '3' cannot be a parameter of macro 'F'"]),
        ("#define F(a,a) x", ["model.pml:1:13: error: macro 'F' has two parameters 'a'"]),
        ("#undef", ["model.pml:1:2: error: #undef needs a name"]),
        ("#error not yet  ready", ["model.pml:1:2: error: #error not yet ready"]),
        ("#define F(a,b) a\nF(1)", ["model.pml:2:1: error: macro 'F' takes 2 arguments, not 1"]),
        ("#define F(a) a\n F(1,2)", ["model.pml:2:2: error: macro 'F' takes 1 argument, not 2"]),
        ("#define F() a\nF(1)", ["model.pml:2:1: error: macro 'F' takes 0 arguments, not 1"]),
        ("#define F(a) a\nF(1", ["model.pml:2:2: error: the call of macro 'F' is not closed"]),
        ("#defin N 1", ["model.pml:1:2: error: unknown directive #defin"]),
    ],
)
def test_mistakes_have_a_place(text: str, expected: list[str]) -> None:
    assert complaints(text) == expected


def test_a_misspelt_directive_is_advised() -> None:
    problems: list[Diagnostic] = []
    preprocess(Source("m", "#defin N 1"), {}, problems)
    assert problems[0].advice == "did you mean 'define'?"


@pytest.mark.parametrize("first", range(0, 120, 20))
@pytest.mark.spin
def test_random_texts_are_as_gcc_has_them(first: int) -> None:
    """A fair share of campaigns/preprocessing.py."""
    for seed in range(first, first + 20):
        outcome, explanation = compare(seed)
        assert outcome != "differs", f"seed {seed}: {explanation}"


def test_headers_may_include_each_other_behind_guards(folder: Path) -> None:
    (folder / "one.h").write_text('#ifndef ONE\n#define ONE\nx\n#include "two.h"\n#endif\n')
    (folder / "two.h").write_text('#ifndef TWO\n#define TWO\n#include "one.h"\ny\n#endif\n')
    assert expanded('#include "one.h"\n#include "two.h"\nz') == ["x", "y", "z"]
    (folder / "grows.h").write_text('#define A 1\n#include "grows.h"\n')
    assert [text.split(": ", 1)[1] for text in complaints('#include "grows.h"')] == ["error: 'grows.h' includes itself"]


SHAPES = {
    "headers of C": "c_decl {{\n{}\n}}".format,
    "directives in a call": "#define F(x) x\nF(\n{}\n)".format,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_takes_linear_time(shape: str) -> None:
    """Twice the text is read in about twice the time; quadratic reading takes four times as long."""
    piece = "#include <none.h>\nint a;\n" if shape == "headers of C" else "#if 1\na b\n#endif\n"

    def taken(count: int) -> float:
        begin = process_time()
        assert not complaints(SHAPES[shape](piece * count))
        return process_time() - begin

    with without_collecting():  # whose time depends on what other tests have left
        assert min(taken(6000) for _ in range(3)) < 9 * min(taken(1500) for _ in range(3))
