"""The checkers that are compared: SPIN's pan as built by gcc, everafter, and LTSmin where it is given.

All of them get the same file, without any reduction, and search one question in one thread.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from benchmarks.comparison.cases import Case
from benchmarks.comparison.measure import Meter, Usage
from oracles.spin import PLAIN_SPIN, ModelRejectedError

Verdict = Literal["holds", "violated", "incomplete"]

#: pan's compile-time options. Each takes work or memory away from pan that the question does not need.
_PAN_ALWAYS = ("-w", "-DNOREDUCE", "-DMEMLIM=8192", "-DVECTORSZ=4096")
_PAN_SAFETY = ("-DSAFETY", "-DNOCLAIM")
_PAN_LTL = ("-DNOFAIR",)
_NATIVE = ("-O3", "-march=native")
#: How each pan is built. The last stores states without masking them first: faster, but possible for safety only.
PANS = {"spin -O2": ("-O2",), "spin -O3": _NATIVE, "spin -O3 nocomp": (*_NATIVE, "-DNOCOMP")}
NOCOMP = "spin -O3 nocomp"
#: The one whose memory is compared has a table that just fits; the others have a larger one, which is a little faster.
SMALLEST = "spin -O2"
#: SPIN's own compressions: equal components of states kept once, and hashes of four bytes in place of states.
COLLAPSE, COMPACT = "spin collapse", "spin hc4"
COMPRESSING = {COLLAPSE: ("-O2", "-DCOLLAPSE"), COMPACT: ("-O2", "-DHC4")}
OURS = "everafter"
TREE = "everafter tree"
LTSMIN = "ltsmin"
_MEMORY = "8G"


@dataclass(frozen=True, slots=True)
class Run:
    """What one checker said of a question, and what that took."""

    verdict: Verdict
    states: int
    search: float
    """Processor seconds of the search."""
    usage: Usage
    compile: float = 0.0
    """Processor seconds that went into native code for the model, if the checker says so."""
    own_bytes: float | None = None
    """Bytes for a state by the checker's own account."""


class Checker(Protocol):
    """A checker made ready for one question."""

    def run(self, meter: Meter, seconds: float) -> Run:
        """Search once."""
        ...


# SPIN


@dataclass(frozen=True, slots=True)
class Pan:
    """A verifier that SPIN wrote and gcc built."""

    folder: Path
    program: str
    options: tuple[str, ...]

    def run(self, meter: Meter, seconds: float) -> Run:
        """All that pan does is to search, so that its whole processor time counts."""
        usage = meter.run([f"./{self.program}", *self.options], self.folder, seconds)
        text = usage.output
        states = int(_number(r"([\d.e+]+) states, stored", text))
        memory = _number(r"([\d.]+)\s+total actual memory usage", text) * 2**20
        return Run(_pan_verdict(usage), states, usage.processor, usage, own_bytes=memory / states if states else None)


def write_pan(folder: Path) -> None:
    """Let SPIN write its verifier for the model placed in the folder."""
    _must(["spin", *PLAIN_SPIN, "-a", "model.pml"], folder, "Error:")


def build_pan(folder: Path, case: Case, name: str) -> Pan:
    """The verifier that SPIN wrote into the folder, built in one of the ways above."""
    program = name.replace(" ", "")
    flags = _PAN_SAFETY if case.claim is None else _PAN_LTL
    _must(["gcc", *(PANS | COMPRESSING)[name], *_PAN_ALWAYS, *flags, "-o", program, "pan.c"], folder)
    return Pan(folder, program, pan_options(case, roomy=name in PANS and name != SMALLEST))


def pans_for(case: Case) -> list[str]:
    """The verifiers that can answer the question."""
    return [name for name in PANS if case.claim is None or name != NOCOMP]


def pan_options(case: Case, roomy: bool) -> tuple[str, ...]:
    """A hash table with a slot for every state, or two, and a stack as deep as the search and little more."""
    slots = max(10, math.ceil(math.log2(case.states)) + (1 if roomy else 0))
    depth = case.depth + case.depth // 50 + 100
    claim = () if case.claim is None else ("-a", "-N", case.claim)
    return (f"-w{slots}", f"-m{depth}", "-n", *claim)


def _pan_verdict(usage: Usage) -> Verdict:
    text = usage.output
    if not usage.finished or usage.status != 0 or "max search depth too small" in text or "MEMLIM bound" in text:
        return "incomplete"
    if _number(r"errors: (\d+)", text) > 0:
        return "violated"
    return "holds" if "states, stored" in text and "Search not completed" not in text else "incomplete"


