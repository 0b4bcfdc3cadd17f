"""Feed the reader inputs that no author meant. Exits with 1 when one of them is not answered properly, else with 0.

    python -m campaigns.fuzz_parser --count 100000 [--seed N] [--save FOLDER]

Every input is read and built. It may be accepted, or refused by an InputError whose messages can be rendered; any other
exception, and any answer that takes more than two seconds of processor time, is a failure, and the input is saved.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType

from oracles.promela.fuzzing import fuzzed

from everafter.program.program import build
from everafter.promela.parser import parse
from everafter.source import InputError, Source

SECONDS = 2.0
MEMORY = 3 * 2**30


class TooSlow(BaseException):
    """The watchdog barked. Not an Exception, so that nothing on the way catches it."""


def _bark(number: int, frame: FrameType | None) -> None:
    raise TooSlow


def answer(text: str) -> str:
    """What becomes of an input: `accepted`, `refused`, or the name of a failure with its last call."""
    try:
        try:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            return _read(text)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except (Exception, TooSlow) as error:
        frames = traceback.extract_tb(error.__traceback__)
        last = next((frame for frame in reversed(frames) if frame.filename != __file__), frames[-1])
        return f"{type(error).__name__} in {last.name}, {Path(last.filename).name}:{last.lineno}"


def _read(text: str) -> str:
    try:
        model, _ = parse(Source("fuzzed.pml", text))
        build(model)
    except InputError as error:
        return "refused" if error.render() else "an error without a message"
    return "accepted"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--save", type=Path, default=Path("fuzz-failures"))
    arguments = options.parse_args()
    signal.signal(signal.SIGPROF, _bark)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    answers: Counter[str] = Counter()
    slowest = (0.0, 0)
    started = time.perf_counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        text = fuzzed(seed)
        before = time.process_time()
        said = answer(text)
        slowest = max(slowest, (time.process_time() - before, seed))
        answers[said] += 1
        if said not in ("accepted", "refused"):
            arguments.save.mkdir(parents=True, exist_ok=True)
            (arguments.save / f"{seed}.pml").write_text(text, errors="surrogatepass")
            if answers[said] <= 3:
                print(f"seed {seed}: {said}", flush=True)
    print(f"{sum(answers.values())} inputs in {time.perf_counter() - started:.0f} s: {dict(answers.most_common())}")
    print(f"slowest: {slowest[0]:.2f} s of processor time, seed {slowest[1]}")
    return 0 if set(answers) <= {"accepted", "refused"} else 1


if __name__ == "__main__":
    sys.exit(main())
