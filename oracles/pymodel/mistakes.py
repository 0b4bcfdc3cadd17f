"""Mistakes planted into random models: each is refused at its place, or makes another model."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from typing import Any, Literal

from everafter.source import EverafterError, InputError, OptionError
from everafter.user_model import model_of
from oracles.pymodel.comparison import AUTHORS
from oracles.pymodel.random_models import model_of_text

Planted = Literal["refused by Python", "refused", "refused without advice", "a model", "no place"]
_KINDS: Sequence[str] = tuple(AUTHORS)


def mutated(text: str, rng: random.Random) -> str:
    """The text with one mistake in a process or a property."""
    tree = ast.parse(text)
    nodes = [each for each in ast.walk(tree.body[-1]) if isinstance(each, ast.expr | ast.stmt)]
    node: Any = rng.choice(nodes)
    match node:
        case ast.Name():
            node.id = rng.choice(["zz", "self", "m", "len", "Hue", "range"])
        case ast.Attribute():
            node.attr = rng.choice(["x", "f", "zz", "count", "RED", "help"])
        case ast.Constant():
            node.value = rng.choice(["text", None, 10**5, -1, 1.5, b"", True])
        case ast.Call():
            node.args = rng.choice([[], [*node.args, ast.Constant(1)], [ast.Constant(None)]])
        case ast.BinOp():
            node.op = rng.choice([ast.Div(), ast.Pow(), ast.BitAnd(), ast.Mod(), ast.LShift()])
        case ast.Assign():
            node.targets = [rng.choice([ast.Name("me", ast.Store()), node.value])]
        case ast.If() | ast.While() | ast.For():
            node.body = rng.choice([[ast.Pass()], [ast.Return(ast.Constant(1))], [ast.Continue()], [ast.Raise()]])
        case ast.Compare():
            node.ops = [rng.choice([ast.In(), ast.Is(), ast.Lt()])] * len(node.ops)
        case _:
            pass
    return ast.unparse(ast.fix_missing_locations(tree))


def planted(seed: int) -> Planted:
    """What comes of the random model of a seed with a mistake; whatever else is raised is a fault of ours."""
    rng = random.Random(seed)
    try:
        text = mutated(AUTHORS[_KINDS[seed % len(_KINDS)]](seed // 2), rng)
        compile(text, "", "exec")
        kind = model_of_text(text, f"mutation_{seed}")
    except (SyntaxError, TypeError, NameError, AttributeError, ValueError, IndexError, KeyError, EverafterError):
        return "refused by Python"  # itself, or by what the class calls while it is defined
    try:
        model_of(kind)
    except InputError as error:
        advised = all(each.advice for each in error.diagnostics)
        placed = all(each.place.line > 0 for each in error.diagnostics)
        return "no place" if not placed else "refused" if advised else "refused without advice"
    except OptionError:
        return "refused"
    return "a model"
