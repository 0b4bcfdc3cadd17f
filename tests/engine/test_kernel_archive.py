"""What a package carries is what would be built, is all that is needed without Numba, and no other text is taken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from llvmlite import binding
from proofs.compiling import makers

from everafter import kernel_inventory
from everafter.certificates.native.code import certificate_code, certificate_kernel
from everafter.engine.cluster import worker
from everafter.engine.code import kernel_archive, machine
from everafter.engine.code.kernel_archive import KernelArchive, Unfit, heading_of, read_archive, write_archive
from everafter.engine.code.portable_text import numbered
from everafter.engine.gpu.device_code import gpu_kernel
from everafter.engine.run import kernel_code
from everafter.engine.run.kernel_code import Kernel, text_of
from everafter.questions import plan
from everafter.source import EverafterError

SEARCH = "plain search one depth-first  4"
KEYS = (SEARCH, "plain store 4 False")
"""All that a check of safety by one worker needs."""
WITHOUT_NUMBA = """
import sys
from pathlib import Path
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "numpy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from everafter.engine.code import kernel_archive
kernel_archive.PATH = Path(sys.argv.pop(1))
from everafter.__main__ import main
sys.exit(main())
"""
MODEL = """
byte turn, inside;
active [2] proctype P() {
  do
  :: turn == _pid; inside++; assert(inside == 1); inside--; turn = 1 - _pid
  od
}
ltl answered { [] (inside == 1 -> <> (inside == 0)) }
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of KEYS, built here."""
    place = tmp_path_factory.mktemp("archive") / "kernels.archive"
    kernel_inventory.write(place, KEYS)
    return place


def test_what_this_user_has_built_of_the_same_files_is_not_built_again(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERAFTER_CACHE", str(tmp_path))
    times: list[Path] = []

    def write(place: Path, processes: int) -> None:
        assert processes
        times.append(place)
        place.write_bytes(path.read_bytes())

    monkeypatch.setattr(kernel_inventory, "write", write)
    for name in ("first", "second"):
        kernel_inventory.write_or_find(tmp_path / name)
        assert (tmp_path / name).read_bytes() == path.read_bytes()
    monkeypatch.setattr(kernel_inventory, "heading_of", lambda *_: {"files": "others"})
    kernel_inventory.write_or_find(tmp_path / "third")
    assert times == [tmp_path / "first", tmp_path / "third"]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A copy of the package, whose files are taken for it."""
    copied = shutil.copytree(kernel_archive.ROOT, tmp_path / "everafter", ignore=shutil.ignore_patterns("*.archive"))
    monkeypatch.setattr(kernel_archive, "ROOT", copied)
    return copied


