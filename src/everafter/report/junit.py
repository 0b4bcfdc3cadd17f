"""Results as JUnit writes those of tests: what most services that run tests can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from everafter.characters import visible
from everafter.report.model_report import Checked
from everafter.source import InputError
from everafter.verdict.result import Result


def as_junit(models: Sequence[Checked]) -> str:
    """A test suite for each model, and in it a test for each property.

    A violated property is a failure; one that was not decided, or a model that cannot be read, is an error.
    """
    suites = [_suite(checked) for checked in models]
    totals = {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in ("tests", "failures", "errors")}
    whole = Element("testsuites", {"name": "everafter", **totals, "time": _time(sum(each.seconds for each in models))})
    whole.extend(suites)
    ElementTree.indent(whole)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + ElementTree.tostring(whole, encoding="unicode") + "\n"


def _suite(checked: Checked) -> Element:
    cases = list(_cases(checked))
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "skipped": "0",
    }
    suite = Element("testsuite", {"name": _allowed(checked.model), **counts, "time": _time(checked.seconds)})
    suite.extend(cases)
    return suite


def _cases(checked: Checked) -> Iterator[Element]:
    for result in checked.results:
        yield _case(checked, result)
    if checked.error is not None:
        case = _named(checked, "the model can be checked", 0.0)
        text = checked.error.render() if isinstance(checked.error, InputError) else str(checked.error)
        _told(case, "error", "input", str(checked.error).split("\n")[0], text)
        yield case


def _case(checked: Checked, result: Result) -> Element:
    case = _named(checked, result.property, result.seconds)
    if result.violated:
        _told(case, "failure", result.kind, result.reason, str(result))
    elif result.incomplete:
        _told(case, "error", "incomplete", result.reason, str(result))
    return case


def _named(checked: Checked, name: str, seconds: float) -> Element:
    spot = {"name": _allowed(name), "classname": _allowed(checked.model), "file": _allowed(checked.model)}
    return Element("testcase", {**spot, "time": _time(seconds)})


def _told(case: Element, tag: str, kind: str, message: str, text: str) -> None:
    SubElement(case, tag, {"type": kind, "message": _allowed(message)}).text = _allowed(text)


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


def _allowed(text: str) -> str:
    """The text without the characters that no XML may have, whatever the way they are written."""
    return visible(text).replace("\ufffe", "�").replace("\uffff", "�")
