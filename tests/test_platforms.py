"""What only some systems have is not needed: neither at import nor by a default check."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everafter import system

ROOT = Path(__file__).parent.parent
MODEL = str(ROOT / "examples" / "mutex_broken.pml")

WITHOUT = """
import os, sys
sys.modules["resource"] = None  # an import of it fails
for name in ("sched_getaffinity", "sysconf", "getuid"):
    if hasattr(os, name):
        delattr(os, name)
from everafter.cli import main
sys.exit(main(["check", {model!r}]))
"""


def test_a_default_check_needs_nothing_that_only_unix_has() -> None:
    command = [sys.executable, "-c", WITHOUT.format(model=MODEL)]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "inside = 2" in done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-8"])
def test_a_violation_is_shown_in_any_encoding(encoding: str) -> None:
    """The arrows of a rendezvous and of a failed assertion are not in every encoding."""
    command = [sys.executable, "-m", "everafter", "check", MODEL]
    environment = {"PYTHONIOENCODING": encoding, "PATH": "/usr/bin", "HOME": str(Path.home())}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    text = done.stdout.decode(encoding)
    assert (done.returncode, done.stderr) == (1, b"")
    assert ("← assert" if encoding == "utf-8" else "<- assert") in text


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit of address space to set")
@pytest.mark.parametrize("kilobytes", [16_000_000, 6_000_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_little_address_space_suffices_for_a_small_model(kilobytes: int, threads: int) -> None:
    check = f"ulimit -v {kilobytes}; exec {sys.executable} -m everafter check {MODEL} --threads {threads}"
    done = subprocess.run(["sh", "-c", check], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "inside = 2" in done.stdout


# What the system tells


def test_the_memory_of_a_control_group_is_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = tmp_path / "outer" / "inner"
    group.mkdir(parents=True)
    (tmp_path / "outer" / "memory.max").write_text("123456789\n")
    (group / "memory.max").write_text("max\n")
    monkeypatch.setattr(system, "_CGROUP", tmp_path)
    monkeypatch.setattr(system, "_LEGACY_LIMIT", tmp_path / "none")
    lines = tmp_path / "cgroup"
    lines.write_text("0::/outer/inner\n")
    monkeypatch.setattr(system, "_OWN_GROUPS", lines)
    assert system.memory_size() == 123456789
    (group / "memory.max").write_text("1000\n")
    assert system.memory_size() == 1000


def test_an_older_control_group_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    legacy = tmp_path / "memory" / "work"
    legacy.mkdir(parents=True)
    (legacy / "memory.limit_in_bytes").write_text("5000\n")
    lines = tmp_path / "cgroup"
    lines.write_text("7:cpu:/other\n5:memory:/work\n")
    monkeypatch.setattr(system, "_CGROUP", tmp_path)
    monkeypatch.setattr(system, "_LEGACY_LIMIT", tmp_path / "none")
    monkeypatch.setattr(system, "_OWN_GROUPS", lines)
    assert system.memory_size() == 5000


def test_every_question_has_an_answer_here() -> None:
    assert system.processors() >= 1
    assert system.memory_in_use() > 1 << 20
    assert system.memory_size() > 1 << 28
    left = system.address_space_left()
    assert left is None or left > 0
