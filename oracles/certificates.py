"""Certificates taken apart and put together again, whole by their digest, whatever is in them; and whether they are
true, by the definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from everafter.certificates.certification import Certified, Checker, certified, opened
from everafter.certificates.file import CertificateReader, CertificateWriter
from everafter.certificates.inquiry import Inquiry
from everafter.certificates.rows import RowBlock, decoded
from everafter.check import check
from everafter.ltl import from_hoa
from everafter.product.claim import AutomatonClaim
from everafter.product.product import Product
from everafter.product.safety import SafetyGraph
from everafter.questions.limits import Limits
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.question_code import product_state
from everafter.questions.reduction_choice import UnsoundReductionError, reduction_for
from everafter.questions.request import Request
from everafter.questions.smaller_program import program_as_listed
from everafter.reduction.ample import Reduction
from everafter.source import Source
from everafter.stated_questions import questions
from everafter.user_model import Model

Row = tuple[bytes, int]
"""A row and its rank."""
Section = tuple[dict[str, Any], list[Row]]
Encode = Callable[[list[Row], bool], RowBlock]
Graph = Product | SafetyGraph


def written(model: Model, request: Request, path: Path, limits: Limits | None = None) -> list[str]:
    """Check the model and write the certificate; the verdicts."""
    with path.open("wb") as file:
        writer = CertificateWriter(file)
        results = check(model, request, limits, certificate=writer)
        assert writer.finish()
    return [result.verdict for result in results]


def confirmed(
    path: Path,
    model: Model,
    by: Checker = "native",
    request: Request | None = None,
    threads: int = 1,
    sample: int = 0,
) -> list[Certified]:
    """The verdicts of a certificate, confirmed to answer `request` of `model`, in which the properties may be missing.

    `by`, `threads` and `sample` are as `certified` takes them. Raises CertificateError.
    """
    with opened(path) as reader:
        return list(certified(reader, Inquiry.of(model, request or Request()), by, threads, sample=sample))


def sections_of(path: Path) -> list[Section]:
    """The headings and rows of a certificate."""
    with path.open("rb") as file:
        reader = CertificateReader(file)
        return [
            (section.heading, [row for block in reader.blocks(section) for row in decoded(block)])
            for section in reader.sections
        ]


def rewritten(path: Path, sections: Iterable[Section]) -> None:
    """Write a certificate of these headings and rows."""
    path.write_bytes(content_of(sections))


def changed(path: Path, change: Callable[[dict[str, Any], list[Row]], Section]) -> None:
    """Change every section of a certificate, and let it look whole."""
    rewritten(path, [change(heading, rows) for heading, rows in sections_of(path)])


def encoded(rows: list[Row], ranked: bool) -> RowBlock:
    """Rows as a block, by the definition of the format."""
    words, changes, values, ranks = bytearray(), bytearray(), bytearray(), bytearray()
    before = bytearray(1 << 19)
    last = 0
    for row, rank in rows:
        for group in range(0, len(row), 64):
            mask = 0
            for at in range(group, min(group + 64, len(row)), 8):
                bits = sum(1 << byte for byte in range(8) if row[at + byte] != before[at + byte])
                if bits:
                    mask |= 1 << (at - group) // 8
                    changes.append(bits)
                    values += bytes(row[at + byte] for byte in range(8) if bits >> byte & 1)
            words.append(mask)
        before[: len(row)] = row
        if ranked:
            ranks += _number(rank - last)
            last = rank
    return RowBlock(len(rows), bytes(words), bytes(changes), bytes(values), bytes(ranks))


def content_of(sections: Iterable[Section], encode: Encode = encoded) -> bytes:
    """A file of these headings and rows."""
    file = BytesIO()
    writer = CertificateWriter(file)
    for heading, rows in sections:
        writer.section(heading, [encode(rows, heading["sets"] > 0)] if rows else [])
    assert writer.finish()
    return file.getvalue()


def _number(distance: int) -> bytes:
    left = 2 * distance if distance >= 0 else -2 * distance - 1
    found = bytearray()
    while left > 127:
        found.append(left & 127 | 128)
        left >>= 7
    found.append(left)
    return bytes(found)


# By the definition


def is_true(model: Model, sections: Sequence[Section]) -> bool:
    """Whether every section tells the truth about the model, and the rows of what holds show it.

    Nothing of the checkers is used: all states of small models are looked at, one by one. What fair runs hold has no
    definition here, so that it is not taken for true; that one violates it, the reference's search says.
    """
    return bool(sections) and all(_is_true(model, heading, rows) for heading, rows in sections)


def _is_true(model: Model, heading: dict[str, Any], rows: list[Row]) -> bool:
    kind, words = heading["kind"], heading["words"]
    request = Request(
        safety=kind == "safety",
        formulas=(words,) if kind == "ltl" else (),
        acceptance=kind == "acceptance",
        progress=kind == "progress",
        ignore=heading["conditions"]["ignore"],
        empty_channels=heading["conditions"]["empty_channels"],
    )
    judged = replace(model, program=replace(model.program, expected=request.expected))
    [asked] = questions(judged, request)
    question = asked.question(Question(model.program, SAFETY))
    same = bool(heading["digest"] == model.tree.digest)
    fairness = heading["conditions"]["fairness"]
    if kind != "safety" and fairness is not None:
        fair = model.check(words, fairness=fairness, engine="reference").verdict
        return same and fair == "violated" and bool(heading["verdict"] == fair)
    verdict = "violated" if is_violated(question) else "holds"
    return same and bool(heading["verdict"] == verdict) and (verdict == "violated" or _show(question, heading, rows))


def _graph(question: Question, reduction: Reduction | None) -> Graph:
    claim = question.property.claim
    if claim is None:
        return SafetyGraph(question.program, reduction=reduction)
    return Product(question.program, claim, question.property.accept_labels, reduction)


def is_violated(question: Question) -> bool:
    """Whether a violation can be reached, or an accepting state that can be reached again from itself."""
    graph = _graph(question, None)
    edges: dict[Any, list[Any]] = {}
    pending: list[Any] = list(graph.initial())
    while pending:
        state = pending.pop()
        if state not in edges:
            edges[state] = list(graph.successors(state))
            pending += edges[state]
    if isinstance(graph, SafetyGraph):
        return graph.violation in edges
    return any(graph.is_accepting(state) and _leads_back(edges, state) for state in edges)


def _leads_back(edges: dict[Any, list[Any]], start: Any) -> bool:
    seen: set[Any] = set()
    pending = list(edges[start])
    while pending:
        state = pending.pop()
        if state not in seen:
            seen.add(state)
            pending += edges[state]
    return start in seen


def _show(question: Question, heading: dict[str, Any], rows: list[Row]) -> bool:
    """Whether the rows are closed, each once, and their ranks fall as they must; by the automaton that they are of.

    What is zero in them, and which steps are merged, the analysis says, whose own oracles are elsewhere.
    """
    try:
        question = program_as_listed(question, heading["erased"], heading["merged"])
    except UnsoundReductionError:
        return False
    reduction = reduction_for(question) if heading["reduced"] else None
    if heading["automaton"] is not None:
        automaton = from_hoa(Source("automaton", heading["automaton"]))
        claim = AutomatonClaim(automaton, question.property.propositions or {})
        question = replace(question, property=replace(question.property, claim=claim))
    graph = _graph(question, reduction if isinstance(reduction, Reduction) else None)
    named: Any = product_state if isinstance(graph, Product) else bytes
    rank = {named(row): number for row, number in rows}
    if len(rank) != len(rows) or any(state not in rank for state in graph.initial()):
        return False
    for state, own in rank.items():
        most = own - 1 if isinstance(graph, Product) and graph.is_accepting(state) else own
        if any(target not in rank or rank[target] > most for target in _targets(graph, state, rank)):
            return False
    return True


def _targets(graph: Any, state: Any, listed: dict[Any, int]) -> list[Any]:
    """Where a state leads: through what is inside an atomic sequence and not listed."""
    found: list[Any] = []
    passed: set[Any] = set()
    pending = [state]
    while pending:
        for target in graph.successors(pending.pop()):
            if target in listed or not graph.is_inside(target):
                found.append(target)
            elif target not in passed:
                passed.add(target)
                pending.append(target)
    return found
