"""What a check writes into the folder of its checkpoints: what was asked, so that `everafter resume` can ask again."""

from __future__ import annotations

import argparse
import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import everafter
from everafter.check import Model, read_source
from everafter.checking.decided import SUFFIX
from everafter.checking.request import Request
from everafter.commands.command import check_writable
from everafter.engine.run.code import text_digest
from everafter.source import OptionError

NAME: Final = "check.json"
FREE: Final = frozenset(
    {"memory", "time", "format", "full", "trace", "html", "plot", "warnings", "checkpoint", "checkpoint_every"}
)
"""Options that may change from one part of a check to the next."""
UNKEPT: Final = frozenset({"run", "command"})
"""What the parser knows and nobody has asked for."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of a check that can be gone on with."""

    path: Path
    directory: str
    """Where the command was given: files are named from there."""
    options: dict[str, Any]
    model: str
    """The digest of the model and of all that is asked of it."""
    engine: str
    """The digest of the text that searches."""
    version: str

    @classmethod
    def of(cls, options: argparse.Namespace, model: Model, request: Request) -> Self:
        """The folder of a check that begins."""
        asked = {name: value for name, value in vars(options).items() if name not in UNKEPT}
        kept = json.loads(json.dumps(asked))  # as they will be read
        path = Path(options.checkpoint).absolute()
        return cls(path, str(Path.cwd()), kept, _digest(options, model, request), text_digest(), everafter.__version__)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The folder as a check has left it. Raises OptionError."""
        file = path / NAME
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            return cls(path.absolute(), **content)
        except FileNotFoundError as error:
            advice = "name the folder that `everafter check --checkpoint FOLDER` was given"
            raise OptionError(f"there is no check to go on with in {path}", advice) from error
        except (OSError, ValueError, TypeError) as error:
            raise OptionError(f"{file} cannot be read: {error}", "delete the folder, and begin anew") from error

    def begin(self) -> None:
        """Note what is asked, unless the folder has it. Raises OptionError if it is the folder of another check."""
        if (self.path / NAME).exists():
            self._compare(Folder.read(self.path))
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(f"cannot write to {self.path}: {error.strerror or error}") from error
        check_writable(str(self.path / NAME))
        content = {
            "directory": self.directory,
            "options": self.options,
            "model": self.model,
            "engine": self.engine,
            "version": self.version,
        }
        unfinished = self.path / f"{NAME}.unfinished"
        unfinished.write_text(json.dumps(content, indent=2), encoding="utf-8")
        unfinished.replace(self.path / NAME)

    def _compare(self, before: Folder) -> None:
        """Raise OptionError unless this check is the one that was begun before."""
        advice = "give another folder, or delete this one to begin anew"
        if self.engine != before.engine:
            told = f"the checkpoints in {self.path} are those of another version of everafter, {before.version}"
            raise OptionError(told, advice)
        if _lasting(self.options) != _lasting(before.options):
            raise OptionError(f"the checkpoints in {self.path} are those of a check with other options", advice)
        if self.model != before.model:
            raise OptionError(f"the model has changed since the checkpoints in {self.path} were written", advice)

    def end(self) -> None:
        """All is decided: nothing is left to be gone on with."""
        for path in (self.path / NAME, *self.path.glob(f"*{SUFFIX}")):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # it holds other things, too
            self.path.rmdir()


def _lasting(options: dict[str, Any]) -> dict[str, Any]:
    """The options that a verdict depends on."""
    return {name: value for name, value in options.items() if name not in FREE}


def _digest(options: argparse.Namespace, model: Model, request: Request) -> str:
    automaton = request.automaton.text if request.automaton is not None else ""
    never = read_source(options.never).text if options.never is not None else ""
    texts = (model.tree.digest, never, automaton, *request.formulas)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def check_alone(options: argparse.Namespace, is_sweep: bool) -> None:
    """That the check can be asked for again: it is one, of files. Raises OptionError."""
    if options.checkpoint is None:
        return
    if len(options.models) > 1 or is_sweep:
        raise OptionError("one folder cannot hold the checkpoints of several checks", "check them one by one")
    if "-" in (*options.models, options.never, options.hoa, *options.formula_file):
        raise OptionError("what is read from the standard input cannot be read again", "name a file")
