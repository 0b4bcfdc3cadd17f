"""`everafter cluster plan`: how many machines a search would need, how much memory, and how long it would take."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any, Final

from everafter.backends.cluster_costs import ClusterNeeds, Costs, Machines, measured
from everafter.commands.command import load_model
from everafter.commands.model_options import add_model
from everafter.commands.quantities import count, duration, size
from everafter.commands.status import HOLDS, Command
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.reduction_choice import reduction_for
from everafter.questions.smaller_program import with_smaller_program
from everafter.record import asdict
from everafter.reduction.ample import Reduction
from everafter.source import OptionError

_MEASURED: Final = 2_000_000
_SECONDS: Final = 20.0
_MULTIPLES: Final = (1, 2, 4, 8)
"""The lines of the table: the fewest machines with enough memory, and some multiples of that."""
_GIGABIT: Final = 1e9 / 8
_HEADING: Final = ("machines", "memory used", "successors sent", "sent by each", "computing", "sending", "in all")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("plan",), metavar="plan", help="say what a search on a cluster would take")
    add_model(parser)
    parser.add_argument("--states", type=count, required=True, metavar="N", help="how many there may be, as 1e12")
    parser.add_argument("--memory", type=size, default="256G", metavar="SIZE", help="of a machine; 256G by default")
    parser.add_argument("--processors", type=count, default=16, metavar="N", help="of a machine; 16 by default")
    parser.add_argument(
        "--network", type=float, default=10.0, metavar="GBIT", help="Gbit/s of a machine; 10 by default"
    )
    parser.add_argument(
        "--time", type=duration, default=_SECONDS, metavar="TIME", help="measure for so long at most; 20s by default"
    )
    parser.add_argument("--reduction", choices=("static", "none"), default="static", help="as for check")
    parser.add_argument("--store", choices=("plain", "tree"), default="plain", help="how workers keep their states")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="for a person, or for a program")


def _run(options: argparse.Namespace) -> int:
    if not options.network > 0:
        raise OptionError("a network that carries nothing is none", "write its Gbit/s, as --network 10")
    program = load_model(options.model, options).program
    question, _ = with_smaller_program(Question(program, SAFETY, reduction=options.reduction))
    reduction = reduction_for(question)
    usable = reduction if isinstance(reduction, Reduction) else None
    costs = measured(question.program, usable, _MEASURED, options.time, options.store)
    each = Machines(options.memory, options.processors, options.network * _GIGABIT)
    least = costs.machines(options.states, each)
    needs = [costs.needs(options.states, least * multiple, each) for multiple in _MULTIPLES]
    if options.format == "json":
        print(json.dumps(_as_json(options.states, each, costs, needs), indent=2))
    else:
        print("\n".join(_as_text(options.states, each, costs, needs)))
    return HOLDS


def _as_json(states: int, each: Machines, costs: Costs, needs: list[ClusterNeeds]) -> dict[str, Any]:
    plans = [{**asdict(need), "seconds": need.seconds} for need in needs]
    measured = {name: value for name, value in asdict(costs).items() if name != "choices"}
    return {"states": states, "machine": asdict(each), "measured": measured, "plans": plans}


def _as_text(states: int, each: Machines, costs: Costs, needs: list[ClusterNeeds]) -> Iterator[str]:
    yield (
        f"measured here: {costs.states:,} states{' (all there are)' if costs.is_complete else ''}, "
        f"{costs.bytes:.0f} bytes and {costs.transitions:.1f} transitions each, {costs.levels:,} levels;"
    )
    yield (
        f"{costs.alone * 1e9:.0f} ns of a processor for a state, {costs.sending * 1e9:.0f} ns more where its "
        f"successors are sent, {costs.batch_bytes:.0f} bytes for each"
    )
    yield (
        f"{states:.3g} states take {_memory(needs[0].bytes)}; machines of {_memory(each.memory)}, "
        f"{each.processors} processors, {each.network / _GIGABIT:g} Gbit/s:"
    )
    yield ""
    rows = [_HEADING, *(_row(need, each) for need in needs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADING))]
    for row in rows:
        yield "  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
    yield ""
    yield "computing and sending overlap; more states may have more levels, each of which costs some messages"


def _row(need: ClusterNeeds, each: Machines) -> tuple[str, ...]:
    return (
        f"{need.machines:,}",
        f"{need.bytes / need.machines / each.memory:.0%}",
        f"{need.crossing:.0%}",
        _memory(need.sent_bytes // need.machines),
        _time(need.computing),
        _time(need.sending),
        _time(need.seconds),
    )


def _memory(number: int) -> str:
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB")):
        if number >= 1 << power:
            return f"{number / (1 << power):,.1f} {unit}"
    return f"{number:,} bytes"


def _time(seconds: float) -> str:
    for length, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s"


CLUSTER = Command(_add_options, _run)
