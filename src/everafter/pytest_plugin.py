"""Models as tests: files of Promela and of Python models, collected by pytest, a test for each property; and a fixture.

docs/pytest.md describes it. pytest loads this file in every run, so nothing of everafter is loaded before a model is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

from everafter.record import dataclass, replace

if TYPE_CHECKING:
    from everafter.questions.limits import Limits
    from everafter.questions.request import Request
    from everafter.user_model import Model
    from everafter.verdict.result import Result

_OPTIONS = re.compile(r"/\*\s*everafter:\s*(.*?)\s*\*/", re.DOTALL)
_EXPECTATION = re.compile(r"/\*\s*expect(?:\s+(?:ltl\s+)?(?P<name>[\w-]+))?:\s*(?P<verdict>[^\s;*]+)[^*]*\*/")
_EXPECTED_CLASS = re.compile(r"expect: (?P<verdict>\w+)(?: (?P<name>\w+))?(?:; fairness (?P<fairness>\w+))?")
_COMMENTS = re.compile(r"(?:\s*(?:/\*.*?\*/|//[^\n]*\n))*", re.DOTALL)
_VERDICTS = ("holds", "violated")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Settings in the configuration file, and one option."""
    group = parser.getgroup("everafter", "models in Promela")
    group.addoption("--everafter", action="store_true", help="collect models, as everafter_collect = true does")
    parser.addini("everafter_collect", "whether models are collected", type="bool", default=False)
    parser.addini("everafter_files", "which files are models", type="args", default=["*.pml"])
    parser.addini("everafter_options", "options of `everafter check` for every model", type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ModelFile | None:
    """Return the model in `file_path` as a collector below `parent`, if models are collected and this is one."""
    config = parent.config
    if not (config.getoption("everafter") or config.getini("everafter_collect")):
        return None
    patterns: list[str] = config.getini("everafter_files")
    relative = file_path.relative_to(config.rootpath) if file_path.is_relative_to(config.rootpath) else file_path
    if not any(fnmatch(file_path.name, each) or fnmatch(relative.as_posix(), each) for each in patterns):
        return None
    kind = ClassFile if file_path.suffix == ".py" else ModelFile
    return kind.from_parent(parent, path=file_path)


class ModelWarning(UserWarning):
    """Something in a model is probably not meant."""


class ModelFile(pytest.File):
    """A model, whose properties are tests."""

    def collect(self) -> Iterator[ModelItem]:
        """A test for each property that the model states, or that its options name."""
        from everafter.source import EverafterError, InputError  # noqa: PLC0415 # only where there are models
        from everafter.stated_questions import warnings_of  # noqa: PLC0415 # only where there are models

        try:
            asked = _asked(self.path, self.config.getini("everafter_options"))
            for warning in warnings_of(asked.model, asked.request):
                self.warn(ModelWarning(warning.render()))
            questions = dict(_split(asked.model, asked.request))
            _check_expectations(self.path, asked.expected, questions)
        except InputError as error:
            raise self.CollectError(error.render()) from None
        except EverafterError as error:
            raise self.CollectError(f"{self.path}: {error}") from None
        for name, request in questions.items():
            yield ModelItem.from_parent(self, name=name, asked=asked, request=request)


class ClassFile(ModelFile):
    """A file of Python, in which the properties of model classes are tests."""

    def collect(self) -> Iterator[ModelItem]:
        """A test for each property of each model, called `Model.property`."""
        from everafter.pymodel.python_file import models_in  # noqa: PLC0415 # only where there are models
        from everafter.source import EverafterError, InputError  # noqa: PLC0415 # only where there are models

        try:
            for name, kind in models_in(str(self.path), {}).items():
                asked = _asked_of_class(self.path, name, kind.__doc__ or "", self.config.getini("everafter_options"))
                questions = dict(_split(asked.model, asked.request))
                _check_expectations(self.path, asked.expected, questions)
                for each, request in questions.items():
                    item = ModelItem.from_parent(self, name=f"{name}.{each}", asked=asked, request=request)
                    item.expected = asked.expected.get(each, "holds")
                    yield item
        except InputError as error:
            raise self.CollectError(error.render()) from None
        except EverafterError as error:
            raise self.CollectError(f"{self.path}: {error}") from None


class ModelItem(pytest.Item):
    """One property of a model. It passes if the verdict is the expected one, by default `holds`."""

    def __init__(self, *, asked: ExpectedVerdicts, request: Request, **rest: Any) -> None:
        super().__init__(**rest)
        self.asked = asked
        self.request = request
        self.expected = asked.expected.get(self.name, "holds")

    def runtest(self) -> None:
        """Check the property."""
        results = self.asked.model.check_all(self.request, self.asked.limits)
        disagreeing = next((result for result in results if result.disagreement), None)
        if disagreeing is not None:
            disagreeing.raise_if_violated()
        if self.expected == "violated" and any(result.violated for result in results):
            return
        wrong = [result for result in results if result.verdict != self.expected]
        if wrong:
            raise _Unexpected(self.expected, wrong)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """The counterexample, as the command line shows it, and no traceback."""
        from everafter.source import EverafterError  # noqa: PLC0415 # only where there are models

        if isinstance(excinfo.value, _Unexpected | EverafterError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the formula stands, and which test this is."""
        formula = next((each for each in self.asked.model.tree.formulas if each.name == self.name), None)
        return self.path, formula.place.line - 1 if formula is not None else 0, f"{self.path.name}: {self.name}"


class _Unexpected(Exception):
    """Verdicts other than the expected one."""

    def __init__(self, expected: str, results: list[Result]) -> None:
        told = "" if expected == "holds" else f"expected to be {expected}\n"
        super().__init__(told + "\n\n".join(map(str, results)))


# What is asked of a model


@dataclass(frozen=True, slots=True)
class ExpectedVerdicts:
    """A model, the properties to decide, and which verdicts are expected of which."""

    model: Model
    request: Request
    limits: Limits
    expected: Mapping[str, str]


def _asked(path: Path, options: list[str]) -> ExpectedVerdicts:
    """The model in a file, with the properties that the configuration and its own first comments name."""
    from everafter.commands.check_options import options_of  # noqa: PLC0415
    from everafter.commands.option_parser import limits_of, request_of  # noqa: PLC0415
    from everafter.commands.preprocessing import defined  # noqa: PLC0415
    from everafter.user_model import load  # noqa: PLC0415 # only where there are models

    head = _head(path)
    own = [word for text in _OPTIONS.findall(head) for word in _words(text)]
    chosen = options_of([str(path), *options, *own])
    model = load(
        path,
        defined(chosen.define),
        loses_messages=chosen.lose_messages,
        never=chosen.never,
        include=chosen.include,
    )
    expected = {match["name"] or "safety": match["verdict"] for match in _EXPECTATION.finditer(head)}
    return ExpectedVerdicts(model, request_of(chosen), limits_of(chosen), expected)


def _asked_of_class(path: Path, name: str, documented: str, options: list[str]) -> ExpectedVerdicts:
    """A model class of a file; its docstring may begin with `expect: violated property; fairness weak`."""
    from everafter.commands.check_options import options_of  # noqa: PLC0415
    from everafter.commands.option_parser import limits_of, request_of  # noqa: PLC0415
    from everafter.commands.preprocessing import defined  # noqa: PLC0415
    from everafter.user_model import load  # noqa: PLC0415 # only where there are models

    match = _EXPECTED_CLASS.match(documented.strip())
    fair = ["--fair", match["fairness"]] if match is not None and match["fairness"] else []
    chosen = options_of([f"{path}:{name}", *options, *fair])
    model = load(f"{path}:{name}", defined(chosen.define))
    is_one = match is not None and match["name"]
    expected = {match["name"]: match["verdict"]} if match is not None and is_one else {}
    return ExpectedVerdicts(model, request_of(chosen), limits_of(chosen), expected)


def _words(text: str) -> list[str]:
    from everafter.source import OptionError  # noqa: PLC0415 # only where there are models

    try:
        return shlex.split(text)
    except ValueError as error:
        raise OptionError(f"{error} in the options '{text}'") from error


def _head(path: Path) -> str:
    """The comments before anything else in a file."""
    match = _COMMENTS.match(path.read_text(encoding="utf-8", errors="replace"))
    return match[0] if match is not None else ""


def _check_expectations(path: Path, expected: Mapping[str, str], questions: Mapping[str, Request]) -> None:
    """That every expectation is of a property that is checked. Raises OptionError."""
    from everafter.source import OptionError, closest  # noqa: PLC0415 # only where there are models

    for name, verdict in expected.items():
        if verdict not in _VERDICTS:
            raise OptionError(f"'{verdict}' is no verdict to expect", "expect holds or violated")
        if name not in questions and name != "safety":
            advice = closest(name, questions) or f"the properties are {', '.join(questions)}"
            raise OptionError(f"nothing is called '{name}', of which {verdict} is expected", advice)


def _split(model: Model, request: Request) -> Iterator[tuple[str, Request]]:
    """The request in parts, one for each property, with a name for each."""
    from everafter.questions.plan import goals_of  # noqa: PLC0415 # only where there are models

    bare = replace(request, safety=False, formulas=(), never=False, automaton=None, acceptance=False, progress=False)
    algorithm = request.algorithm
    is_for_runs = algorithm is not None and "cycle" in goals_of(algorithm)
    is_for_states = algorithm is not None and "reachability" in goals_of(algorithm)
    of_runs = replace(bare, algorithm=algorithm if is_for_runs else None)
    everything = request.asks_nothing
    if everything or request.safety:
        chosen = algorithm if is_for_states else None
        yield "safety", replace(bare, safety=True, fairness=None, algorithm=chosen)
    for formula in (*model.formulas, *model.unread) if everything else request.formulas:
        yield formula, replace(of_runs, formulas=(formula,))
    if request.never or (everything and any(process.role == "never" for process in model.program.processes)):
        yield "never", replace(of_runs, never=True)
    if request.automaton is not None:
        yield "automaton", replace(of_runs, automaton=request.automaton)
    if request.acceptance:
        yield "acceptance", replace(of_runs, acceptance=True)
    if request.progress:
        yield "progress", replace(of_runs, progress=True)


# For tests in Python


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show by its caret a mistake in `call` of `item`, without the frames in which it came up."""
    found = call.excinfo
    if found is None or type(found.value).__module__ != "everafter.source" or item.config.getoption("fulltrace"):
        return
    from everafter.source import InputError, OptionError  # noqa: PLC0415 # only where there are models

    if isinstance(found.value, InputError | OptionError):
        if isinstance(found.value, InputError):
            found.value.args = (found.value.render(),)
        _hide_own_frames(found.tb)


def _hide_own_frames(frame: TracebackType | None) -> None:
    """Let the traceback from `frame` on end where it leaves the user's own files."""
    last = None
    while frame is not None:
        if not str(frame.tb_frame.f_globals.get("__name__")).startswith("everafter."):
            last = frame
        frame = frame.tb_next
    if last is not None:
        last.tb_next = None


CheckModel = Callable[..., "list[Result]"]
"""check_model(model, *formulas, defines=…, limits=…, and what `Model.check` takes) -> results"""


@pytest.fixture
def check_model(request: pytest.FixtureRequest) -> CheckModel:
    """Check a model and fail, with the counterexample, unless everything holds.

    The model is a file, looked for beside the test, or a `Model`. Without formulas everything it states is checked.
    """

    def checked(
        model: str | Path | Model,
        *formulas: str,
        defines: Mapping[str, object] | None = None,
        limits: Limits | None = None,
        **how: Any,
    ) -> list[Result]:
        __tracebackhide__ = True
        from everafter.questions.request import Request  # noqa: PLC0415
        from everafter.source import EverafterError, InputError  # noqa: PLC0415
        from everafter.user_model import load  # noqa: PLC0415 # only where there are models

        try:  # what goes wrong is shown by its text, without the frames in which it came up
            asked = Request(formulas=formulas, **how)
        except (EverafterError, TypeError) as error:
            raise error.with_traceback(None) from None
        try:
            if isinstance(model, str | Path):
                model = load(request.path.parent / model, defines)
            results = model.check_all(asked, limits)
            for result in results:
                result.raise_unless_holds()
        except InputError as error:
            error.args = (error.render(),)
            raise error.with_traceback(None) from None
        except EverafterError as error:
            raise error.with_traceback(None) from None
        return results

    return checked
