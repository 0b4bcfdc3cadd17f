"""`everafter spin`: SPIN's command line, translated to everafter's, which is printed and run."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from os.path import exists
from pathlib import Path
from typing import Literal, assert_never

import everafter
from everafter.commands.check_options import CHECK
from everafter.commands.ltl import LTL
from everafter.commands.model_options import add_reading
from everafter.commands.preprocessing import defined
from everafter.commands.replay import REPLAY
from everafter.commands.simulate import SIMULATE
from everafter.commands.spin_flags import (
    COMPILING,
    PAN,
    SPIN,
    Ignored,
    Meaning,
    Mode,
    Passed,
    RefusedFlag,
    Special,
    StoreFlag,
    find,
)
from everafter.commands.status import HOLDS, Command, tell, tell_line
from everafter.record import dataclass, field
from everafter.source import OptionError, closest
from everafter.user_model import load

_BY_NAME = {"check": CHECK, "replay": REPLAY, "simulate": SIMULATE, "ltl": LTL}
_VERIFIER = (COMPILING, PAN)
_WITHOUT_CYCLES = {"-bfs", "-bfspar", "-DBFS", "-DBFS_PAR"}
"""Searches of SPIN's that look for no cycles."""
_USAGE = """usage: everafter spin [flags of SPIN] MODEL
       everafter spin [flags of SPIN] -run [flags of its verifier and of the verifier's compilation] MODEL

Says which command of everafter the flags mean, and runs it; docs/spin-flags.md lists all flags."""


@dataclass(slots=True)
class _Said:
    """What the flags have said so far."""

    mode: Mode = "simulate"
    runs: bool = False
    """Whether the verifier is run by SPIN, which then chooses some of its flags."""
    model: str | None = None
    reading: list[str] = field(default_factory=list)
    """Options about how the model is read, which every command takes."""
    options: dict[Mode | Literal["safety"], list[str]] = field(
        default_factory=lambda: {"check": [], "safety": [], "simulate": []}
    )
    formulas: list[str] = field(default_factory=list)
    """Options with formulas of what must hold, and their texts."""
    never_formula: str | None = None
    """A formula of what must not be, as SPIN's -f takes it."""
    words: set[str] = field(default_factory=set)
    """Flags that count together: -a, -l, -f, -noclaim, -safety, -x."""
    trail: str | None = None
    trail_number: str = ""
    ending: str = "trail"
    notes: list[str] = field(default_factory=list)
    store: tuple[str, str] | None = None
    """The flag that chose how states are kept, and the name of that store here."""


# From SPIN's flags to ours


