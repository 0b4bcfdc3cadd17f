"""SPIN as the oracle: what SPIN 6.5 says about a model when all its optimisations are off.

A run has three steps, each in a temporary directory of its own, so that any number of runs may go on at once:
`spin -a` writes a C program, a C compiler builds it, and the program (`pan`) searches. The C compiler dominates;
tcc, if it is there, needs a twentieth of the time of gcc and gives the same counts.

pan exits with status 0 on almost everything, so the outcome is read from its text.
"""

import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

ErrorKind = Literal["assertion", "end-state", "runtime", "acceptance", "progress", "claim-end"]
ClaimKind = Literal["ltl", "never", "acceptance", "progress"]
Compiler = Literal["fast", "tcc", "gcc", "gcc -O2"]

#: The plain meaning: no dataflow optimisation, no dead-variable elimination, no statement merging.
PLAIN_SPIN = ("-o1", "-o2", "-o3")
#: No partial-order reduction; room for wide states; more processes than the default under fairness.
PLAIN_PAN = ("-w", "-DNOREDUCE", "-DVECTORSZ=8192", "-DNFAIR=4", "-DMEMLIM=4096")
#: What pan prints when the stack was too small and the run proves nothing.
_TOO_SHALLOW = "max search depth too small"
#: The depth tried first. A deep stack costs half a second of page faults, and few models need it.
SHALLOW = 20_000


#: The status of a pan that was interrupted.
TIME_IS_UP = -signal.SIGINT


class OracleMissingError(RuntimeError):
    """SPIN or a C compiler is not installed."""


class ModelRejectedError(ValueError):
    """SPIN did not accept the model, or the C compiler did not accept what SPIN made of it."""


@dataclass(frozen=True, slots=True)
class SpinResult:
    """What one run of SPIN said. The counts are those of the whole state space only if `complete`."""

    errors: int
    kind: ErrorKind | None
    message: str
    messages: tuple[str, ...]
    states: int
    transitions: int
    depth: int
    truncated: bool
    complete: bool
    seconds: float
    spin_output: str
    compiler_output: str
    pan_output: str

    @property
    def holds(self) -> bool:
        """Whether SPIN searched everything and found nothing wrong."""
        return self.complete and self.errors == 0


def missing() -> str | None:
    """The reason why SPIN cannot be asked here, or None if it can."""
    absent = [name for name in ("spin", "gcc") if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)} (Debian: apt-get install spin gcc)" if absent else None


def accepts(text: str) -> bool:
    """Whether SPIN can read the text; this does not yet build anything."""
    with tempfile.TemporaryDirectory(prefix="oracle-") as name:
        _place(text, Path(name), "")
        try:
            _spin(Path(name), ())
        except ModelRejectedError:
            return False
        return True


def safety(
    model: Path | str,
    defines: Sequence[str] = (),
    *,
    past_errors: bool = False,
    bound: int = 10_000_000,
    seconds: float = 120,
    compiler: Compiler = "fast",
    repaired: bool = False,
) -> SpinResult:
    """Check assertions and end states, and count the states of the system alone, without any claim.

    The model is a path, or the text itself. `past_errors` goes on after errors, for the count of all states. `repaired`
    mends the verifier where it is known to be wrong about priorities and about `enabled`.
    """
    options = ("-c0",) if past_errors else ()
    with _pan(model, defines, ("-DSAFETY", "-DNOCLAIM"), compiler, repaired=repaired) as pan:
        return pan.run_to(bound, options, seconds)


def verdict(
    model: Path | str,
    claim: str | None = None,
    kind: ClaimKind = "ltl",
    *,
    fair: bool = False,
    defines: Sequence[str] = (),
    bound: int = 10_000_000,
    seconds: float = 120,
    compiler: Compiler = "fast",
) -> SpinResult:
    """Check a claim about infinite runs. Failing assertions of the model are passed over, not so beside a never claim.

    For kind "ltl", `claim` is the name of an `ltl` block of the model, or a formula (without X, which Debian's SPIN
    does not read). pan's own option -A will not do to pass over assertions: SPIN states safety formulas by an
    assertion inside the claim, so that under -A they would all seem to hold.
    """
    if kind == "ltl":
        if claim is None:
            raise ValueError("which ltl claim?")
        model, claim = _with_claim(model, claim)
    with _claim_pan(model, kind, defines, compiler) as pan:
        return pan.run_to(bound, _claim_options(kind, claim, fair), seconds)


