"""Text becomes code that runs; the cache gives back what it was given, or makes it again."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from everafter.deadline import Deadline, OutOfTime
from everafter.engine.code import cache
from everafter.engine.code.cache import cache_folder, cached, entry_name, unwritable
from everafter.engine.code.machine import LEVELS, Loaded, compile_text

COPY_AND_SWITCH = """
@table = internal constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]
declare ptr @memcpy(ptr, ptr, i64)
define i64 @pick(i64 %which) {
  %place = alloca i64
  switch i64 %which, label %other [ i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d i64 4, label %e ]
a: ret i64 700
b: ret i64 13
c: ret i64 -5
d: ret i64 99
e: ret i64 1234567890123
other:
  %index = and i64 %which, 3
  %entry = getelementptr [4 x i64], ptr @table, i64 0, i64 %index
  %same = call ptr @memcpy(ptr %place, ptr %entry, i64 8)
  %value = load i64, ptr %same
  ret i64 %value
}
"""


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("EVERAFTER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("level", LEVELS)
def test_text_becomes_code_that_runs(level: int) -> None:
    loaded = Loaded(compile_text(COPY_AND_SWITCH, level))
    pick = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address("pick"))
    assert [pick(which) for which in range(9)] == [700, 13, -5, 99, 1234567890123, 22, 33, 44, 11]
    with pytest.raises(LookupError, match="absent"):
        loaded.address("absent")
    loaded.close()


def test_text_that_is_not_well_formed_is_refused() -> None:
    with pytest.raises(ValueError, match="expected"):
        compile_text("define i64 @f( {")
    with pytest.raises(ValueError, match="level"):
        compile_text("", 4)


def test_an_entry_is_made_once() -> None:
    made = []

    def make() -> bytes:
        made.append(1)
        return b"code"

    assert [cached("a", make), cached("a", make), cached("b", make)] == [b"code"] * 3
    assert len(made) == 2


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 100])
def test_a_damaged_entry_is_made_again(damage: bytes) -> None:
    cached("a", lambda: b"code")
    (cache_folder() / entry_name("a")).write_bytes(damage)
    assert cached("a", lambda: b"new") == b"new"
    assert cached("a", lambda: b"newer") == b"new"


def test_what_cannot_be_written_is_made_once_in_a_process_and_said_once(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_unwritten", {})
    monkeypatch.setattr(cache, "_why", [])
    own_cache.write_text("a file where the folder should be")
    made = [cached("a", lambda: b"code"), cached("a", lambda: b"again"), cached("b", lambda: b"other")]
    assert made == [b"code", b"code", b"other"]
    assert unwritable() == f"the cache {own_cache} cannot be written: File exists"
    assert unwritable() is None


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("EVERAFTER_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(cache, "_unwritten", {})
    monkeypatch.setattr(cache, "_why", [])
    assert cached("a", lambda: b"code") == b"code"
    assert unwritable() == "the cache /dev/null/.cache/everafter cannot be written: Not a directory"


def test_of_several_that_need_an_entry_at_once_one_makes_it(own_cache: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        time.sleep(0.3)
        return b"code"

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: cached("a", make), range(4))) == [b"code"] * 4
    assert len(made) == 1
    assert [path.suffix for path in own_cache.iterdir()] == [".o"]


def for_ever() -> bytes:
    while True:
        time.sleep(60)


def children() -> set[str]:
    """The processes that this one has started and not waited for."""
    return {child for file in Path("/proc/self/task").glob("*/children") for child in file.read_text().split()}


def test_code_is_made_no_longer_than_a_deadline_allows() -> None:
    begun = time.monotonic()
    before = children()
    words = r"^the time limit of 2 s was reached while machine code was made"
    with pytest.raises(OutOfTime, match=words), Deadline.after(2).enforced():
        cached("a", for_ever)
    assert time.monotonic() - begun < 30
    assert children() <= before


def test_what_goes_wrong_in_a_child_is_raised_here() -> None:
    with Deadline.after(20).enforced():
        assert cached("large", lambda: bytes(1_000_000)) == bytes(1_000_000)
        with pytest.raises(ZeroDivisionError):
            cached("a", lambda: bytes(1 // 0))


def test_old_entries_are_pruned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 2_500)
    monkeypatch.setattr(cache, "PRUNING", 1)
    for number in range(10):
        cached(str(number), lambda: bytes(1_000))
    assert len(list(cache_folder().iterdir())) == 2
    assert cached("9", lambda: b"again") == bytes(1_000)


def test_entries_are_pruned_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 2_500)
    most = 0
    for number in range(200):
        cached(str(number), lambda: bytes(1_000))
        most = max(most, len(list(cache_folder().iterdir())))
    assert 3 < most < 120


def test_an_entry_depends_on_the_processor_and_the_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {entry_name("a")}
    monkeypatch.setattr(cache, "processor", lambda: ("other", ""))
    names.add(entry_name("a"))
    monkeypatch.setattr("everafter.__version__", "x")
    names.add(entry_name("a"))
    monkeypatch.setattr(cache, "llvm_version", lambda: "x")
    names.add(entry_name("a"))
    assert len(names) == 4


def test_processes_that_make_an_entry_at_once_all_get_it(own_cache: Path) -> None:
    program = (
        "from everafter.engine.code.cache import cached\n"
        "for key in range(20):\n"
        "    assert cached(str(key), lambda: bytes(100_000)) == bytes(100_000)\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert len(list(own_cache.iterdir())) == 20


def test_neither_module_needs_numba() -> None:
    program = "import sys, everafter.engine.code.cache\nassert not {'numba', 'numpy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
