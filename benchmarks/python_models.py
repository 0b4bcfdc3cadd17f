"""The same philosophers in Python, in Promela and for musil: states, and seconds of processor time to visit all.

    python -m benchmarks.python_models [--philosophers 13] [--runs 3] [--musil PYTHON]

musil (PyPI, Python 3.12 or newer) is asked only if a Python is named in whose environment it is installed. Each of the
philosophers takes the fork of the lower number first; a step is a fork taken, or both put back.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from statistics import median

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


def searched(model: everafter.Model, runs: int) -> tuple[int, float]:
    """The states of a model, and the median of the seconds that searches by one worker took."""
    asked = Request(safety=True, engine="native", reduction="none", threads=1)
    results = [model.check_all(asked)[0] for _ in range(runs + 1)][1:]
    return results[0].states, median(result.figures.search_seconds for result in results)


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
    one, other = searched(python, options.runs), searched(promela, options.runs)
    print(f"Python   {one[0]:>10,} states {one[1]:8.3f} s")
    print(f"Promela  {other[0]:>10,} states {other[1]:8.3f} s   {one[1] / other[1] if other[1] else 0:.2f} of its time")
    if options.musil:
        command = [options.musil, "-c", _MUSIL, str(options.philosophers)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        states, seconds = json.loads(printed)
        print(f"musil    {states:>10,} states {seconds:8.3f} s   {seconds / one[1] if one[1] else 0:.0f} times ours")


if __name__ == "__main__":
    main()