def user(archive: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of a user who has an empty cache, and neither Numba nor NumPy."""
    (folder / "m.pml").write_text(MODEL)
    environment = {**os.environ, "EVERAFTER_CACHE": str(folder / "cache")}
    command = [sys.executable, "-c", WITHOUT_NUMBA, str(archive), *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_command_needs_no_numba_and_builds_nothing(path: Path, tmp_path: Path) -> None:
    done = user(path, tmp_path, "check", "m.pml", "--safety")
    assert (done.returncode, done.stderr) == (0, "")
    assert "holds       10 states, 10 transitions" in done.stdout


def test_what_is_not_carried_is_said_in_one_line(path: Path, tmp_path: Path) -> None:
    done = user(path, tmp_path, "check", "m.pml", "--safety", "--algorithm", "breadth-first")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "without plain search one breadth-first parent queue 4, and Numba" in line
    assert "pip install 'everafter[build]'" in line


def test_a_text_is_the_same_in_another_process_in_another_order(path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.archive"
    program = f"import pathlib, everafter.kernel_inventory as k; k.write(pathlib.Path({str(again)!r}), {KEYS[::-1]})"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": "7"}, check=True)
    assert again.read_bytes() == path.read_bytes()


def test_a_change_of_what_texts_are_made_of_is_noticed(path: Path, package: Path) -> None:
    assert set(read_archive(path).places) == set(KEYS)
    changed = package / "engine" / "store" / "table.py"
    changed.write_text(changed.read_text() + "\n")
    with pytest.raises(Unfit, match="of another text"):
        read_archive(path)
    changed.unlink()
    with pytest.raises(Unfit, match="of another text"):
        read_archive(path)


def test_an_archive_of_some_kernels_is_not_that_of_the_package(path: Path, tmp_path: Path) -> None:
    assert "carries no bitstate " in kernel_inventory.lacking(path)
    assert "carries no kernels" in kernel_inventory.lacking(tmp_path / "none")
    whole = tmp_path / "whole"
    write_archive(whole, dict.fromkeys(kernel_inventory.kernels(), ""), heading_of(["search/nested.py"], {}))
    assert kernel_inventory.lacking(whole) == ""


def test_a_change_of_what_is_carried_is_noticed(path: Path, tmp_path: Path) -> None:
    whole, damaged = path.read_bytes(), tmp_path / "damaged"
    begin = whole.index(b"\n") + 1
    damaged.write_bytes(whole[:begin] + bytes(byte ^ 1 for byte in whole[begin:]))
    with pytest.raises(Unfit, match="damaged"):
        read_archive(damaged).text(SEARCH)
    archive = read_archive(path)
    other = archive._replace(places={SEARCH: archive.places[KEYS[1]]._replace(digest=archive.places[SEARCH].digest)})
    with pytest.raises(Unfit, match="damaged"):
        other.text(SEARCH)
    for content in (b"", whole[: begin // 2], b"{}\n", b"[]\n"):
        damaged.write_bytes(content)
        with pytest.raises(Unfit, match="cannot be read"):
            read_archive(damaged)
    with pytest.raises(Unfit, match="carries no kernels"):
        read_archive(tmp_path / "none")


@pytest.mark.parametrize("why", ["missing", "damaged"])
def test_what_does_not_fit_is_built_and_said_once(why: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = read_archive(path)
    damaged = archive._replace(packed=bytes(len(archive.packed)))
    monkeypatch.setattr(kernel_code, "carried", lambda: {"missing": Unfit("it has none"), "damaged": damaged}[why])
    said: list[str] = []
    assert text_of(Kernel(SEARCH, lambda: "built"), said.append) == "built"
    assert len(said) == 1
    assert said[0].startswith(kernel_code.BUILDING)


def test_an_error_of_a_builder_is_not_taken_for_a_lack_of_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> Kernel:
        def build() -> str:
            raise ModuleNotFoundError(name, name=name)

        return Kernel("lacking", build)

    monkeypatch.setattr(kernel_code, "carried", lambda: Unfit("it has none"))
    with pytest.raises(EverafterError, match="pip install"):
        text_of(lacking("numba"), kernel_code.say_nothing)
    with pytest.raises(ModuleNotFoundError):
        text_of(lacking("everafter.lost"), kernel_code.say_nothing)


def test_a_text_of_a_later_llvm_is_not_taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_archive, "PATH", path)
    assert isinstance(kernel_archive.carried.__wrapped__(), KernelArchive)
    monkeypatch.setattr(kernel_archive, "llvm_version", lambda: "9.10.0")
    assert "LLVM" in str(kernel_archive.carried.__wrapped__())


def test_a_text_is_for_other_processors_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    other = binding.Target.from_triple("aarch64-unknown-linux-gnu").create_target_machine(opt=3)
    for key in KEYS:
        text = read_archive(path).text(key)
        assert "target" not in {line.partition(" ")[0] for line in text.splitlines()}
        module = binding.parse_assembly(text)
        module.triple, module.data_layout = other.triple, str(other.target_data)
        assert other.emit_object(module)
    waits = f'define void @f() {{\n  call void asm sideeffect "{machine.WAIT}", "~{{memory}}"()\n  ret void\n}}\n'
    monkeypatch.setattr(binding, "get_process_triple", lambda: "aarch64-unknown-linux-gnu")
    assert 'asm sideeffect "yield"' in str(machine._parsed(waits))


@pytest.mark.parametrize(
    "text",
    [
        "@kept = common global ptr null\ndefine ptr @f() {\n  %v = load ptr, ptr @kept\n  ret ptr %v\n}",
        "define ptr @f() {\n  ret ptr inttoptr (i64 139888844426448 to ptr)\n}",
    ],
)
def test_what_is_in_one_process_only_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="in this process only"):
        numbered(text, ["f"])


def test_what_is_carried_is_what_is_held_against_the_proofs() -> None:
    kernel_of: dict[Any, Any] = {
        kernel_code.search_code: kernel_code.search_kernel,
        kernel_code.store_code: kernel_code.store_kernel,
        worker.kernels: worker.cluster_kernel,
        certificate_code: certificate_kernel,
    }
    calls: list[Any] = [make for _, make in makers()]
    held = {kernel_of[each.func](*each.args, **each.keywords).key for each in calls if each.func in kernel_of}
    left = [each.func.__name__ for each in calls if each.func not in kernel_of]
    assert left == ["kernels"]
    assert kernel_inventory.kernels().keys() <= held | {gpu_kernel().key}
    assert kernel_inventory.FORGETTING == plan.FORGETTING


def whole() -> KernelArchive:
    """What this installation carries; a failure where that is promised, and else a reason to skip."""
    archive = kernel_archive.carried()
    if isinstance(archive, Unfit) and os.environ.get("EVERAFTER_ORACLES"):
        pytest.fail(f"{archive}: python -m everafter.kernel_inventory", pytrace=False)
    if isinstance(archive, Unfit):
        pytest.skip(str(archive))
    return archive


@pytest.mark.build
def test_this_installation_carries_every_kernel_as_it_would_be_built(path: Path) -> None:
    archive = whole()
    assert archive.places.keys() == kernel_inventory.kernels().keys()
    assert all(archive.text(key) for key in archive.places)
    assert archive.made_with == kernel_inventory.tools(), "scripts/setup installs what is pinned"
    assert [archive.text(key) for key in KEYS] == [read_archive(path).text(key) for key in KEYS]


@pytest.mark.build
@pytest.mark.parametrize("how", [["--fair", "weak"], ["--threads", "2"], ["--store", "tree"]])
def test_every_way_to_search_is_carried(how: list[str], tmp_path: Path) -> None:
    whole()
    done = user(kernel_archive.PATH, tmp_path, "check", "m.pml", "--ltl", "answered", *how)
    assert (done.returncode, done.stderr) == (0, "")
    assert "holds" in done.stdout
