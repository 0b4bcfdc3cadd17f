"""What a question was decided to be, in a file beside the checkpoints: so that it is not searched again.

A run that was found is judged again, as every other. That nothing was found is believed as a checkpoint is: the file
has a seal (everafter.seal), and the key of the question it is about.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from everafter.execution.run import Choice, Run
from everafter.questions.outcome import Ending, Figures, Method, Outcome
from everafter.record import asdict
from everafter.seal import sealed, unsealed
from everafter.source import OptionError

SUFFIX: Final = ".decided"


def write_decided(path: Path, key: str, outcome: Outcome) -> None:
    """Note `outcome`, for `key`, in the file `path`. Raises OSError."""
    run = outcome.run
    content = {
        "key": key,
        "ending": outcome.ending.value,
        "method": asdict(outcome.method),
        "figures": asdict(outcome.figures),
        "run": None if run is None else {"prefix": run.prefix, "cycle": run.cycle, "end": run.end},
        "is_shortest": outcome.is_shortest,
        "reached": None if outcome.reached is None else sorted(outcome.reached),
    }
    text = json.dumps(content)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_bytes(sealed(text))
    unfinished.replace(path)


def read_decided(path: Path, key: str) -> Outcome | None:
    """Return the outcome noted for `key` in the file `path`, None if there is none.

    Raises OptionError where the file is no such note.
    """
    try:
        content = unsealed(path.read_bytes())
        if content.pop("key") != key:
            raise ValueError
        return _outcome(**content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        advice = "delete this file to decide the question again"
        raise OptionError(f"{path} is damaged, or about another question", advice) from error


def _outcome(
    ending: str, method: Any, figures: Any, run: Any, is_shortest: bool, reached: list[tuple[int, int]] | None
) -> Outcome:
    return Outcome(
        Ending(ending),
        Method(**method),
        Figures(**figures),
        None if run is None else Run(_choices(run["prefix"]), _choices(run["cycle"]), run["end"]),
        is_shortest=is_shortest,
        reached=None if reached is None else frozenset((process, element) for process, element in reached),
    )


def _choices(listed: list[list[int | None]]) -> tuple[Choice, ...]:
    return tuple(Choice(*each) for each in listed)  # type: ignore[arg-type]
