"""Is every verdict certified, and every damaged certificate refused?

    python -m campaigns.certificates random [--count 1000] [--first 0] [--verified|--levels]  random programs, formulas;
                                        by the verified program also as never claims, and of weakly fair runs
    python -m campaigns.certificates models [--states 5000000] [--only SUBSTRING]      SPIN's own models, and examples/
    python -m campaigns.certificates damage [--count 5000] [--verified]    certificates changed in some way
    python -m campaigns.certificates forge [--count 20000]                 certificates made of parts of others

Each program is checked by one, two and eight threads, by the kernels of a GPU (where EVERAFTER_GPU=cpu, run by the
processor) and by a cluster inside this process, with reduction and without, and each certificate decided on machine
code, small ones also by the reference. With --levels, only GPU and cluster are asked, without the look for deep
violations. Damage is done below the digest, which would notice it at once: rows, ranks, headings and the bytes of the
file are changed (oracles/damage.py), and the digest is made anew. What a checker accepts all the same must be true by
the definition. Forgeries (oracles/forgery.py) are compared with the question that they are made for, and none may cost
more than twice an honest file of its size and a second. Exit status 1 if something is not as it must be.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any

from oracles.certificates import confirmed, is_true, sections_of, written
from oracles.claims import formula, global_names
from oracles.corpus import installed_models
from oracles.damage import Whole, damaged
from oracles.forgery import Target, forged, targets
from oracles.looks import without_look
from oracles.meaning_in_coq import build
from oracles.promela.random_programs import program

from everafter.certificates.certification import Checker
from everafter.certificates.file import CertificateError
from everafter.engine.gpu.devices import missing
from everafter.execution.packing import Packer
from everafter.ltl import Not, to_buchi, to_never
from everafter.ltl import parse as parse_formula
from everafter.program.layout import CLAIM
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.source import EverafterError
from everafter.user_model import Model, load, parse

EXAMPLES = Path(__file__).parents[1] / "examples"
CHECKERS: tuple[Checker, ...] = ("native", "reference")
FEW = 20_000
"""So many rows the reference decides, too."""
SMALL = ("peterson.pml", "dekker.pml", "mutex_broken.pml", "unless_escape.pml", "readers_writers.pml")
"""Examples whose certificates are damaged."""


def main() -> int:
    """Do what is asked; 1 if something is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("random", "models", "damage", "forge"))
    parser.add_argument("--count", type=int, default=1000, help="how many programs, or damages")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--states", type=int, default=5_000_000, help="leave out models with more states")
    parser.add_argument("--only", default="", help="only models whose path contains this")
    parser.add_argument("--levels", action="store_true", help="only by the engines that search by levels")
    parser.add_argument("--verified", action="store_true", help="decided by the program extracted from its proof")
    options = parser.parse_args()
    if options.what == "damage":
        return _damage(options.count, options.first, options.verified)
    if options.what == "forge":
        return _forge(options.count, options.first)
    if options.verified:
        build()
    found = _random(options) if options.what == "random" else _models(options)
    outcomes: Counter[str] = Counter()
    for name, model, formulas in found:
        for settings in _settings_of_verified() if options.verified else _settings(options.levels):
            has_never = any(kind.role == "never" for kind in model.program.processes)
            asked = Request(safety=True, formulas=formulas, never=has_never, **settings)
            with without_look() if options.levels else nullcontext():
                outcome = _certified(model, asked, options.states, "verified" if options.verified else "reference")
            outcomes[outcome.split(":")[0]] += 1
            if outcome.startswith("NOT"):
                print(f"{name} {settings}: {outcome}", flush=True)
        print(f"{name}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(outcomes))
    return 1 if any(outcome.startswith("NOT") for outcome in outcomes) else 0


def _settings(by_levels: bool) -> Iterator[dict[str, Any]]:
    engines: list[dict[str, Any]] = [] if by_levels else [{"threads": threads} for threads in (1, 2, 8)]
    if missing() is None:
        engines.append({"engine": "gpu"})
    engines += [{"cluster": "inside:3"}, {"cluster": "inside:2", "store": "tree"}]
    for engine, reduction in product(engines, ("static", "none")):
        yield {**engine, "reduction": reduction}


def _settings_of_verified() -> Iterator[dict[str, Any]]:
    for fairness in (None, "weak"):
        yield {"threads": 1, "reduction": "none", "fairness": fairness}


def _random(options: argparse.Namespace) -> Iterator[tuple[str, Model, tuple[str, ...]]]:
    for seed in range(options.first, options.first + options.count):
        generator = random.Random(seed)
        text = program(seed)
        names = global_names(text)
        formulas = (formula(generator, names, 3 if options.verified else 6),) if names else ()
        if options.verified:  # which decides never claims in another way than formulas
            text += "".join(to_never(to_buchi(Not(parse_formula(each)))) for each in formulas)
        try:
            model = parse(text)
        except EverafterError:
            continue
        yield f"seed {seed}", model, formulas


def _models(options: argparse.Namespace) -> Iterator[tuple[str, Model, tuple[str, ...]]]:
    for path in (*sorted(EXAMPLES.glob("*.pml")), *installed_models()):
        if options.only in str(path):
            try:
                model = load(path)
            except EverafterError:
                continue
            yield path.name, model, tuple(model.formulas)


def _certified(model: Model, request: Request, states: int, second: Checker) -> str:
    """Whether each verdict of a check is certified, on machine code and, where rows are few, by a second checker."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate"
        try:
            verdicts = [each for each in written(model, request, path, Limits(states=states)) if each != "incomplete"]
        except EverafterError as error:
            return f"not asked: {error}"
        try:
            native = confirmed(path, model, request=request)
            if [each.verdict for each in native] != verdicts:
                return f"NOT the same verdicts: {native} {verdicts}"
            if max((each.rows for each in native), default=0) <= FEW:
                confirmed(path, model, by=second, request=request)
        except CertificateError as error:
            if second == "verified" and re.search(r"too large for|nothing shows that its automaton", str(error)):
                return f"not covered by the verified program: {error}"
            return f"NOT certified: {error}"
    return "certified" if verdicts else "too large"


# Damage


def _damage(count: int, first: int, verified: bool) -> int:
    """Change certificates that are right; each change must be refused by both checkers, or do no harm.

    If it is the `verified` program that is to refuse them, steps are never left out.
    """
    if verified:
        build()
    checkers: tuple[Checker, ...] = ("verified",) if verified else CHECKERS
    ways: tuple[dict[str, Any], ...] = ({"reduction": "none"},) if verified else ({}, {"reduction": "none"})
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate"
        cases = [_whole(name, settings, path) for name in SMALL for settings in ways]
        for seed in range(first, first + count):
            chance = random.Random(seed)
            case = chance.choice(cases)
            change = damaged(chance, case, [other.model for other in cases if other.model.name != case.model.name])
            path.write_bytes(change.content)
            outcome = _refused(path, change.model, checkers)
            outcomes[f"{change.kind}: {outcome}"] += 1
            if outcome == "ACCEPTED":
                print(f"seed {seed}, {case.model.name}: {change.kind}", flush=True)
            if (seed + 1) % 100 == 0:
                print(f"seed {seed}: {_summary(outcomes)}", file=sys.stderr, flush=True)
    for name, number in sorted(outcomes.items()):
        print(f"{number:>6}  {name}")
    print(f"{outcomes.total():>6}  in all")
    return 1 if any(name.endswith("ACCEPTED") for name in outcomes) else 0


def _summary(outcomes: Counter[str]) -> dict[str, int]:
    """How many damages came to what, whatever they were."""
    found: Counter[str] = Counter()
    for name, number in outcomes.items():
        found[name.rpartition(": ")[2]] += number
    return dict(found)


def _whole(name: str, settings: dict[str, Any], path: Path) -> Whole:
    """The certificate of all that an example states."""
    model = load(EXAMPLES / name)
    written(model, Request(**settings), path)
    return Whole(model, tuple(sections_of(path)))


def _refused(path: Path, model: Model, checkers: tuple[Checker, ...]) -> str:
    """What becomes of a damaged certificate: all checkers refuse it, or it is still true."""
    accepted = []
    for by in checkers:
        try:
            confirmed(path, model, by=by)
        except CertificateError:
            continue
        accepted.append(by)
    if not accepted:
        return "refused"
    sections = sections_of(path)
    if accepted == ["verified"]:  # to which a row that comes twice is nothing new, and bytes mean what they pack to
        packer = Packer(model.program)
        sections = [
            (heading, list(dict.fromkeys((_packed_again(packer, row, heading), rank) for row, rank in rows)))
            for heading, rows in sections
        ]
    return "harmless" if is_true(model, sections) else "ACCEPTED"


def _packed_again(packer: Packer, row: bytes, heading: dict[str, Any]) -> bytes:
    """The row without the bytes that mean nothing; a claim has a state where `heading` speaks of one."""
    at = 0 if heading["kind"] == "safety" else int.from_bytes(row[CLAIM : CLAIM + 2], "little")
    return packer.pack(packer.unpack(row), at)


# Forgeries


def _forge(count: int, first: int) -> int:
    """Show forgeries to both checkers: what is accepted must be true, and what is shown must not cost too much."""
    outcomes: Counter[str] = Counter()
    wrong, most = 0, dict.fromkeys(CHECKERS, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate"
        known = targets(path)
        honest = [_honest_costs(target, path) for target in known]
        for seed in range(first, first + count):
            chance = random.Random(seed)
            number = chance.randrange(len(known))
            target = known[number]
            kinds, content = forged(chance, target, known)
            path.write_bytes(content)
            strict = chance.random() < 0.3
            for by in CHECKERS:
                said, cost = target.accepted(path, by, strict)
                allowed = 2 * honest[number][by] * max(1, len(content) / len(target.content)) + 1
                most[by] = max(most[by], cost / allowed)
                outcomes[f"{by}: {said}"] += 1
                if said == "FALSE" or cost > allowed:
                    wrong += 1
                    print(f"seed {seed}, {kinds}: {by} {said}, {cost:.2f} s of {allowed:.2f} allowed", flush=True)
            if (seed + 1) % 500 == 0:
                print(f"seed {seed}: {dict(outcomes)}", file=sys.stderr, flush=True)
    print(dict(sorted(outcomes.items())))
    print("the most that any cost, as a share of what is allowed:", {by: f"{each:.0%}" for by, each in most.items()})
    return 1 if wrong else 0


def _honest_costs(target: Target, path: Path) -> dict[Checker, float]:
    """What the honest certificate of a target costs each checker: the second time, when its code is made."""
    path.write_bytes(target.content)
    found: dict[Checker, float] = {}
    for _ in range(2):
        for by in CHECKERS:
            said, found[by] = target.accepted(path, by)
            assert said == "true"
    return found


if __name__ == "__main__":
    sys.exit(main())