def verdicts(
    model: Path | str,
    claims: Sequence[str | None],
    kind: ClaimKind = "ltl",
    defines: Sequence[str] = (),
    seconds: float = 120,
) -> Iterator[tuple[str | None, bool, SpinResult]]:
    """Check several claims of one kind, without and with weak fairness, by one verifier, as `verdict` does each.

    Claims of kind "ltl" are names of `ltl` blocks.
    """
    with _claim_pan(model, kind, defines, "fast") as pan:
        for claim, fair in product(claims, (False, True)):
            yield claim, fair, pan.run_to(10_000_000, _claim_options(kind, claim, fair), seconds)


def _with_claim(model: Path | str, claim: str) -> tuple[Path | str, str]:
    """The model with a block for the claim, and the block's name; unchanged if the claim is such a name."""
    text = model.read_text() if isinstance(model, Path) else model
    if re.search(rf"\bltl\s+{re.escape(claim)}\s*\{{", text):
        return model, claim
    if isinstance(model, Path) and "#include" in text:
        raise ValueError("a formula can be added only to a model without #include; give the name of an ltl block")
    return f"{text}\nltl asked {{ {claim} }}\n", "asked"


@dataclass(frozen=True, slots=True)
class _Pan:
    """A verifier that SPIN and the C compiler have built, in its temporary directory."""

    folder: Path
    spin_output: str
    compiler_output: str
    started: float

    def run_to(self, bound: int, options: Sequence[str], seconds: float) -> SpinResult:
        """Search with a shallow stack, and once more with the full one if that was too small."""
        result = self._run(min(SHALLOW, bound), ("-w18", *options), seconds)
        if _TOO_SHALLOW in result.pan_output and bound > SHALLOW:
            result = self._run(bound, ("-w24", *options), seconds)
        return result

    def _run(self, bound: int, options: Sequence[str], seconds: float) -> SpinResult:
        output, status = _interruptible(["./pan", f"-m{bound}", *options], self.folder, seconds)
        return self._read(output, status)

    def _read(self, output: str, status: int) -> SpinResult:
        messages = tuple(re.findall(r"^pan:\d+: (.*?)(?: \(at depth -?\d+\))?$", output, re.MULTILINE))
        if status < 0 and status != TIME_IS_UP:
            messages += (_signal_message(-status),)
        truncated = _TOO_SHALLOW in output or "reached -DMEMLIM bound" in output or status < 0
        errors = _number(r"errors: (\d+)", output)
        return SpinResult(
            errors=max(errors, 1) if messages else errors,
            kind=_kind(messages[0]) if messages else None,
            message=messages[0] if messages else "",
            messages=messages,
            states=_number(r"([\d.e+]+) states, stored", output),
            transitions=_number(r"([\d.e+]+) transitions", output),
            depth=_number(r"depth reached (\d+)", output),
            truncated=truncated,
            complete=not truncated and "states, stored" in output and "Search not completed" not in output,
            seconds=time.monotonic() - self.started,
            spin_output=self.spin_output,
            compiler_output=self.compiler_output,
            pan_output=output,
        )


@contextmanager
def _pan(
    model: Path | str,
    defines: Sequence[str],
    flags: Sequence[str],
    compiler: Compiler,
    preamble: str = "",
    repaired: bool = False,
) -> Iterator[_Pan]:
    """Build the verifier of a model; it lives as long as the context."""
    reason = missing()
    if reason is not None:
        raise OracleMissingError(reason)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="oracle-") as name:
        folder = Path(name)
        _place(model, folder, preamble)
        macros = [f"-D{define}" for define in defines]
        spin_output = _spin(folder, macros)
        if repaired:
            _repair(folder / "pan.c")
        built = _build([*_compiler(compiler), *PLAIN_PAN, *flags, *(_REPAIRED_PAN if repaired else ())], folder)
        yield _Pan(folder, spin_output, built, started)


def _claim_pan(
    model: Path | str, kind: ClaimKind, defines: Sequence[str], compiler: Compiler
) -> AbstractContextManager[_Pan]:
    flags: dict[ClaimKind, tuple[str, ...]] = {"acceptance": ("-DNOCLAIM",), "progress": ("-DNP", "-DNOCLAIM")}
    preamble = "" if kind == "never" else "#define assert(...) (true)\n"
    return _pan(model, defines, flags.get(kind, ()), compiler, preamble)


def _claim_options(kind: ClaimKind, claim: str | None, fair: bool) -> list[str]:
    named = [] if claim is None else ["-N", claim]
    return ["-l" if kind == "progress" else "-a", *named, *(["-f"] if fair else [])]


