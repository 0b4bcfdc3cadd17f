"""Models that grow in one thing only: what `benchmarks.cliffs` measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """One thing that grows. `claims` is how many formulas the model states, all of them to be checked."""

    name: str
    model: Callable[[int], str]
    sizes: tuple[int, ...]
    claims: Callable[[int], int] = lambda _: 0
    depth: int = 100_000
    """How deep SPIN's stack is."""
    vector: int = 4096
    """How many bytes of a state SPIN is built for."""


def _lines(line: Callable[[int], str], size: int) -> str:
    return "\n".join(map(line, range(size)))


def _sequence(kind: str) -> Callable[[int], str]:
    """A loop of one sequence with as many steps; it is taken a hundred times by each of two processes."""

    def model(size: int) -> str:
        steps = _lines(lambda k: f"    x = (x + {k % 7}) & 255;", size)
        body = f"do :: i < 100 -> {kind} {{\n{steps}\n    i++ }} :: else -> break od"
        return f"byte x; byte ended;\nactive [2] proctype P() {{ byte i;\n{body}; ended++ }}"

    return model


def _choices(size: int) -> str:
    options = _lines(lambda k: f"  :: x == {k} -> x = {(k + 1) % size}", size)
    return f"int x;\nactive [2] proctype P() {{ do\n{options}\nod }}"


def _successors(size: int) -> str:
    """One state with as many successors."""
    options = _lines(lambda k: f"  :: x = {k}", size)
    loop = f"do :: turns < 5 -> turns++; if\n{options}\nfi :: else -> break od"
    return f"int x; byte turns;\nactive proctype P() {{ {loop} }}"


def _processes(size: int) -> str:
    return f"byte turn;\nactive [{size}] proctype P() {{ turn == _pid; turn++ }}"


def _channels(size: int) -> str:
    declared = _lines(lambda k: f"chan c{k} = [1] of {{ byte }};", size)
    passed = _lines(lambda k: f"    c{k}!x; c{k}?x;", size)
    return f"{declared}\nactive proctype P() {{ byte x; do :: x < 100 ->\n{passed}\n    x++ :: else -> break od }}"


def _channel_length(size: int) -> str:
    sender = "active proctype S() { byte i; do :: c!i; i = (i + 1) % 3 od }"
    return f"chan c = [{size}] of {{ byte }};\n{sender}\nactive proctype R() {{ byte x; do :: c?x od }}"


def _message_width(size: int) -> str:
    fields, sent = ", ".join(["byte"] * size), ", ".join(["i"] * size)
    received = ", ".join(f"x{k}" for k in range(size))
    sender = f"active proctype S() {{ byte i; do :: c!{sent}; i++ od }}"
    receiver = f"active proctype R() {{ byte {received}; do :: c?{received} od }}"
    return f"chan c = [2] of {{ {fields} }};\n{sender}\n{receiver}"


def _array(size: int) -> str:
    """Two processes run through an array by a variable, in turn."""
    body = f"do :: i < {size} -> turn == _pid; a[i] = a[i] + 1; turn = 1 - turn; i++ :: else -> break od"
    return f"byte a[{size}]; byte turn;\nactive [2] proctype P() {{ int i; {body} }}"


def _told_cells(size: int) -> str:
    """Every cell of an array is named in the text."""
    options = _lines(lambda k: f"  :: i == {k} -> a[{k}] = a[{k}] + 1; i++", size)
    return f"byte a[{size}];\nactive [2] proctype P() {{ int i; do\n{options}\n  :: i == {size} -> break od }}"


def _globals(size: int) -> str:
    declared = _lines(lambda k: f"byte v{k};", size)
    steps = _lines(lambda k: f"    v{k} = 1;", size)
    other = "active proctype Q() { byte i; do :: i < 10 -> i++ :: else -> break od }"
    return f"{declared}\nactive proctype P() {{\n{steps}\n}}\n{other}"


def _expression(size: int) -> str:
    text = "x"
    for k in range(size):
        text = f"({text} + {k % 5})" if k % 2 else f"({k % 3} + {text})"
    return f"byte x;\nactive proctype P() {{ do :: x = {text} & 255 od }}"


def _deep_run(size: int) -> str:
    return f"int x;\nactive proctype P() {{ do :: x < {size} -> x++ :: else -> break od }}"


def _properties(size: int) -> str:
    stated = _lines(lambda k: f"ltl p{k} {{ [] (x <= {100 + k}) }}", size)
    return f"byte x;\nactive proctype P() {{ do :: x < 100 -> x++ :: else -> x = 0 od }}\n{stated}"


_COUNTER = "byte x;\nactive proctype P() { do :: x < 20 -> x++ :: else -> x = 0 od }\n"


def _conjunction(size: int) -> str:
    return _COUNTER + "ltl p0 { " + " && ".join(f"([] (x != {k + 30}))" for k in range(size)) + " }"


def _nested_next(size: int) -> str:
    return _COUNTER + "ltl p0 { [] ((x == 50) -> " + "X " * size + "(x == 60)) }"


