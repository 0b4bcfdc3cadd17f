"""What the page is told of a run is the run: its states can be made again, and messages find their way."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.execution.meaning import CASES
from tests.page.models import CIRCLE, STUCK, TALKING

import everafter
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, HOLDS, VIOLATED
from everafter.page.check_page import page_of
from everafter.page.content import Edit, FrameView, Page, RunView
from everafter.page.edits import frame_of
from everafter.page.html import as_json, document
from everafter.page.message_flow import compared
from everafter.verdict.result import Counterexample

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.pml"))


def page_of_text(text: str) -> tuple[Page, list[everafter.Result]]:
    model = everafter.parse(text)
    results = model.check_all()
    return page_of(model.name, "1", model.program, results), results


def run_shown(text: str) -> tuple[RunView, Counterexample]:
    page, results = page_of_text(text)
    answer, result = next(
        (answer, result) for answer, result in zip(page.answers, results, strict=True) if result.violated
    )
    assert answer.run is not None
    assert result.counterexample is not None
    return answer.run, result.counterexample


def edited(frame: FrameView, edits: tuple[Edit, ...]) -> FrameView:
    """The same as `edited` in run.js, said in Python."""
    cells, processes, channels = list(frame.cells), list(frame.processes), list(frame.channels)
    for edit in edits:
        match edit:
            case ("global", cell, value):
                cells[cell] = value
            case ("local", number, cell, value):
                own = list(processes[number].cells)
                own[cell] = value
                processes[number] = processes[number]._replace(cells=tuple(own))
            case ("node", number, node):
                processes[number] = processes[number]._replace(node=node)
            case ("start", process):
                processes.append(process)
            case ("end",):
                processes.pop()
            case ("open", channel):
                channels.append(channel)
            case ("close",):
                channels.pop()
            case ("messages", number, messages):
                channels[number] = channels[number]._replace(messages=messages)
    return FrameView(tuple(cells), tuple(processes), tuple(channels))


def nameless(frame: FrameView) -> FrameView:
    """A frame without the names of its channels, which a page keeps as they were when the channel was made."""
    return FrameView(frame.cells, frame.processes, tuple(channel._replace(name="") for channel in frame.channels))


def assert_told(run: RunView, found: Counterexample) -> None:
    frame = run.start
    states = found.states()
    assert frame == frame_of(found.program, next(states))
    for move, state in zip(run.moves, states, strict=False):
        frame = edited(frame, move.edits)
        assert nameless(frame) == nameless(frame_of(found.program, state))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_state_of_an_example_can_be_made_again(path: Path) -> None:
    model = everafter.load(path)
    results = model.check_all()
    page = page_of(model.name, "1", model.program, results)
    for answer, result in zip(page.answers, results, strict=True):
        assert (answer.run is None) == (result.counterexample is None)
        if answer.run is not None and result.counterexample is not None:
            assert_told(answer.run, result.counterexample)
            assert len(answer.run.claim) == len(answer.run.positions)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.outcome != "holds"])
def test_every_state_of_a_small_model_can_be_made_again(name: str) -> None:
    run, found = run_shown(CASES[name].text)
    assert_told(run, found)


# Messages

contents = st.lists(st.tuples(st.integers(0, 2)), max_size=5).map(tuple)


@given(contents, contents)
def test_what_came_and_went_explains_what_is_there(
    old: tuple[tuple[int, ...], ...], new: tuple[tuple[int, ...], ...]
) -> None:
    came, gone = compared(old, new)
    left = [message for place, message in enumerate(old) if place not in gone]
    for place in came:
        left.insert(place, new[place])
    assert tuple(left) == new


def test_the_first_of_equal_messages_is_received_and_a_new_one_is_last() -> None:
    assert compared(((1,), (1,)), ((1,),)) == ([], [0])
    assert compared(((1,),), ((1,), (1,))) == ([1], [])
    assert compared(((2,), (1,), (1,)), ((2,), (1,))) == ([], [1])


def test_messages_go_from_sender_to_receiver() -> None:
    run, _ = run_shown(TALKING)
    told = {(message.channel, message.text): message for message in run.messages}
    first, second, met = told["q", "ask, 1"], told["q", "ask, 2"], told["r", "5"]
    assert (first.sender, first.receiver) == (0, 1)
    assert 0 < first.sent < first.received
    assert (second.received, second.receiver) == (-1, -1)
    assert (met.sender, met.receiver) == (1, 0)
    assert met.sent == met.received


def test_a_message_that_finds_no_room_is_lost() -> None:
    text = "chan q = [1] of { byte }; active proctype P() { q!1; q!2; assert(false) }"
    model = everafter.parse(text, loses_messages=True)
    run = page_of("m", "1", model.program, [model.check()]).answers[0].run
    assert run is not None
    assert [(message.text, message.lost) for message in run.messages] == [("1", False), ("2", True)]


# The rest


def test_atomic_sequences_are_folds() -> None:
    run, _ = run_shown(TALKING)
    assert [fold.last - fold.first for fold in run.folds] == [2]
    assert all(run.moves[number - 1].process == 1 for number in range(run.folds[0].first, run.folds[0].last + 1))


def test_the_truth_of_every_subformula_is_told() -> None:
    run, found = run_shown(CIRCLE)
    assert run.truth[0].text.startswith("G ")
    assert {len(truth.values) for truth in run.truth} == {len(found.letters)}
    assert run.truth[0].values[0] == "0"
    assert run.positions == found.positions


def test_the_claim_is_followed_to_where_it_accepts() -> None:
    page, _ = page_of_text(CIRCLE)
    answer = page.answers[2]
    assert answer.property == "again"
    assert answer.claim is not None
    assert answer.run is not None
    assert answer.run.claim[0] == answer.claim.start
    accepting = {node.number for node in answer.claim.nodes if node.accepting}
    assert accepting.intersection(answer.run.claim[-answer.run.cycle :])
    ways = {(edge.source, edge.target) for edge in answer.claim.edges}
    assert ways.issuperset(zip(answer.run.claim, answer.run.claim[1:], strict=False))


def test_a_never_claim_is_its_own_graph() -> None:
    text = """
    byte x; active proctype P() { do :: x = 1 - x od }
    never { wait: do :: x == 1 -> goto accept :: true od; accept: do :: true od }"""
    page, _ = page_of_text(text)
    answer = page.answers[1]
    assert answer.claim is not None
    assert answer.claim.name == answer.property
    assert answer.run is not None
    assert answer.run.claim[0] == answer.claim.start


def test_a_deadlock_says_who_waits_for_what() -> None:
    run, _ = run_shown(STUCK)
    reader, writer = run.waits
    assert (reader.process, reader.ending) == ("Reader(0)", False)
    assert reader.obstacles[0].reason == "q is empty"
    assert "turn = 1" in writer.obstacles[0].reason


def test_what_is_known_beside_a_verdict_is_told() -> None:
    page, _ = page_of_text(CIRCLE)
    assert page.answers[2].notes == ("it is violated under strong fairness, too",)
    text = "byte x;\nactive proctype P() { if :: x = 1 :: x == 3 -> \n x = 5 fi }\nproctype Q() { x = 2 }"
    (answer,) = page_of_text(text)[0].answers
    assert "no process Q ever takes a step" in answer.notes
    assert "which are underlined in the source" in answer.notes[1]
    assert 3 in [spot.line for spot in answer.unreached]


def test_no_text_of_a_model_leaves_its_element() -> None:
    page, _ = page_of_text('active proctype P() { printf("</script><!-- \\ud800"); assert(false) }')
    text = "".join(document(page))
    assert text.count("</script>") == 3
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    told: dict[str, Any] = json.loads(data[1])
    assert "</script><!--" in told["files"][0]["text"]
    assert told == json.loads(as_json(page))


def test_the_page_loads_nothing() -> None:
    text = "".join(document(page_of_text(TALKING)[0]))
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#|data:)", text)
    assert "http://" not in text.replace("http://www.w3.org/", "")
    assert "https://" not in text


# The command line


def test_check_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, page = tmp_path / "m.pml", tmp_path / "page.html"
    model.write_text(TALKING)
    assert main(["check", str(model), "--html", str(page)]) == VIOLATED
    assert f"page written to {page}" in capsys.readouterr().err
    assert "<title>" in page.read_text()


def test_a_page_is_written_of_what_holds(tmp_path: Path) -> None:
    model, page = tmp_path / "m.pml", tmp_path / "page.html"
    model.write_text("active proctype P() { skip }")
    assert main(["check", str(model), "--html", str(page)]) == HOLDS
    assert '"verdict":"holds"' in page.read_text()


def test_where_a_page_cannot_be_written_nothing_is_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text(TALKING)
    assert main(["check", str(model), "--html", str(tmp_path / "no" / "page.html")]) == BAD_INPUT
    output = capsys.readouterr()
    assert "cannot write" in output.err
    assert output.out == ""


def test_one_page_is_of_one_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text(TALKING)
    assert main(["check", str(model), str(model), "--html", str(tmp_path / "page.html")]) == BAD_INPUT
    assert "one page cannot show several models" in capsys.readouterr().err


def test_a_huge_claim_is_neither_drawn_nor_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everafter.page.claim_view._MOST_EDGES", 1)
    claim = page_of_text(CIRCLE)[0].answers[2].claim
    assert claim is not None
    assert (len(claim.nodes), claim.edges, claim.picture) == (2, (), "")


def test_the_program_of_the_page_is_laid_out_as_the_rest() -> None:
    folder = Path(everafter.__file__).parent / "page" / "assets"
    scripts = list(folder.glob("*.js"))
    assert len(scripts) > 5
    for script in scripts:
        lines = script.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 400, script.name
        assert max(map(len, lines)) <= 120, script.name
