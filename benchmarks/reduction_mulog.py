"""The table of the paper on verified partial-order reduction, with our model of its example.

    python -m benchmarks.reduction_mulog [--nodes 3]

Brunner and Lammich, "Formal verification of an executable LTL model checker with partial order reduction", 2018,
section 4: states of MULOG, for the property that at most one node is in the critical section, without and with
reduction, beside the figures printed there for SPIN and CAVA. SPIN 6.5.2 on our model, with its other optimisations
off, counts 27, 2,674 and 2,430,776 states without and 27, 2,004 and 1,198,284 with reduction. Then the two systems for
a sanity check: one in which nothing can be reduced, and one that becomes fully sequential. Exit status 1 if a count
without reduction is not SPIN's, or one with reduction is above SPIN's.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from oracles.counting import count_states

from everafter.reduction.soundness import Unreduced, for_formula, for_safety
from everafter.user_model import Model, load, parse

MODEL = Path(__file__).parent.parent / "examples" / "mulog.pml"
PRINTED = {1: (27, 27, 52, 52), 2: (2_674, 2_004, 5_538, 4_284), 3: (2_376_180, 1_171_578, 5_205_376, 2_779_218)}
SPIN = {1: (27, 27), 2: (2_674, 2_004), 3: (2_430_776, 1_198_284)}


def mulog(nodes: int) -> tuple[int, int]:
    """The states without and with reduction."""
    model = load(MODEL, {"N": str(nodes)})
    understood = model.formulas["exclusive"]
    reduction = for_formula(model.program, understood.formula, understood.expressions.values())
    assert not isinstance(reduction, Unreduced), reduction
    full, reduced = (count_states(model.program, engine="native", reduction=item)[0] for item in (None, reduction))
    return full, reduced


def safety(model: Model) -> tuple[int, int]:
    """The states of a model without and with reduction."""
    reduction = for_safety(model.program)
    assert not isinstance(reduction, Unreduced), reduction
    full, reduced = (count_states(model.program, engine="native", reduction=item)[0] for item in (None, reduction))
    return full, reduced


def main() -> int:
    """Print the table; 1 if a count is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=3, choices=(1, 2, 3), help="how many nodes at most")
    wrong = 0
    print(f"{'':<18} | {'printed: SPIN':>13} {'SPIN*':>10} {'CAVA':>10} {'CAVA*':>10} | {'ours':>10} {'ours*':>10}")
    for nodes in range(1, parser.parse_args().nodes + 1):
        started = time.process_time()
        full, reduced = mulog(nodes)
        figures = " ".join(
            f"{figure:>{width},}" for figure, width in zip(PRINTED[nodes], (13, 10, 10, 10), strict=True)
        )
        wrong += full != SPIN[nodes][0] or reduced > SPIN[nodes][1]
        print(
            f"{'MULOG':<14} {nodes:>3} | {figures} | {full:>10,} {reduced:>10,}   {time.process_time() - started:.1f} s"
        )
    for processes in (2, 3, 4):
        shared = f"byte x; active [{processes}] proctype P() {{ do :: x = (x + 1) % 3 od }}"
        local = f"active [{processes}] proctype P() {{ byte i; do :: i < 5 -> i++ :: else -> break od }}"
        for name, text in (("no reduction", shared), ("sequential", local)):
            full, reduced = safety(parse(text))
            wrong += (full != reduced) if name == "no reduction" else reduced >= full
            print(f"{name:<14} {processes:>3} | {'':>46} | {full:>10,} {reduced:>10,}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