def _place(model: Path | str, folder: Path, preamble: str) -> None:
    """Put the model into the folder, and what it may include beside it."""
    text = model.read_bytes() if isinstance(model, Path) else model.encode()
    (folder / "model.pml").write_bytes(preamble.encode() + text)
    if isinstance(model, Path) and b"#include" in text:
        for sibling in model.resolve().parent.iterdir():
            if not (folder / sibling.name).exists():
                (folder / sibling.name).symlink_to(sibling)


def _spin(folder: Path, macros: Sequence[str]) -> str:
    done = _call(["spin", *PLAIN_SPIN, *macros, "-a", "model.pml"], folder)
    if done.returncode != 0 or not (folder / "pan.c").exists() or "Error:" in done.stdout:
        raise ModelRejectedError(f"spin refused the model:\n{done.stdout}")
    return done.stdout


#: States as they are: when it packs them, it leaves out priorities that processes were given when they started.
_REPAIRED_PAN = ("-DNOCOMP",)
#: What the verifier does wrongly, and the same done rightly.
_REPAIRS = (
    # It takes back what it has not done: process 0 gets another priority.
    (
        "\t#endif\n\t\treturn 1;\n\t}\n\tif (pr < 1",
        "\t#endif\n\t\t(trpt+1)->o_priority = (((P0 *)pptr(BASE))->_priority & 255) | (BASE << 8);\n"
        "\t\treturn 1;\n\t}\n\tif (pr < 1",
    ),
    # It lets an else of the process asked for depend on what the asking process has done.
    ("int res = 0; int tt; uchar ot;", "int res = 0; int tt; uchar ot, asking = trpt->o_pm;"),
    ("\tTstOnly = 1;\n\ttt", "\tTstOnly = 1; trpt->o_pm &= ~1;\n\ttt"),
    (
        "\tTstOnly = 0;\n\t_this = othis;\n\treturn res;",
        "\tTstOnly = 0; trpt->o_pm = asking;\n\t_this = othis;\n\treturn res;",
    ),
)


def _repair(verifier: Path) -> None:
    text = verifier.read_text(encoding="utf-8")
    for wrong, right in _REPAIRS:
        text = text.replace(wrong, right)
    verifier.write_text(text, encoding="utf-8")


def _build(command: Sequence[str], folder: Path) -> str:
    done = _call([*command, "-o", "pan", "pan.c"], folder)
    if done.returncode != 0:
        raise ModelRejectedError(f"the C compiler refused the verifier:\n{done.stdout[-4000:]}")
    return done.stdout


def _compiler(choice: Compiler) -> tuple[str, ...]:
    match choice:
        case "fast":
            return ("tcc",) if shutil.which("tcc") else ("gcc", "-O0", "-pipe")
        case "tcc":
            return ("tcc",)
        case "gcc":
            return ("gcc", "-O0", "-pipe")
        case "gcc -O2":
            return ("gcc", "-O2", "-pipe")


def _call(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, errors="replace"
    )


def _interruptible(command: Sequence[str], folder: Path, seconds: float) -> tuple[str, int]:
    """Run; when the time is up, interrupt, upon which pan still prints its counts. The status is then negative."""
    with subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return output, process.returncode
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        return output, TIME_IS_UP


def _kind(message: str) -> ErrorKind:
    """SPIN reports an index out of range as an assertion; here it is an error of the run."""
    if "invalid array index" in message:
        return "runtime"
    for start, kind in _KINDS:
        if message.startswith(start):
            return kind
    return "runtime"


_KINDS: tuple[tuple[str, ErrorKind], ...] = (
    ("assertion violated", "assertion"),
    ("invalid end state", "end-state"),
    ("acceptance cycle", "acceptance"),
    ("accept stutter", "acceptance"),
    ("non-progress cycle", "progress"),
    ("end state in claim reached", "claim-end"),
)


def _signal_message(number: int) -> str:
    """A crash told as an error of the run: pan computes with the machine's division."""
    if number == signal.SIGFPE:
        return "division by zero (pan died of SIGFPE)"
    return f"pan died of {signal.Signals(number).name}"


def _number(pattern: str, output: str) -> int:
    found = re.search(pattern, output)
    return int(float(found.group(1))) if found else 0


def by_preprocessor(text: str, *options: str) -> str | None:
    """What gcc's preprocessor makes of the text with these options; None if it refuses it."""
    command = ["gcc", "-E", "-P", "-std=gnu99", "-x", "c", *options, "-"]
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None
