"""What Python prints of results, counterexamples and random runs: what the command line shows, no pages of records."""

from __future__ import annotations

import everafter

LOOP = "byte x; active proctype P() { do :: x = 1 - x od } ltl p { [] (x == 0) } ltl q { <> [] (x == 0) }"


def test_a_counterexample_prints_its_steps() -> None:
    result = everafter.parse(LOOP).check("q")
    run = result.counterexample
    assert run is not None
    text = str(run)
    assert text in str(result)
    assert text.splitlines()[0].split() == ["step", "process", "line", "statement", "what", "changed"]
    assert "again and again, for ever:" in text
    assert repr(run) == f"<Counterexample of {len(run)} steps, the last {len(run.cycle)} for ever>"


def test_a_counterexample_of_one_step_says_so() -> None:
    run = everafter.parse("active proctype P() { assert(false) }").check().counterexample
    assert repr(run) == "<Counterexample of 1 step>"
    assert "assert(false)" in str(run)


def test_characters_that_a_terminal_obeys_are_not_printed() -> None:
    model = everafter.parse('active proctype P() { printf("\x1b[31m"); assert(false) }')
    assert "\x1b" not in str(model.check().counterexample)
    assert "\x1b" not in str(everafter.simulate(model))


def test_a_random_run_prints_its_steps_and_how_it_ended() -> None:
    model = everafter.parse('active proctype P() { printf("hello\\n"); assert(false) }')
    lines = str(everafter.simulate(model)).splitlines()
    assert [line.strip() for line in lines[1:3]] == ['1  P(0)        1  printf("hello\\n")', "hello"]
    assert lines[-1] == "<model>:1:42: assert(false) failed"
    cut = everafter.simulate(everafter.parse(LOOP), steps=3)
    assert str(cut).splitlines()[-1] == "stopped after 3 steps"
    assert repr(cut) == "Simulation(problem=None, ended=False)"


def test_no_value_shows_the_whole_text_of_the_model() -> None:
    text = "active proctype P() { assert(false) }" + "\n" * 5000
    run = everafter.parse(text).check().counterexample
    assert run is not None
    assert all(len(repr(each)) < 4000 for each in (run, run.problem, run.rows[0], run.steps[0]))
