"""The tests can be worked with: what is chosen after a change, what each may start, and which are long."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.kinds import kind_of
from tests.processor_time import Durations, recorded
from tests.rotation import is_due, rotating, takes_turns
from tests.selection import OTHER, ROOT, distances, mirrored, module_of, ranked, select

LONG = 30.0
"""Seconds of processor time from which on a test needs a reason."""
IMPORTERS = {"everafter.low": ["everafter.high"], "everafter.high": ["tests.high.test_high"], "everafter.other": []}
FILES = ["tests/high/test_high.py", "tests/low/test_low.py", "tests/documentation/test_pages.py"]


def test_long_tests_have_a_reason_and_no_others_do() -> None:
    reasons = tomllib.loads((ROOT / "tests/long.toml").read_text())
    assert sorted(reasons) == sorted(name for name, taken in recorded().tests.items() if taken >= LONG)
    assert all(len(reason) > 20 for reason in reasons.values())


def test_recorded_files_exist() -> None:
    assert [file for file in recorded().files if not (ROOT / file).is_file()] == []


def test_distance_is_the_number_of_imports() -> None:
    assert distances(["everafter.low"], IMPORTERS) == {
        "everafter.low": 0,
        "everafter.high": 1,
        "tests.high.test_high": 2,
    }
    assert distances(["everafter.other"], IMPORTERS) == {"everafter.other": 0}


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("src/everafter/ltl/rules.py", "everafter.ltl.rules"),
        ("src/everafter/__init__.py", "everafter"),
        ("tests/test_cli.py", "tests.test_cli"),
        ("docs/index.md", None),
        ("scripts/documentation.py", None),
    ],
)
def test_files_are_modules_or_none(path: str, module: str | None) -> None:
    assert module_of(path) == module


def test_a_changed_module_is_tested_by_what_imports_it() -> None:
    assert ranked(["src/everafter/low.py"], IMPORTERS, FILES) == {"tests/high/test_high.py": 2}
    assert ranked(["tests/low/test_low.py"], IMPORTERS, FILES) == {"tests/low/test_low.py": 0}


def test_other_files_are_tested_where_they_belong() -> None:
    assert list(mirrored("docs/index.md", FILES)) == ["tests/documentation/test_pages.py"]
    assert list(mirrored("src/everafter/low/schema.json", FILES)) == ["tests/low/test_low.py"]
    assert list(mirrored("LICENSE", FILES)) == []


def test_every_place_of_other_files_has_tests() -> None:
    names = [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")]
    for prefix, tests in OTHER.items():
        assert (ROOT / prefix).exists(), prefix
        assert any(name.startswith(tests) for name in names), tests


def test_the_nearest_are_chosen_while_there_is_time() -> None:
    durations = Durations({"near": 5.0, "far": 50.0, "long": 90.0}, {"long::test_long": 80.0})
    chosen = select({"far": 2, "near": 1, "long": 3, "farther": 4}, durations, 70.0)
    assert chosen.files == ["near", "far", "long", "farther"]
    assert chosen.deselected == ["long::test_long"]
    assert select({"far": 2, "near": 1}, durations, 20.0).left_out == ["far"]
    assert select({"far": 0}, durations, 1.0).files == ["far"]


def test_programs_have_their_kind() -> None:
    assert kind_of(["nice", "-n", "10", "/usr/bin/java", "-jar"]) == "provers"
    assert kind_of(["spin", "-a", "model.pml"]) == "spin"
    assert kind_of(["python", "-m", "everafter", "spin"]) is None
    assert kind_of([]) is None


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with a conftest of its own like ours."""
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text())
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return pytester


def test_what_needs_a_marker_fails_without_it(inner: pytest.Pytester) -> None:
    inner.makepyfile(
        """
        import subprocess, pytest
        def test_bare():
            subprocess.run(["spin", "-V"])
        @pytest.mark.spin
        def test_marked():
            subprocess.run(["spin", "-V"])
        def test_quick():
            pass
        """
    )
    done = inner.runpytest_subprocess()
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*test_bare starts *lacks the marker 'spin'*"])
    inner.runpytest_subprocess("--fast").assert_outcomes(passed=1, failed=1)


def test_processor_time_is_recorded_by_file_and_for_slow_tests_by_name(inner: pytest.Pytester) -> None:
    inner.makepyfile(
        """
        import time
        def test_busy():
            begin = time.process_time()
            while time.process_time() < begin + 1.2:
                pass
        def test_idle():
            pass
        """
    )
    inner.runpytest_subprocess("--record", "taken.json", "-n", "1").assert_outcomes(passed=2)
    text = (inner.path / "taken.json").read_text()
    assert "test_busy" in text
    assert "test_idle" not in text


def test_each_test_that_takes_turns_comes_in_its_turn() -> None:
    names = [f"tests/engine/test_orders.py::test_one[{number}]" for number in range(300)]
    seeds = [f"commit {day}" for day in range(60)]
    assert all(any(is_due(name, seed) for seed in seeds) for name in names)
    assert 25 < sum(is_due(name, "commit") for name in names) < 80
    assert is_due("tests/engine/test_native.py::test_another", "commit")
    assert takes_turns("tests/test_parity.py::test_random_programs[3]")
    assert not takes_turns("tests/test_parity.py::test_models[3]")


def test_what_takes_turns_is_there() -> None:
    for name in rotating():
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text() or not function
