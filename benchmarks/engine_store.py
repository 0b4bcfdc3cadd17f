"""How fast the native store and the compiled searches are, the model aside: a grid of counters as machine code.

python -m benchmarks.engine_store                          every algorithm, rows of 8 words, about 10 million states
python -m benchmarks.engine_store speed --words 31 --bits 22 --algorithm tarjan
python -m benchmarks.engine_store growth --algorithm reachability    cost per successor from 1e5 states to 3e7
python -m benchmarks.engine_store start                    what a second process pays before a search runs

The model has four counters of `bits` / 4 bits each; a step adds one to a counter, modulo its size. So there are
2**bits states, each with four successors, three of which are usually known. The rest of the row is filled with words
that depend on the counters. Every figure is of processor time. The model alone is measured by expanding one state
again and again. The yardstick says what this machine, as busy as it is now, can do at best: the time to read one of
four cache lines at random places of a gigabyte, asked for together. A search needs about two such reads for each
successor: the slot, and the row if it is known.
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import subprocess
import sys
import time

from everafter.engine.code.machine import Loaded, compile_text
from everafter.engine.memory.areas import Area
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchOutcome
from everafter.search.catalogue import ALONE
from everafter.search.space import KNOWN

COUNTERS = 4


def model_text(words: int, bits: int) -> str:
    """The model: word 1 holds the counters, the words behind it products of it."""
    size = bits // COUNTERS
    lines = [
        "define void @write(i64 %state, ptr %out) {",
        f"  store i64 {KNOWN | words << 16}, ptr %out",
        "  %at.1 = getelementptr i64, ptr %out, i64 1",
        "  store i64 %state, ptr %at.1",
    ]
    for word in range(2, words):
        lines += [
            f"  %at.{word} = getelementptr i64, ptr %out, i64 {word}",
            f"  %value.{word} = mul i64 %state, {2 * word + 1}",
            f"  store i64 %value.{word}, ptr %at.{word}",
        ]
    lines += ["  ret void", "}", "define i64 @expand(ptr %row, ptr %out, ptr %control) {"]
    lines += ["  %at = getelementptr i64, ptr %row, i64 1", "  %state = load i64, ptr %at"]
    for counter in range(COUNTERS):
        mask = ((1 << size) - 1) << size * counter
        lines += [
            f"  %sum.{counter} = add i64 %state, {1 << size * counter}",
            f"  %new.{counter} = and i64 %sum.{counter}, {mask}",
            f"  %rest.{counter} = and i64 %state, {((1 << bits) - 1) & ~mask}",
            f"  %next.{counter} = or i64 %new.{counter}, %rest.{counter}",
            f"  %out.{counter} = getelementptr i64, ptr %out, i64 {counter * words}",
            f"  call void @write(i64 %next.{counter}, ptr %out.{counter})",
        ]
    lines += [f"  ret i64 {COUNTERS}", "}", "define i64 @initial(ptr %out, ptr %control) {"]
    lines += ["  call void @write(i64 0, ptr %out)", "  ret i64 1", "}"]
    return "\n".join(lines)


class Grid:
    """The model as machine code."""

    def __init__(self, words: int, bits: int) -> None:
        self.words = words
        self.code = Loaded(compile_text(model_text(words, bits), level=2))

    def search(self, algorithm: str, memory: int) -> SearchOutcome:
        """Search the model."""
        expand, initial = self.code.address("expand"), self.code.address("initial")
        return NativeSearch(ALONE[algorithm], expand, initial, [0], memory, tell=print).run()

    def nanoseconds(self) -> float:
        """What the model alone takes for each successor, the rows in the cache."""
        row = (ctypes.c_int64 * self.words)()
        out = (ctypes.c_int64 * (self.words * COUNTERS + 32))()
        loop = Loaded(compile_text(LOOP, level=2))
        run = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 4)(loop.address("repeat"))
        rounds = 2_000_000
        start = time.process_time()
        run(self.code.address("expand"), ctypes.addressof(row), ctypes.addressof(out), rounds)
        return (time.process_time() - start) / rounds / COUNTERS * 1e9


LOOP = """
define void @repeat(ptr %expand, ptr %row, ptr %out, i64 %rounds) {
entry:
  br label %again
again:
  %round = phi i64 [ 0, %entry ], [ %next, %again ]
  %count = call i64 %expand(ptr %row, ptr %out, ptr null)
  %next = add i64 %round, 1
  %more = icmp slt i64 %next, %rounds
  br i1 %more, label %again, label %done
done:
  ret void
}
"""


YARDSTICK = """
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define i64 @read(ptr %area, i64 %mask, i64 %rounds) {
entry:
  br label %again
again:
  %round = phi i64 [ 0, %entry ], [ %next, %again ]
  %mixed = phi i64 [ 88172645463325252, %entry ], [ %mixed.next, %again ]
CHAIN
  %next = add i64 %round, 1
  %more = icmp slt i64 %next, %rounds
  br i1 %more, label %again, label %done
done:
  ret i64 %mixed
}
"""


def yardstick() -> float:
    """Nanoseconds for a random read, four of them at a time, the next four known when these have come."""
    chain = []
    for number in range(4):
        chain += [
            f"  %product.{number} = mul i64 %mixed, {0x9E3779B97F4A7C15 + 2 * number:d}",
            f"  %high.{number} = lshr i64 %product.{number}, 20",
            f"  %offset.{number} = and i64 %high.{number}, %mask",
            f"  %place.{number} = getelementptr i8, ptr %area, i64 %offset.{number}",
            f"  call void @llvm.prefetch.p0(ptr %place.{number}, i32 0, i32 3, i32 1)",
        ]
    chain += [f"  %value.{number} = load volatile i64, ptr %place.{number}" for number in range(4)]
    chain += ["  %sum.0 = add i64 %mixed, 1442695040888963407"]
    chain += [f"  %sum.{number + 1} = add i64 %sum.{number}, %value.{number}" for number in range(4)]
    chain += ["  %mixed.next = mul i64 %sum.4, 6364136223846793005"]
    loaded = Loaded(compile_text(YARDSTICK.replace("CHAIN", "\n".join(chain)), level=2))
    read = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(loaded.address("read"))
    area = Area((1 << 30) + 4096, small=0)
    ctypes.memset(area.address, 0, 1 << 30)
    rounds = 1_000_000
    start = time.process_time()
    read(area.address, (1 << 30) - 64, rounds)
    seconds = time.process_time() - start
    area.close()
    return seconds / rounds / 4 * 1e9


def report(name: str, outcome: SearchOutcome, model: float) -> None:
    figures = outcome.figures
    each = figures.seconds / figures.transitions * 1e9
    print(
        f"{name:<16} {figures.states:>10} states {figures.transitions:>11} successors {figures.seconds:7.2f} s"
        f" {each:6.1f} ns each, {each - model:6.1f} without the model;"
        f" {figures.bytes / figures.states:6.1f} bytes a state  {outcome.ending.value}",
        flush=True,
    )


def speed(arguments: argparse.Namespace) -> None:
    grid = Grid(arguments.words, arguments.bits)
    model = grid.nanoseconds()
    print(f"rows of {arguments.words} words; the model alone: {model:.1f} ns for each successor")
    print(f"yardstick: {yardstick():.1f} ns for a random read")
    for name in arguments.algorithm or ALONE:
        report(name, grid.search(name, arguments.memory << 30), model)


def growth(arguments: argparse.Namespace) -> None:
    for name in arguments.algorithm or ("depth-first",):
        for bits in (16, 20, 24):
            grid = Grid(arguments.words, bits)
            report(name, grid.search(name, arguments.memory << 30), grid.nanoseconds())
        print(f"yardstick: {yardstick():.1f} ns for a random read")


def start(_arguments: argparse.Namespace) -> None:
    program = (
        "import time; t = time.process_time()\n"
        "from everafter.engine.run.kernel_code import search_code, store_code\n"
        "from everafter.search.catalogue import ALONE\n"
        "search = ALONE['schwoon-esparza']\n"
        "i = time.process_time(); store_code(search, 4); search_code(search, 4)\n"
        "print(f'import {i - t:.3f} s, load {time.process_time() - i:.3f} s of processor time')\n"
        "import sys; print('numba' in sys.modules, 'numpy' in sys.modules)\n"
    )
    for _ in range(3):
        subprocess.run([sys.executable, "-c", program], check=True)


COMMANDS = {"speed": speed, "growth": growth, "start": start}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS, nargs="?", default="speed")
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--bits", type=int, default=24, help="a multiple of 4: the model has 2**bits states")
    parser.add_argument("--memory", type=int, default=12, help="the limit in GiB")
    parser.add_argument("--algorithm", action="append", choices=ALONE)
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()} on {platform.machine()}, {arguments.command}")
    COMMANDS[arguments.command](arguments)


if __name__ == "__main__":
    main()
