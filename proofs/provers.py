"""The provers: found, or installed into a cache folder of the user, and run.

Nagini brings Viper's Silicon and Z3. It goes into an environment of its own, since it pins versions of what it needs.
Java and Coq are Debian's packages. Nothing is installed that is there already.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from proofs.task import ProofError

NAGINI = "1.2.0"
VERSIONS = {
    "Nagini": NAGINI,
    "Silicon": "sha256 bece2bc20f4579f4440125c680ad002ba204a19f84625e3042907762ab412461",
    "Z3": "4.8.7",
    "Coq": "8.16.1",
}
"""What is trusted: each prover by what it says of itself, Silicon by its archive."""
LONGEST = 3600
"""Seconds without a word after which a prover is stopped."""
PROGRAMS = {"java": "openjdk-17-jre-headless", "coqc": "coq"}
"""Programs that are not Python's, and the Debian packages that have them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a program ended, what it said, and how long it took."""

    status: int
    said: str
    seconds: float
    processor: float


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    told: Callable[[str], None] | None = None,
) -> Answer:
    """Run the program in the folder, nicely, and measure it together with the programs it starts.

    Each line it says is told at once. It is stopped if it says nothing for too long.
    """
    begin = time.monotonic()
    child = subprocess.Popen(
        ["nice", "-n", "10", *command],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said = []
    timer = _stopping(child.pid)
    try:
        assert child.stdout is not None
        for line in child.stdout:
            timer.cancel()
            timer = _stopping(child.pid)
            said.append(line)
            if told is not None:
                told(line)
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        raise
    finally:
        timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Answer(child.returncode, "".join(said), time.monotonic() - begin, usage.ru_utime + usage.ru_stime)


def _stopping(group: int) -> threading.Timer:
    """Stop the processes of the group in a while."""
    timer = threading.Timer(LONGEST, os.killpg, (group, signal.SIGKILL))
    timer.start()
    return timer


def cache_folder() -> Path:
    """Where Nagini's environment is."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everafter" / "provers"


def nagini_folder() -> Path:
    """Nagini's environment."""
    return cache_folder() / f"nagini-{NAGINI}"


def silicon() -> Path:
    """The archive with Viper's Silicon that came with Nagini."""
    return next(nagini_folder().glob("lib/python*/site-packages/nagini_translation/resources/backends/silicon.jar"))


def install(program: str) -> None:
    """Install the program if it is missing, and say so: `java`, `coqc` or `nagini`."""
    with _alone():
        if program == "nagini":
            if not (nagini_folder() / "complete").exists():
                _install_nagini(nagini_folder())
        elif shutil.which(program) is None:
            _install_package(PROGRAMS[program])
    check_versions(program)


def check_versions(program: str) -> None:
    """Refuse a prover of another version than the one that the record speaks of."""
    for prover, version in versions(program).items():
        if version != VERSIONS[prover]:
            raise ProofError(
                f"{prover} is {version}; proofs/provers.py says {VERSIONS[prover]}: change it, and prove all anew"
            )


def versions(program: str) -> dict[str, str]:
    """The versions of what comes with the program, as they are."""
    if program == "nagini":
        archive = hashlib.sha256(silicon().read_bytes()).hexdigest()
        said = _said([str(nagini_folder() / "bin" / "z3"), "--version"])
        return {"Nagini": NAGINI, "Silicon": f"sha256 {archive}", "Z3": said.split()[2]}
    if program == "coqc":
        return {"Coq": _said(["coqc", "--print-version"]).split()[0]}
    return {}


def _said(command: Sequence[str]) -> str:
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process at a time install something."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install_nagini(folder: Path) -> None:
    print(f"installing Nagini {NAGINI}, with Silicon and Z3, into {folder}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    _make_environment(folder)
    _do([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", f"nagini=={NAGINI}"])
    (folder / "complete").touch()


def _make_environment(folder: Path) -> None:
    """Make a virtual environment; on a bare Debian, without ensurepip, by virtualenv, which brings its own pip."""
    if subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, check=False).returncode == 0:
        return
    shutil.rmtree(folder, ignore_errors=True)
    tool = folder.parent / "virtualenv"
    _do([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(tool), "virtualenv"])
    _do([sys.executable, "-m", "virtualenv", "--quiet", str(folder)], {"PYTHONPATH": str(tool)})


def _install_package(package: str) -> None:
    print(f"installing Debian's {package}", file=sys.stderr)
    apt = ["apt-get"] if os.geteuid() == 0 else ["sudo", "apt-get"]
    _do([*apt, "update", "-qq"])
    _do([*apt, "install", "-y", "-qq", "--no-install-recommends", package])


def _do(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        command, env={**os.environ, **(environment or {})}, text=True, capture_output=True, check=False
    )
    if done.returncode:
        raise ProofError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