# everafter


@dataclass(frozen=True, slots=True)
class Everafter:
    """everafter on the command line, as a user runs it."""

    folder: Path
    command: tuple[str, ...]
    options: tuple[str, ...]
    environment: Mapping[str, str] | None = None

    def run(self, meter: Meter, seconds: float) -> Run:
        """The search's processor time is what everafter reports; without a report, that of the whole process."""
        command = [*self.command, "model.pml", *self.options]
        usage = meter.run(command, self.folder, seconds, self.environment)
        start = usage.output.find("{\n")
        if not usage.finished or start < 0:
            return Run("incomplete", 0, usage.processor, usage)
        content = json.JSONDecoder().raw_decode(usage.output, start)[0]["results"][0]
        return Run(
            content["verdict"],
            content["states"],
            content.get("search_seconds", usage.processor),
            usage,
            content.get("compile_seconds", 0.0),
            content["bytes_per_state"],
        )


def everafter_command() -> list[str]:
    """The installed command beside this interpreter, or the module itself."""
    script = Path(sys.executable).with_name("everafter")
    return [*([str(script)] if script.exists() else [sys.executable, "-m", "everafter.cli"]), "check"]


def ready_everafter(
    folder: Path,
    case: Case,
    engine: str,
    command: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    store: str = "plain",
) -> Everafter:
    """everafter asked for the same question, with one worker, as SPIN has, and nothing reduced."""
    command = tuple(command or everafter_command())
    question = ("--safety", "--algorithm", "unordered") if case.claim is None else ("--ltl", case.claim)
    known = subprocess.run(
        [*command, "--help"],
        env={**os.environ, **(environment or {})},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    wanted = {"--engine": engine, "--reduction": "none", "--memory": _MEMORY, "--threads": "1", "--store": store}
    given = [word for option, value in wanted.items() if option in known for word in (option, value)]
    return Everafter(folder, command, (*question, *given, "--format", "json"), environment)


# LTSmin


@dataclass(frozen=True, slots=True)
class Ltsmin:
    """LTSmin's sequential search over a model compiled by SpinS."""

    folder: Path
    program: Path
    options: tuple[str, ...]

    def run(self, meter: Meter, seconds: float) -> Run:
        """Exit status 1 means a violation, 0 none; the last count printed is that of the whole state space."""
        usage = meter.run([str(self.program), *self.options, "model.pml.spins"], self.folder, seconds)
        states = int(_number(r"state space \d+ levels, (\d+) states", usage.output))
        verdict: Verdict = "incomplete"
        if usage.finished and usage.status in {0, 1}:
            verdict = "violated" if usage.status == 1 else "holds" if states else "incomplete"
        return Run(verdict, states, usage.processor, usage)


def build_ltsmin(folder: Path, case: Case, installed: Path) -> Ltsmin:
    """LTSmin for the model in the folder; `installed` has spins and prom2lts-seq, itself or in bin/.

    SpinS makes a product of model and never claim, so for a formula the claim that SPIN wrote is appended.
    `-o3` keeps SpinS from merging statements, as for SPIN.
    """
    programs = installed / "bin" if (installed / "bin").is_dir() else installed
    text = re.sub(r"^ltl\b[^}]*\}", "", (folder / "model.pml").read_text(), flags=re.MULTILINE)
    if case.claim is not None:
        text += _claim(folder, case.claim)
    place = folder / "ltsmin"
    place.mkdir()
    (place / "model.pml").write_text(text)
    _must([str(programs / "spins"), "-o3", "model.pml"], place)
    question = ("--strategy=dfs", "-d", "--action=assert") if case.claim is None else ("--strategy=scc",)
    return Ltsmin(place, programs / "prom2lts-seq", (*question, "--state=table"))


def _claim(folder: Path, name: str) -> str:
    """The never claim that SPIN made of the formula; `spin -a` leaves all of them in a file of this name."""
    written = (folder / "_spin_nvr.tmp").read_text()
    found = re.search(rf"^never {re.escape(name)} .*?^\}}", written, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ModelRejectedError(f"SPIN wrote no never claim for {name}")
    return "\n" + found[0].replace(f"never {name}", "never", 1) + "\n"


def _must(command: Sequence[str], folder: Path, complaint: str | None = None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if done.returncode != 0 or (complaint is not None and complaint in output):
        raise ModelRejectedError(f"{' '.join(command)}:\n{output[-4000:]}")


def _number(pattern: str, text: str) -> float:
    found = re.findall(pattern, text)
    return float(found[-1]) if found else 0.0
