"""Compare the running searches with the proved ones on every graph of so many states, every set of them accepting.

    python benchmarks/proved_text.py [states]

Four states, the default, make 1,048,576 graphs. tests/test_proofs_text.py takes a sample.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.test_proofs_text import (
    NESTED,
    PARALLEL,
    compare_alone,
    compare_framework,
    compare_nested,
    graphs_of,
)


def main(size: int) -> None:
    begin = time.monotonic()
    graphs = answers = 0
    for graph in graphs_of(size):
        graphs += 1
        if not graph.accepting:
            compare_framework(graph, set())
        for kernel, early, wish in NESTED:
            answer = compare_nested(graph, kernel, early, wish)
        for name, early, redden in PARALLEL[graphs % len(PARALLEL) :][:1]:
            compare_alone(graph, name, early, redden)
        answers += answer
    print(f"{graphs} graphs, {answers} with an accepting cycle: no difference; {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