def _untils(size: int) -> str:
    text = f"(x == {size})"
    for k in reversed(range(size)):
        text = f"((x <= {k}) U {text})"
    return f"{_COUNTER}ltl p0 {{ {text} }}"


def _inlines(size: int) -> str:
    declared = _lines(lambda k: f"inline i{k + 1}() {{ i{k}(); x = (x + {k}) & 255 }}", size)
    return f"byte x;\ninline i0() {{ x = 0 }}\n{declared}\nactive proctype P() {{ i{size}() }}"


def _macros(size: int) -> str:
    declared = _lines(lambda k: f"#define M{k + 1} (M{k} + 1)", size)
    return f"#define M0 0\n{declared}\nbyte x;\nactive proctype P() {{ x = (M{size}) & 255 }}"


def _calls(size: int) -> str:
    calls = _lines(lambda _: "  add(x, 3);", size)
    return f"byte x;\ninline add(a, b) {{ a = (a + b) & 255 }}\nactive proctype P() {{\n{calls}\n}}"


def _phases(size: int) -> str:
    """A state machine in one process that another one starts: options beside options, an array of structures."""
    parts = _lines(
        lambda k: (
            f"""  if :: s[{k % 40}].mode == {k % 3} -> s[{k % 40}].data[{k % 4}] = event; out!{k % 5}(event)
  :: else -> if :: event > 2 -> s[{(k + 1) % 40}].mode = {(k + 1) % 3} :: event == 1 -> q[{k % 4}]!event
    :: else -> q[{k % 4}]?event fi fi; count{k % 16}++"""
        ),
        size // 10,
    )
    counts = " ".join(f"byte count{k};" for k in range(16))
    return f"""typedef S {{ byte mode; byte data[4] }}
S s[40]; {counts} chan out = [3] of {{ byte, byte }}; chan q[4] = [2] of {{ byte }};
proctype Machine() {{ byte event;\n{parts} }}
active proctype Environment() {{ byte i, j; do :: out?i,j -> q[0]!j :: q[1]?i od }}
init {{ run Machine() }}"""


def _proctypes(size: int) -> str:
    """Proctypes that are alike but for their names, as they are written by programs."""
    body = "byte l; do :: l < 2 -> atomic { x = (x + %d) %% 7; l++ } :: else -> break od; done++"
    return "byte x; byte done;\n" + _lines(lambda k: f"active proctype P{k}() {{ {body % k} }}", size)


def _components(size: int) -> str:
    """Proctypes that send to each other, each over a channel it is given and some that all know."""
    channels = _lines(lambda k: f"chan c{k} = [{k % 3}] of {{ byte, byte }}; byte g{k}; byte h{k}[4];", size)

    def step(k: int, j: int) -> str:
        passed = f"c{(k + j) % size}!x,{j}; c{(k + 3 * j + 1) % size}?x,y;"
        return f"  {passed} if :: g{(k + j) % size} > 1 -> h{k}[y % 4] = x :: else -> g{k} = y fi; assert(x < 200);\n"

    def component(k: int) -> str:
        return f"proctype P{k}(chan a) {{ byte x, y;\n{''.join(step(k, j) for j in range(4))}  a!x,y }}"

    started = "; ".join(f"run P{k}(c{k})" for k in range(size))
    return f"{channels}\n{_lines(component, size)}\ninit {{ atomic {{ {started} }} }}"


def _one(_size: int) -> int:
    return 1


SCALES = (
    Scale("atomic", _sequence("atomic"), (10, 40, 160, 640, 2560)),
    Scale("d_step", _sequence("d_step"), (10, 40, 160, 640, 2560)),
    Scale("choices", _choices, (10, 40, 160, 320, 640)),
    Scale("successors", _successors, (10, 40, 160, 640)),
    Scale("processes", _processes, (10, 30, 90, 255)),
    Scale("channels", _channels, (10, 40, 120, 250)),
    Scale("channel length", _channel_length, (2, 4, 6, 8, 10)),
    Scale("message width", _message_width, (2, 8, 32, 64)),
    Scale("array", _array, (10, 100, 1000, 4000, 16_000), vector=1 << 15),
    Scale("told cells", _told_cells, (10, 40, 160, 320)),
    Scale("globals", _globals, (10, 100, 400, 1600)),
    Scale("expression", _expression, (10, 40, 160, 640)),
    Scale("deep run", _deep_run, (10_000, 100_000, 1_000_000, 10_000_000), depth=20_000_100),
    Scale("properties", _properties, (1, 4, 16, 64), claims=lambda size: size),
    Scale("conjunction", _conjunction, (1, 4, 8, 16), claims=_one),
    Scale("nested X", _nested_next, (1, 4, 8, 12), claims=_one),
    Scale("untils", _untils, (1, 3, 5, 7), claims=_one),
    Scale("phases", _phases, (100, 500, 1000, 2000)),
    Scale("proctypes", _proctypes, (10, 50, 200)),
    Scale("components", _components, (5, 10, 20, 40)),
    Scale("inlines", _inlines, (5, 10, 20)),
    Scale("calls", _calls, (10, 100, 1000)),
    Scale("macros", _macros, (10, 40, 160, 640)),
)
