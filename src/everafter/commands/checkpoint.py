"""What a check writes into the folder of its checkpoints: its request, so that `everafter resume` can repeat it."""

from __future__ import annotations

import argparse
import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import everafter
from everafter.backends.decision_file import SUFFIX
from everafter.commands.option_parser import every_flag, files_read
from everafter.engine.cluster.checkpoint_storage import inside, is_url, place_of, unreachable
from everafter.engine.run.kernel_code import text_digest
from everafter.questions.request import Request
from everafter.record import dataclass
from everafter.seal import ELSEWHERE, sealed, unsealed
from everafter.source import OptionError, read_source
from everafter.user_model import Model

NAME: Final = "check.json"
UNKEPT: Final = frozenset({"run", "command"})
"""What the parser sets by itself: no options."""


@dataclass(frozen=True, slots=True)
class CheckFolder:
    """The folder of a check that can be resumed."""

    place: str
    directory: str
    """Where the command was given: files are named from there."""
    options: dict[str, Any]
    model: str
    """The digest of the model and of the request."""
    engine: str
    """The digest of the text that searches."""
    version: str

    @classmethod
    def of(cls, options: argparse.Namespace, model: Model, request: Request) -> Self:
        """Return the folder of a check with `options` that begins, of `request` and `model`."""
        asked = {name: value for name, value in vars(options).items() if name not in UNKEPT}
        kept = json.loads(json.dumps(asked))  # as they will be read
        refused = unreachable(options.checkpoint)
        if refused is not None:
            raise OptionError(refused, "give a folder, or a URL that can be reached")
        if is_url(options.checkpoint) and options.cluster is None:
            raise OptionError(
                "only a cluster writes checkpoints to a URL", "give a folder, or say where the cluster is"
            )
        place = place_of(options.checkpoint).text
        return cls(place, str(Path.cwd()), kept, _digest(options, model, request), text_digest(), everafter.__version__)

    @classmethod
    def read(cls, text: str) -> Self:
        """The folder as a check has left it. Raises OptionError."""
        try:
            place = place_of(text)
            with place.reading(NAME) as file:
                content = unsealed(file.read())
            return cls(place.text, **content)
        except FileNotFoundError as error:
            advice = "name the folder that `everafter check --checkpoint FOLDER` was given"
            raise OptionError(f"there is no check to go on with in {text}", advice) from error
        except (OSError, ValueError, TypeError, ImportError) as error:
            told = f"{inside(text, NAME)} cannot be read: {error}"
            raise OptionError(told, f"delete the folder, and begin anew; {ELSEWHERE}") from error

    def begin(self) -> None:
        """Write the request, unless the folder has it. Raises OptionError if it is the folder of another check."""
        place = place_of(self.place)
        try:
            if place.has(NAME):
                self._compare(CheckFolder.read(self.place))
                return
            content = {
                "directory": self.directory,
                "options": self.options,
                "model": self.model,
                "engine": self.engine,
                "version": self.version,
            }
            with place.writing(NAME) as file:
                file.write(sealed(json.dumps(content, indent=2)))
        except OSError as error:
            raise OptionError(f"cannot write to {self.place}: {error.strerror or error}") from error

    def _compare(self, before: CheckFolder) -> None:
        """Raise OptionError unless this check is the one that was begun before."""
        advice = "give another folder, or delete this one to begin anew"
        if self.engine != before.engine:
            told = f"the checkpoints in {self.place} are those of another version of everafter, {before.version}"
            raise OptionError(told, advice)
        if _lasting(self.options) != _lasting(before.options):
            raise OptionError(f"the checkpoints in {self.place} are those of a check with other options", advice)
        if self.model != before.model:
            raise OptionError(f"the model has changed since the checkpoints in {self.place} were written", advice)


def end(checkpoint: str) -> None:
    """Delete what is in the folder: all is decided, and nothing is left to resume."""
    place = place_of(checkpoint)
    decided = [] if is_url(checkpoint) else [path.name for path in Path(checkpoint).glob(f"*{SUFFIX}")]
    with suppress(OSError):
        for name in (NAME, *decided):
            place.remove(name)
    place.leave()


def _lasting(options: dict[str, Any]) -> dict[str, Any]:
    """The options that a verdict depends on."""
    free = {each.dest for each in every_flag() if each.may_change}
    return {name: value for name, value in options.items() if name not in free}


def _digest(options: argparse.Namespace, model: Model, request: Request) -> str:
    automaton = request.automaton.text if request.automaton is not None else ""
    never = read_source(options.never).text if options.never is not None else ""
    texts = (model.tree.digest, never, automaton, *request.formulas)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def check_alone(options: argparse.Namespace, is_sweep: bool) -> None:
    """Raise OptionError unless the check of `options` can be resumed: it is one, of files, and `is_sweep` is false."""
    if len(options.models) > 1 or is_sweep:
        raise OptionError("one folder cannot hold the checkpoints of several checks", "check them one by one")
    if "-" in (*options.models, *files_read(options)):
        raise OptionError("what is read from the standard input cannot be read again", "name a file")
