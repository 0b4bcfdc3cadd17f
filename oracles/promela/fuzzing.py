"""Inputs that no author meant: random bytes, token soup, mutated models, and shapes that exhaust a careless reader."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache

from oracles.corpus import EXAMPLES, PACKAGE
from oracles.promela.random_programs import program

WORDS = re.compile(r'"[^"\n]*"|[A-Za-z_]\w*|\d+|\s+|[-+*/%&|^~!?<>=:;,.(){}\[\]@#]', re.DOTALL)
_WORD_TEXT = """active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track D_proctype do chan else
    empty enabled eval false fi for full get_priority goto hidden if init inline int len local ltl mtype nempty never
    nfull notrace np_ od of pc_value pid printf printm priority proctype provided return run d_step select set_priority
    short skip timeout trace true show typedef unless unsigned xr xs in _ _pid _last _nr_pr _priority P Q x y q a b end1
    { } { } ( ) ( ) [ ] :: :: -> ; ; ; , , : .. ! !! ? ?? < > = == != + - * / % & && | || ^ ~ << >> ++ -- . @
    0 1 2 3 255 "text" 'c' #define #include #if #else #endif #ifdef ## ... \\"""
VOCABULARY = _WORD_TEXT.split()
ODDITIES = (
    "\0",
    "\x7f",
    "é",
    "λ",
    "\u2028",
    "\U0001f600",
    "\ufeff",
    "\r",
    "\t\v\f",
    "'",
    '"',
    "\\",
    "`",
    "$",
    "/*",
    "*/",
    "//",
)
NUMBERS = ("0", "-1", "256", "65536", "2147483647", "2147483648", "4294967296", "9" * 30, "9" * 5000, "0x10", "007")


@cache
def models() -> tuple[str, ...]:
    """The texts to be mutated: our examples, Debian's where they are installed, and some random programs."""
    paths = [*EXAMPLES, *sorted(PACKAGE.rglob("*.pml"))]
    texts = [path.read_text(errors="replace") for path in paths]
    return (*[text for text in texts if len(text) < 3_000], *(program(seed) for seed in range(60)))


def fuzzed(seed: int) -> str:
    """The input of a seed."""
    rng = random.Random(seed)
    return rng.choices(_KINDS, weights=_WEIGHTS)[0](rng)


def _bytes(rng: random.Random) -> str:
    return rng.randbytes(rng.randrange(1, 200)).decode("utf-8", errors="replace")


def _soup(rng: random.Random) -> str:
    words = rng.choices(VOCABULARY, k=rng.randrange(1, 120))
    text = "".join(word + rng.choice((" ", " ", " ", "\n", "")) for word in words)
    return text if rng.random() < 0.3 else "byte x, y; chan q = [2] of { byte }; active proctype P() {\n" + text + "}"


def _mutated(rng: random.Random) -> str:
    words: list[str] = WORDS.findall(_piece(rng, rng.choice(models())))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if words:
            rng.choice(_WORD_CHANGES)(rng, words)
    return "".join(words)


def _scratched(rng: random.Random) -> str:
    letters = list(_piece(rng, rng.choice(models())))
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if letters:
            rng.choice(_LETTER_CHANGES)(rng, letters)
    return "".join(letters)


def _piece(rng: random.Random, text: str) -> str:
    """The text, cut short now and then, so that brackets, comments and conditionals stay open."""
    if rng.random() < 0.85:
        return text
    start, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return text[:end] if rng.random() < 0.5 else text[start:end]


def _delete(rng: random.Random, words: list[str]) -> None:
    start = rng.randrange(len(words))
    del words[start : start + rng.choice((1, 1, 2, 10))]


def _duplicate(rng: random.Random, words: list[str]) -> None:
    start = rng.randrange(len(words))
    words[start:start] = words[start : start + rng.choice((1, 1, 3, 20))]


def _swap(rng: random.Random, words: list[str]) -> None:
    first, second = rng.randrange(len(words)), rng.randrange(len(words))
    words[first], words[second] = words[second], words[first]


def _replace_word(rng: random.Random, words: list[str]) -> None:
    words[rng.randrange(len(words))] = rng.choice((*VOCABULARY, *NUMBERS, rng.choice(words)))


def _insert_word(rng: random.Random, words: list[str]) -> None:
    words.insert(rng.randrange(len(words) + 1), f" {rng.choice((*VOCABULARY, *NUMBERS))} ")


def _grow_number(rng: random.Random, words: list[str]) -> None:
    numbers = [position for position, word in enumerate(words) if word.isdigit()]
    if numbers:
        words[rng.choice(numbers)] = rng.choice(NUMBERS)


def _scratch(rng: random.Random, letters: list[str]) -> None:
    letters[rng.randrange(len(letters))] = rng.choice((chr(rng.randrange(256)), *ODDITIES))


