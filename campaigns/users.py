"""Do we agree with SPIN on models of the kinds that users write?

    python -m campaigns.users [--only SUBSTRING] [--seconds 60] [--models FOLDER]

Of every variant of the models in oracles/models is asked: whether it is read; whether safety holds, and how many states
there are, which both engines count where they are few; whether each formula, never claim and label is satisfied, with
all steps and with those that suffice, with and without weak fairness. SPIN answers with all its optimisations off.
Where we differ on purpose the model says so. `--models` takes models from another folder. Exit status 1 if an answer
differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from oracles.users import MODELS, Outcome, compare, variants


def main() -> int:
    """Compare variant by variant; 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only variants whose name contains this")
    parser.add_argument("--seconds", type=float, default=60, help="for each question")
    parser.add_argument("--models", type=Path, default=MODELS, help="a folder of models")
    options = parser.parse_args()
    outcomes: Counter[Outcome] = Counter()
    tried = 0
    for variant in variants(options.models):
        if options.only not in variant.name:
            continue
        tried += 1
        started = time.process_time()
        findings = list(compare(variant, options.seconds))
        outcomes.update(finding.outcome for finding in findings)
        states = next((finding.spin.states for finding in findings if finding.spin.states is not None), "-")
        spent = time.process_time() - started
        print(f"{variant.name:<50} {len(findings):>3} answers {states:>10} states {spent:>6.1f} s", flush=True)
        for finding in findings:
            if finding.outcome != "agrees":
                print(f"  {finding.outcome}: {finding.question}: SPIN {finding.spin}, we {finding.ours}", flush=True)
    print(f"{tried} variants of models: {dict(outcomes)}")
    return 1 if outcomes["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
