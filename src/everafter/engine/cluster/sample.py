"""A few steps of a model, from which the coordinator chooses the partition function: once, for all workers."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence

from everafter.engine.cluster.partition import WHOLE_ROW, Owning, PartitionChoice, choices_of, chosen_owning
from everafter.engine.cluster.worker import Order, model_code
from everafter.engine.run.row_split import sampled_split, sampled_steps


def sampled_owning(order: Order, workers: int) -> Owning:
    """Return the partition function for `workers` workers: that of the `order`, or what a sample of steps suggests."""
    if order.owning is not None:
        return order.owning
    return chosen_owning(_steps(order), workers) if workers > 1 else WHOLE_ROW


def sampled_halves(order: Order) -> tuple[int, int]:
    """Return which words of a row are in its left half in a tree, and how many words most rows have.

    They are those of the `order` where rows are not kept as trees.
    """
    if order.store != "tree":
        return order.halves
    code = model_code(order)
    control = ctypes.create_string_buffer(order.code.control_size)
    return sampled_split(code.address("expand"), code.address("initial"), ctypes.addressof(control))


def sampled_choices(order: Order) -> list[PartitionChoice]:
    """Return what there is to choose from for the model of the `order`, by a sample of steps."""
    return list(choices_of(_steps(order)))


def _steps(order: Order) -> list[tuple[bytes, Sequence[bytes]]]:
    code = model_code(order)
    control = ctypes.create_string_buffer(order.code.control_size)
    expand, initial = code.address("expand"), code.address("initial")
    return list(sampled_steps(expand, initial, ctypes.addressof(control), random.Random(0)))
