"""A few steps of a model, from which the one who leads a search chooses how owners are told: once, for all workers."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence

from everafter.engine.cluster.owning import WHOLE_ROW, Choice, Owning, choices_of, chosen_owning
from everafter.engine.cluster.worker import Order, model_code
from everafter.engine.run.splitting import sampled_split, sampled_steps


def sampled_owning(order: Order, workers: int) -> Owning:
    """How so many workers tell who owns a state: what the order says, or what a sample of steps suggests."""
    if order.owning is not None:
        return order.owning
    return chosen_owning(_steps(order), workers) if workers > 1 else WHOLE_ROW


def sampled_halves(order: Order) -> tuple[int, int]:
    """Which words of a row are in its left half where rows are kept as trees, and how many words most rows have."""
    if order.store != "tree":
        return order.halves
    code = model_code(order)
    control = ctypes.create_string_buffer(order.code.control_size)
    return sampled_split(code.address("expand"), code.address("initial"), ctypes.addressof(control))


def sampled_choices(order: Order) -> list[Choice]:
    """What there is to choose from, by a sample of steps."""
    return list(choices_of(_steps(order)))


def _steps(order: Order) -> list[tuple[bytes, Sequence[bytes]]]:
    code = model_code(order)
    control = ctypes.create_string_buffer(order.code.control_size)
    expand, initial = code.address("expand"), code.address("initial")
    return list(sampled_steps(expand, initial, ctypes.addressof(control), random.Random(0)))
