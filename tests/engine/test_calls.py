"""No function of a model's code calls itself, not even through others: a GPU could not tell how much stack it needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES, installed_models
from oracles.promela.random_programs import program as random_program
from tests.engine.call_graph import calls_in, cyclic
from tests.engine.deep import DEEP
from tests.engine.test_emit import CLAIMS, properties
from tests.execution.meaning import CASES
from tests.program.test_accesses import SPECIAL
from tests.reduction.models import SMALL

from everafter.engine.emit.claims import ProductCode
from everafter.engine.emit.module import code_of
from everafter.product.claim import AutomatonClaim, NeverClaim
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.reduction_choice import reduction_for
from everafter.reduction.ample import Reduction
from everafter.source import InputError
from everafter.user_model import Model, load, parse

MODELS: dict[str, Path | str] = {path.stem: path for path in EXAMPLES}
MODELS |= SPECIAL | SMALL | CLAIMS | DEEP
MODELS |= {name: case.text for name, case in CASES.items()}
MODELS |= {f"seed {seed}": random_program(seed) for seed in range(6000, 6030)}


def texts(model: Model) -> Iterator[str]:
    """The code for every question that can be asked of a model, plain, fair and reduced."""
    program = model.program
    yield code_of(program).text
    if isinstance(reduction := reduction_for(Question(program, SAFETY)), Reduction):
        yield code_of(program, reduction=reduction).text
    for asked in properties(model):
        assert isinstance(asked.claim, AutomatonClaim | NeverClaim)
        yield code_of(program, ProductCode(asked.claim, asked.accept_labels)).text
        yield code_of(program, ProductCode(asked.claim, asked.accept_labels, fair=True)).text
        if isinstance(reduction := reduction_for(Question(program, asked)), Reduction):
            yield code_of(program, ProductCode(asked.claim, asked.accept_labels), reduction).text


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_no_function_calls_itself(model: Path | str) -> None:
    for text in texts(load(model) if isinstance(model, Path) else parse(model)):
        assert cyclic(calls_in(text)) == set()


@pytest.mark.parametrize("path", installed_models(), ids=lambda path: path.stem)
def test_no_function_calls_itself_in_installed_models(path: Path) -> None:
    try:
        model = load(path)
    except InputError:
        return  # refused for its C code, which other tests look at
    for text in texts(model):
        assert cyclic(calls_in(text)) == set()


def test_a_cycle_is_found() -> None:
    text = code_of(parse("byte x; active proctype P() { atomic { x = 1; x = 2 } }").program).text
    assert {"expand", "successors", "step", "P0", "hold", "deliver"} <= calls_in(text).keys()
    planted = text.replace("call void @deliver(ptr %c", "call void @emit(ptr %c", 1)
    assert planted != text
    assert "emit" in cyclic(calls_in(planted))
    through_others = text.replace("call void @deliver(ptr %c", "call void @step(ptr %c", 1)
    assert {"emit", "step", "P0"} <= cyclic(calls_in(through_others))