def translated(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The command of ours that SPIN's flags ask for, and what there is to say of flags that change nothing.

    Raises OptionError for a flag that SPIN does not have, or that asks for what everafter cannot do.
    """
    said = _read(arguments)
    if said.mode == "version":
        return ["--version"], said.notes
    if said.model is None:
        if said.never_formula is not None:
            return ["ltl", said.never_formula, "--format", "never"], said.notes
        raise OptionError("no model is named", "everafter spin -run MODEL.pml checks one")
    command: list[str] = [said.mode, said.model, *said.reading]
    match said.mode:
        case "replay":
            return [*command[:2], _trail(said), *said.reading], said.notes
        case "simulate":
            return [*command, *said.options["simulate"]], said.notes
        case "check":
            asked = _asked(said)
            further = [*said.options["safety"], *said.options["check"]]
            return [*command, *asked, *_store(said, asked), *further, *_trace(said)], said.notes
        case _:
            assert_never(said.mode)


def _read(arguments: Sequence[str]) -> _Said:
    """Read the flags. Those behind -run, and those behind the model if -a came before it, are a verifier's."""
    said = _Said()
    words = list(arguments)
    is_verifier = False
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            if said.model is not None:
                raise OptionError(f"two models, {said.model} and {word}", "SPIN's flags take one model")
            said.model = word
            is_verifier = is_verifier or said.mode == "check"
            continue
        found = find(word, _VERIFIER if is_verifier else (SPIN,))
        if found is None:
            raise _unknown(word, is_verifier)
        name, meaning, value = found
        if meaning.value == "word" or (meaning.value == "text or word" and not value):
            if not words:
                raise OptionError(f"{name} needs a value behind it")
            value = words.pop(0)
        _take(said, name, meaning, value, is_verifier)
        is_verifier = is_verifier or name in ("-run", "-search")
    return said


def _unknown(word: str, is_verifier: bool) -> OptionError:
    if is_verifier and word.startswith("-D"):
        return OptionError(
            f"{word} is no flag that changes how a verifier is compiled", "macros of the model go before -run"
        )
    names = [*PAN, *COMPILING] if is_verifier else [*SPIN]
    if not is_verifier and find(word, _VERIFIER) is not None:
        return OptionError(
            f"{word} is a flag of the verifier", f"write it behind -run: everafter spin -run {word} MODEL"
        )
    whose = "SPIN's verifiers" if is_verifier else "SPIN"
    return OptionError(f"{word} is no flag of {whose}", closest(word, names) or "docs/spin-flags.md lists them")


def _take(said: _Said, name: str, meaning: Meaning, value: str, is_verifier: bool) -> None:
    """Let one flag have its effect."""
    if name in _WITHOUT_CYCLES:
        said.words.add("-safety")
    match meaning:
        case Passed(options=options, by=by):
            filled = [option.format(value) for option in options]
            if by == "reading":
                said.reading += filled
            else:
                said.options[by] += [] if filled[0] == "--algorithm" and filled[0] in said.options[by] else filled
        case Ignored(reason=reason):
            said.notes.append(f"{name} is ignored: {reason}")
        case RefusedFlag(advice=advice):
            raise OptionError(f"everafter has no counterpart of {name}", advice)
        case StoreFlag(name=store):
            said.store = (name, store)
        case Special():
            _take_special(said, name, value, is_verifier)
        case _:
            assert_never(meaning)


def _take_special(said: _Said, name: str, value: str, is_verifier: bool) -> None:
    match name:
        case "-V":
            said.mode = "version"
        case "-run" | "-search":
            said.mode, said.runs = "check", True
        case "-a" if not is_verifier:
            said.mode = "check"
        case "-f" if not is_verifier:
            said.never_formula = value
        case "-F":
            said.formulas += ["-F", value]
        case "-k":
            said.mode, said.trail = "replay", value
        case "-t" if is_verifier:
            said.ending = value
        case "-t" | "-r" | "-replay":
            said.mode, said.trail_number = "replay", value
        case "-N" | "-ltl":
            said.formulas += ["--ltl", value]
        case "-c" if value == "1":
            pass
        case "-c" | "-e":
            said.words.add("-e")
        case "-DMEMCNT":
            said.options["check"] += ["--memory", str(2 ** int(value))]
        case "-DNOCLAIM":
            said.words.add("-noclaim")
        case "-DSAFETY":
            said.words.add("-safety")
        case _:
            said.words.add(name)


# What a verifier would look at


def _asked(said: _Said) -> list[str]:
    """The options that name the properties: what SPIN's verifier would check, and all that the model states."""
    words, stated = said.words, _stated(said)
    properties = _properties(said, stated)
    if properties and "--safety" not in properties:
        said.options["safety"] = []
        said.notes.append("assertions are not checked beside a formula that is named: everafter check --safety does so")
    asks_all = not properties
    asked = [*properties, *_end_states(said, stated)]
    if "-f" in words and (asks_all or properties != ["--safety"]):
        asked += ["--fair", "weak"]
    elif "-f" in words:
        said.notes.append("-f is ignored: fairness matters to infinite runs only")
    if "-e" in words and ("--safety" in properties or (asks_all and "--never" not in said.options["check"])):
        asked.append("--all-violations")
    elif "-e" in words:
        said.notes.append("-c and -e are ignored: they are about safety, which is not asked for")
    return asked


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a model states that bears on what SPIN's verifier looks at."""

    claims: bool
    """Formulas or never claims."""
    accept_labels: bool


def _stated(said: _Said) -> _Stated | None:
    """What the model states; None if it comes by the standard input, which can be read only once."""
    assert said.model is not None
    if said.model == "-":
        return None
    parser = argparse.ArgumentParser()
    add_reading(parser)
    options = parser.parse_args(said.reading)
    model = load(said.model, defined(options.define), include=options.include)
    processes = model.program.processes
    claims = bool(model.tree.formulas) or any(process.role == "never" for process in processes)
    labels = any(node.is_accepting for each in processes if each.role != "never" for node in each.graph.nodes.values())
    return _Stated(claims or "--never" in said.options["check"], labels)


def _properties(said: _Said, stated: _Stated | None) -> list[str]:
    """The properties; none for everything that the model states."""
    words = said.words
    formulas = list(said.formulas)
    if said.never_formula is not None:
        formulas += ["--ltl", f"!({said.never_formula})"]
    if "-l" in words:
        return ["--progress", "--safety"]
    if formulas:
        return formulas
    if "-noclaim" not in words and (stated is None or stated.claims):
        return []
    # SPIN's -run looks for acceptance cycles unless told otherwise, its verifiers only if told so.
    wanted = "-a" in words or (said.runs and not words & {"-noclaim", "-safety"})
    if "-a" in words and stated is not None and not stated.accept_labels:
        said.notes.append("-a changes nothing: the model has no accept labels")
    return ["--safety", "--acceptance"] if wanted and (stated is None or stated.accept_labels) else ["--safety"]


def _store(said: _Said, asked: list[str]) -> list[str]:
    """The option for the store that a flag of `said` chose. One that forgets states finds no fair runs."""
    if said.store is None:
        return []
    flag, store = said.store
    if store != "tree" and "--fair" in asked:
        said.notes.append(f"{flag} means --store tree here: one that forgets states finds no fair runs (-f)")
        store = "tree"
    if flag in ("-biterate", "-swarm") and store != "tree" and "--time" not in said.options["check"]:
        said.notes.append(f"{flag} goes on with other searches until a time ends: give -QN, of N minutes")
    return ["--store", store]


def _end_states(said: _Said, stated: _Stated | None) -> list[str]:
    """Beside a claim, SPIN asks for assertions, but not where a run may stop."""
    words = said.words
    if "-l" not in words and (said.formulas or said.never_formula is not None):
        return []
    has_claim = "-l" in words or (stated is not None and stated.claims and "-noclaim" not in words)
    return ["--ignore", "end-states"] if has_claim and "end-states" not in said.options["safety"] else []


# Trails


def _trace(said: _Said) -> list[str]:
    """Where the counterexample goes: where SPIN's verifiers put it, for `spin -t`."""
    if said.model == "-":
        return []
    path = Path(f"{said.model}.{said.ending}")
    if "-x" in said.words and exists(path):
        said.notes.append(f"-x: {path} exists, and is left as it is")
        return []
    if said.ending != "trail":
        said.notes.append(f"-t{said.ending}: the trace is one of everafter's; only FILE.trail is written as SPIN does")
    return ["--trace", str(path)]


def _trail(said: _Said) -> str:
    """The trail to follow: the one named, or what SPIN would look for."""
    assert said.model is not None
    if said.trail is not None:
        return said.trail
    names = [f"{said.model}{said.trail_number}.trail", f"{Path(said.model).with_suffix('')}{said.trail_number}.trail"]
    return next((name for name in names if exists(name)), names[0])


# The command


def _add_options(parser: argparse.ArgumentParser) -> None:
    # No word is an option of ours: all are SPIN's, and are read above.
    parser.prefix_chars = "\0"
    parser.add_argument(
        "arguments", nargs="*", metavar="FLAG", help="as SPIN takes them; docs/spin-flags.md lists them"
    )


def _run(options: argparse.Namespace) -> int:
    if options.arguments == ["--help"]:
        print(_USAGE)
        return HOLDS
    command, notes = translated(options.arguments)
    if command == ["--version"]:
        print(f"everafter {everafter.__version__}")
        return HOLDS
    tell_line(f"everafter {shlex.join(command)}")
    for note in dict.fromkeys(notes):
        tell(f"  {note}")
    chosen = _BY_NAME[command[0]]
    parser = argparse.ArgumentParser(prog=f"everafter {command[0]}")
    chosen.add_options(parser)
    return chosen.run(parser.parse_args(command[1:]))


SPIN_COMMAND = Command(_add_options, _run)
