"""The same philosophers in Python, in Promela and for musil: states, and seconds of processor time to visit all.

    python -m benchmarks.python_models [--philosophers 13] [--runs 3] [--musil PYTHON]

musil (PyPI, Python 3.12 or newer) is asked only if a Python is named in whose environment it is installed. Each of the
philosophers takes the fork of the lower number first; a step is a fork taken, or both put back. Promela is asked twice:
one proctype for all, and one for each, as a Python model becomes. Last, a text of 200 lines is read and translated.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import everafter
from everafter import Request
from everafter import model as m
from everafter.model.vocabulary import PythonModel

_PROMELA = """#define RIGHT ((_pid + 1) % N)
#define LOW (_pid < RIGHT -> _pid : RIGHT)
#define HIGH (_pid < RIGHT -> RIGHT : _pid)
bool fork[N];
active [N] proctype philosopher() {
    do
    :: atomic { !fork[LOW] -> fork[LOW] = true };
       atomic { !fork[HIGH] -> fork[HIGH] = true };
       d_step { fork[LOW] = false; fork[HIGH] = false }
    od
}
"""
_OF_EACH = """active proctype philosopher_{0}() {{
    do
    :: atomic {{ !fork[{1}] -> fork[{1}] = true }};
       atomic {{ !fork[{2}] -> fork[{2}] = true }};
       d_step {{ fork[{1}] = false; fork[{2}] = false }}
    od
}}
"""
_HEAD = """from everafter import model as m
class Long(m.Model):
    x, y, lock = m.Int[0, 9](0), m.Int[0, 9](0), m.Lock()
    xs = m.Array[m.Int[0, 9], 4](0)
"""
_PROCESS = """    @m.process(instances=2)
    def work_{0}(self, me: int) -> None:
        n = m.Int[0, 9](0)
        while True:
"""
_TURN = """            with self.lock:
                if self.x < self.y and n != 3:
                    self.x = self.y
                else:
                    self.xs[me] = n
"""
_LONG = _HEAD + "".join(_PROCESS.format(number) + 4 * _TURN for number in range(8))
_MUSIL = """import json, sys, time
from dataclasses import dataclass
from musil import Action, Model, check
n = int(sys.argv[1])
@dataclass(frozen=True)
class State:
    fork: tuple
    at: tuple
def put(values, at, value):
    return values[:at] + (value,) + values[at + 1:]
actions = []
for i in range(n):
    low, high = min(i, (i + 1) % n), max(i, (i + 1) % n)
    actions.append(Action(f"low{i}", lambda s, i=i, low=low: s.at[i] == 0 and not s.fork[low],
                          lambda s, i=i, low=low: State(put(s.fork, low, True), put(s.at, i, 1))))
    actions.append(Action(f"high{i}", lambda s, i=i, high=high: s.at[i] == 1 and not s.fork[high],
                          lambda s, i=i, high=high: State(put(s.fork, high, True), put(s.at, i, 2))))
    actions.append(Action(f"eat{i}", lambda s, i=i: s.at[i] == 2,
                          lambda s, i=i, low=low, high=high:
                          State(put(put(s.fork, low, False), high, False), put(s.at, i, 0))))
model = Model(init=State((False,) * n, (0,) * n), actions=actions, invariants={})
started = time.process_time()
result = check(model, max_states=10**8)
print(json.dumps([result.states_explored, time.process_time() - started]))
"""


def philosophers(count: int) -> type[PythonModel]:
    """The model in Python."""

    class Philosophers(m.Model):
        fork = m.Array[bool, count](False)

        @m.process(given=[(min(i, (i + 1) % count), max(i, (i + 1) % count)) for i in range(count)])
        def philosopher(self, low: int, high: int) -> None:
            while True:
                with m.atomic():
                    m.wait(not self.fork[low])
                    self.fork[low] = True
                with m.atomic():
                    m.wait(not self.fork[high])
                    self.fork[high] = True
                self.fork[low], self.fork[high] = False, False

    return Philosophers


def reading_seconds(runs: int) -> float:
    """The median of the processor seconds in which a model of 200 lines is read and translated, not the first time."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "long.py"
        path.write_text(_LONG)
        seconds = []
        for _ in range(runs + 1):
            started = time.process_time()
            everafter.load(path)
            seconds.append(time.process_time() - started)
    return median(seconds[1:])


def searched(model: everafter.Model, runs: int) -> tuple[int, float]:
    """The states of a model, and the median of the processor seconds of a check by one worker."""
    asked = Request(safety=True, engine="native", reduction="none", threads=1)
    states, seconds = 0, list[float]()
    for _ in range(runs + 1):  # the first makes the code
        started = time.process_time()
        states = model.check_all(asked)[0].states
        seconds.append(time.process_time() - started)
    return states, median(seconds[1:])


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--philosophers", type=int, default=13)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--musil", metavar="PYTHON", help="a Python in whose environment musil is installed")
    options = parser.parse_args()
    started = time.process_time()
    from everafter.user_model import model_of  # noqa: PLC0415 # reading is measured with it

    python = model_of(philosophers(options.philosophers))
    print(f"reading and translating: {time.process_time() - started:.3f} s")
    promela = everafter.parse(_PROMELA, {"N": options.philosophers})
    several = [
        (number, *sorted((number, (number + 1) % options.philosophers))) for number in range(options.philosophers)
    ]
    text = f"bool fork[{options.philosophers}];\n" + "".join(_OF_EACH.format(*each) for each in several)
    one, other = searched(python, options.runs), searched(promela, options.runs)
    apart = searched(everafter.parse(text), options.runs)
    print(f"Python   {one[0]:>10,} states {one[1]:8.3f} s")
    print(f"Promela  {other[0]:>10,} states {other[1]:8.3f} s   {one[1] / other[1] if other[1] else 0:.2f} of its time")
    print(f"of each  {apart[0]:>10,} states {apart[1]:8.3f} s   {one[1] / apart[1] if apart[1] else 0:.2f} of its time")
    lines, seconds = _LONG.count("\n"), reading_seconds(options.runs)
    print(f"reading and translating {lines} lines: {1000 * seconds:.0f} ms")
    if options.musil:
        command = [options.musil, "-c", _MUSIL, str(options.philosophers)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        states, seconds = json.loads(printed)
        print(f"musil    {states:>10,} states {seconds:8.3f} s   {seconds / one[1] if one[1] else 0:.0f} times ours")


if __name__ == "__main__":
    main()
