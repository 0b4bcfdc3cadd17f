"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from everafter.engine.code.cache import cache_folder

ROOT = Path(__file__).parent.parent
BROKEN = """byte inside;
active [2] proctype P() { inside++; assert(inside == 1); inside-- }
ltl small { [] (inside <= 2) }
ltl none { [] (inside == 0) }
"""
HOLDS = "byte x;\nactive proctype P() { x = 1 }\nltl set { <> (x == 1) }\n"
CACHE = cache_folder()
"""Where machine code is kept; a run inside this one has another home, and would make it anew."""


@pytest.fixture
def arguments(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What loads the plugin where it is not installed as one."""
    monkeypatch.setenv("EVERAFTER_CACHE", str(CACHE))
    installed = any(each.name == "everafter" for each in entry_points(group="pytest11"))
    return [] if installed else ["-p", "everafter.pytest_plugin"]


def test_it_is_installed_as_a_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"everafter": "everafter.pytest_plugin"}


def test_models_are_collected_only_when_asked_for(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", model=HOLDS)
    assert pytester.runpytest_subprocess(*arguments).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    pytester.runpytest_subprocess(*arguments, "--everafter").assert_outcomes(passed=2)
    pytester.makeini("[pytest]\neverafter_collect = true\n")
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=2)


def test_a_failure_shows_the_counterexample_and_no_traceback(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", broken=BROKEN)
    result = pytester.runpytest_subprocess(*arguments, "--everafter", "-v")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["broken.pml::safety FAILED*", "broken.pml::small PASSED*", "broken.pml::none FAILED*"])
    result.stdout.fnmatch_lines(["*step*process*line*statement*what changed*", "*assert(inside == 1) failed*"])
    result.stdout.fnmatch_lines(["*before step*", "*G (inside == 0)*"])
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


def test_tests_are_chosen_by_name(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", broken=BROKEN, good=HOLDS)
    pytester.runpytest_subprocess(*arguments, "--everafter", "-k", "small or good").assert_outcomes(
        passed=3, deselected=2
    )
    pytester.runpytest_subprocess(*arguments, "--everafter", "broken.pml::small").assert_outcomes(passed=1)


def test_tests_are_shared_out(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", broken=BROKEN, good=HOLDS)
    pytester.runpytest_subprocess(*arguments, "--everafter", "-n", "2").assert_outcomes(passed=3, failed=2)


def test_patterns(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", one=HOLDS)
    pytester.makefile(".prom", two=HOLDS)
    (pytester.path / "deep").mkdir()
    (pytester.path / "deep" / "three.pml").write_text(HOLDS)
    pytester.makeini("[pytest]\neverafter_collect = true\neverafter_files = *.prom deep/*\n")
    result = pytester.runpytest_subprocess(*arguments, "-v")
    result.assert_outcomes(passed=4)
    assert "one.pml" not in result.stdout.str()


def test_options_of_a_model_and_of_all(pytester: pytest.Pytester, arguments: list[str]) -> None:
    head = "/* A model of N steps. */\n/* everafter: -D N=3 --safety --ltl '[] (x <= N)' */\n"
    pytester.makefile(".pml", own=head + "int x; active proctype P() { do :: x < N -> x++ :: else -> break od }")
    pytester.makefile(".pml", other="int x = N; active proctype P() { assert(x == 5) }")
    pytester.makeini("[pytest]\neverafter_collect = true\neverafter_options = -D N=5 --time 300s\n")
    result = pytester.runpytest_subprocess(*arguments, "-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["own.pml::[[][]] (x <= N) PASSED*"])


def test_fairness_is_for_infinite_runs(pytester: pytest.Pytester, arguments: list[str]) -> None:
    text = "bool x, y; active proctype P() { do :: x = !x od }\nactive proctype Q() { y = true }\nltl done { <> y }\n"
    pytester.makefile(".pml", unfair=text, fair="/* everafter: --fair weak */\n" + text)
    pytester.runpytest_subprocess(*arguments, "--everafter").assert_outcomes(passed=3, failed=1)


def test_every_kind_of_property(pytester: pytest.Pytester, arguments: list[str]) -> None:
    head = "/* everafter: --safety --ltl set --never claim.pml --hoa bad.hoa --acceptance --progress */\n"
    pytester.makefile(".pml", model=head + HOLDS)
    (pytester.path / "claim.pml").write_text("never { do :: x > 1 -> break :: else od }")
    (pytester.path / "bad.hoa").write_text(
        'HOA: v1\nStates: 1\nStart: 0\nAP: 1 "x > 1"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n'
    )
    result = pytester.runpytest_subprocess(*arguments, "--everafter", "-v", "model.pml")
    result.assert_outcomes(passed=6)
    names = ("safety", "set", "never", "automaton", "acceptance", "progress")
    result.stdout.fnmatch_lines([f"model.pml::{name} PASSED*" for name in names])


def test_expectations(pytester: pytest.Pytester, arguments: list[str]) -> None:
    head = "/* expect: violated assertion; 12 states */\n/* expect ltl none: violated */\n"
    pytester.makefile(".pml", broken=head + BROKEN)
    pytester.runpytest_subprocess(*arguments, "--everafter").assert_outcomes(passed=3)
    pytester.makefile(".pml", broken="/* expect ltl small: violated */\n" + BROKEN)
    result = pytester.runpytest_subprocess(*arguments, "--everafter", "-k", "small")
    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(["*expected to be violated*", "*small*holds*"])


def test_the_examples_are_as_they_say(pytester: pytest.Pytester, arguments: list[str]) -> None:
    names = ("peterson", "mutex_broken", "philosophers_fixed", "scheduler")
    for name in names:
        (pytester.path / f"{name}.pml").write_text((ROOT / "examples" / f"{name}.pml").read_text())
    pytester.runpytest_subprocess(*arguments, "--everafter").assert_outcomes(passed=11)


WRONG = {
    "active proctype P() { y = 1 }": "unknown variable 'y'",
    "/* everafter: --nonsense */ active proctype P() { skip }": "unrecognized arguments: --nonsense",
    "/* everafter: --algorithm fast */ active proctype P() { skip }": "there is no algorithm 'fast'",
    "/* everafter: --format json */ active proctype P() { skip }": "have no meaning here",
    "/* everafter: -D N=2..5 */ active proctype P() { skip }": "have no meaning here",
    "/* everafter: --html page.html */ active proctype P() { skip }": "--html has no meaning here",
    "/* everafter: 'open */ active proctype P() { skip }": "No closing quotation",
    "/* expect ltl nothing: violated */ active proctype P() { skip }": "nothing is called 'nothing'",
    "/* expect: maybe */ active proctype P() { skip }": "'maybe' is no verdict to expect",
}


def test_what_cannot_be_checked_is_said(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", **{f"wrong_{number}": text for number, text in enumerate(WRONG)})
    result = pytester.runpytest_subprocess(*arguments, "--everafter")
    result.assert_outcomes(errors=len(WRONG))
    reports = result.stdout.str().split("ERROR collecting wrong_")[1:]
    for message, report in zip(WRONG.values(), reports, strict=True):
        assert message in report
        assert "Traceback" not in report
        assert ".py:" not in report


def test_what_is_not_decided_fails(pytester: pytest.Pytester, arguments: list[str]) -> None:
    endless = "int x; active [3] proctype P() { do :: x++ :: x == -1 -> x++ od }"
    pytester.makefile(".pml", endless="/* everafter: --memory 30M */\n" + endless)
    result = pytester.runpytest_subprocess(*arguments, "--everafter")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*incomplete*"])


def test_warnings_are_shown(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", two="init { skip }\ninit { skip }\n")
    result = pytester.runpytest_subprocess(*arguments, "--everafter")
    result.stdout.fnmatch_lines(["*ModelWarning: *"])


def test_the_fixture(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".pml", broken=BROKEN, good=HOLDS)
    pytester.makepyfile(
        """
        import everafter

        def test_holds(check_model):
            results = check_model("good.pml")
            assert [result.property for result in results] == ["safety", "set"]

        def test_a_formula(check_model):
            (result,) = check_model("broken.pml", "small", engine="reference")
            assert result.engine == "reference"

        def test_a_text(check_model):
            check_model(everafter.parse("active proctype P() { assert(N == 3) }", {"N": 3}))

        def test_broken(check_model):
            check_model("broken.pml")
        """
    )
    result = pytester.runpytest_subprocess(*arguments)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            '>*check_model("broken.pml")*',
            "E*Violated: safety*violated*",
            "E*step*process*line*statement*what changed*",
            "E*3*P(?)*2*assert(inside == 1)*",
            "test_the_fixture.py:*: Violated",
        ]
    )
    assert places_of_frames(result) == {"test_the_fixture.py"}


def test_mistakes_in_calls_of_the_fixture_have_a_caret_and_no_frames(
    pytester: pytest.Pytester, arguments: list[str]
) -> None:
    pytester.makefile(".pml", wrong="active proctype P() { y = 1 }")
    pytester.makepyfile(
        """
        import pytest, everafter

        def test_text(check_model):
            check_model("wrong.pml")

        def test_argument(check_model):
            check_model("wrong.pml", engin="reference")

        def test_value(check_model):
            check_model("wrong.pml", engine="refrence")

        def test_it_can_be_caught(check_model):
            with pytest.raises(everafter.InputError, match="unknown variable 'y'"):
                check_model("wrong.pml")
        """
    )
    result = pytester.runpytest_subprocess(*arguments)
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["E*wrong.pml:1:23: error: unknown variable 'y'", "E*|*^", "E*help: declare it*"])
    result.stdout.fnmatch_lines(["E*unexpected keyword argument 'engin'"])
    result.stdout.fnmatch_lines(["E*did you mean 'reference'?"])
    assert len(places_of_frames(result)) == 1


def test_mistakes_in_texts_that_a_test_reads_itself_have_a_caret_and_no_frames(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import everafter

        def test_text():
            everafter.parse("active proctype P() { y = 1 }")

        def test_option():
            everafter.parse("active proctype P() { skip }").check(engine="refrence")
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E*<model>:1:23: error: unknown variable 'y'", "E*|*^", "E*help: declare it*"])
    assert len(places_of_frames(result)) == 1


def places_of_frames(result: pytest.RunResult) -> set[str]:
    """The files of the frames that a report shows."""
    return set(re.findall(r"^(\S+\.py):\d+:", result.stdout.str(), re.MULTILINE))


CLASSES = '''from everafter import model as m


class Lost(m.Model):
    """expect: violated all_counted."""

    x, done = m.Int[0, 2](0), m.Int[0, 2](0)

    @m.process(instances=2)
    def worker(self, me: int) -> None:
        seen = self.x
        self.x = seen + 1
        self.done += 1

    all_counted = m.always(lambda s: s.done < 2 or s.x == 2)


class Wrong(Lost):
    """Nothing is expected."""
'''


def test_classes_are_collected(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytester.makefile(".py", models=CLASSES)
    pytester.makeini("[pytest]\neverafter_files = models.py\neverafter_options = --engine reference\n")
    result = pytester.runpytest_subprocess(*arguments, "--everafter", "-v")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*Lost.all_counted PASSED*", "*Wrong.all_counted FAILED*"])
    pytester.runpytest_subprocess(*arguments, "--everafter", "models.py::Lost.safety").assert_outcomes(passed=1)