_Change = Callable[[random.Random, list[str]], None]
_WORD_CHANGES: Sequence[_Change] = (_delete, _duplicate, _swap, _replace_word, _insert_word, _grow_number)
_LETTER_CHANGES: Sequence[_Change] = (_delete, _duplicate, _swap, _scratch)

#: Each is repeated many times where a statement may stand.
NESTINGS = (
    ("{ ", " }"),
    ("atomic { ", " }"),
    ("d_step { ", " }"),
    ("if :: ", " fi;"),
    ("do :: ", " od;"),
    ("(", ")"),
    ("x = ((1 -> ", " : 2))"),
    ("!", ""),
    ("- ", ""),
    ("~", ""),
    ("x[", "]"),
    ("x + ", "1"),
    ("x && ", "1"),
    ("q!", "1"),
    ("q?(", ")"),
    ("q?eval(", ")"),
    ("L: ", "skip;"),
    ("x.", "x"),
    ("{ skip } unless ", ""),
    ("skip; ", ""),
    ("byte z; { ", "}"),
    ("run P(", ")"),
    ("goto A; A: ", ""),
    ("for (x : 1 .. 2) { ", "}"),
    ("select (x : 1 .. 2); ", ""),
    ("len(", ")"),
    ("eval(", ")"),
    ("enabled(", ")"),
    ("assert(", ")"),
    ("\n#if 1\n", "\n#endif\n"),
    ("\n#if (", ")\n"),
    ("/*", "*/"),
    ("::", ""),
    ("P[", "]@L"),
    ("i0(", ")"),
    ("x = i0(", ");"),
)


def _nested(rng: random.Random) -> str:
    before, after = rng.choice(NESTINGS)
    depth = rng.choice((10, 50, 59, 130, 600, 3000))
    kept = depth if rng.random() < 0.7 else rng.randrange(depth)
    inner = rng.choice(("skip", "x++", "x == 1", "", "break", "1"))
    return (
        "byte x; chan q = [2] of { byte };\ninline i0(a) { x = a }\n"
        f"active proctype P() {{ {before * depth}{inner}{after * kept} }}"
    )


def _explosive(rng: random.Random) -> str:
    """Short texts that stand for long ones."""
    size = rng.choice((3, 8, 20, 40))
    lines = {
        "macros": ["#define M0 x++;", *(f"#define M{i + 1} M{i} M{i}" for i in range(size))],
        "calls": ["#define M0(a) a", *(f"#define M{i + 1}(a) M{i}(a a)" for i in range(size))],
        "inlines": ["inline M0() { x++ }", *(f"inline M{i + 1}() {{ M{i}(); M{i}() }}" for i in range(size))],
        "structures": ["typedef M0 { byte x }", *(f"typedef M{i + 1} {{ M{i} a[4] }}" for i in range(size))],
    }
    kind = rng.choice(list(lines))
    use = {"macros": f"M{size}", "calls": f"M{size}(x++;)", "inlines": f"M{size}()", "structures": "x = s.a[0]"}[kind]
    variable = f"M{size} s;" if kind == "structures" else ""
    return "\n".join((*lines[kind], f"byte x; {variable}", f"active proctype P() {{ {use} }}"))


def _wide(rng: random.Random) -> str:
    """Large numbers where a size is declared."""
    number, other = rng.choice(NUMBERS), rng.choice(NUMBERS)
    declaration = rng.choice(
        (
            f"byte a[{number}];",
            f"typedef T {{ byte a[{number}] }}; T t[{other}];",
            f"typedef T {{ byte a[{number}] }}; chan q = [{other}] of {{ T, T }};",
            f"chan q[{number}] = [{other}] of {{ byte }};",
            f"unsigned u : {number};",
            f"active [{number}] proctype Q() {{ skip }}",
            f"byte x; active proctype Q() {{ select (x : {number} .. {other}) }}",
            f"byte x; active proctype Q() {{ for (x : {number} .. {other}) {{ skip }} }}",
            f"byte x; active proctype Q() priority {number} {{ x = {other} }}",
            f"byte x = {number} << {other} / {other};",
            f"int x[2] = {{ {number}, {other} }}",
            "mtype = { " + ", ".join(f"m{i}" for i in range(rng.choice((10, 255, 256, 3000)))) + " };",
            "".join(f"byte v{i}; " for i in range(rng.choice((10, 500, 4000)))),
            f"#if {number} / {other} % {number} << {other}\n#endif\n",
        )
    )
    return f"{declaration}\ninit {{ skip }}"


_KINDS: Sequence[Callable[[random.Random], str]] = (_bytes, _soup, _mutated, _scratched, _nested, _explosive, _wide)
_WEIGHTS = (100, 200, 350, 220, 60, 2, 40)
