"""A few steps of a model, from which the one who leads a search chooses how owners are told: once, for all workers."""

from __future__ import annotations

import ctypes
import random

from everafter.engine.cluster.owning import WHOLE_ROW, Owning, chosen_owning
from everafter.engine.cluster.worker import Order, model_code
from everafter.engine.run.splitting import sampled_steps


def sampled_owning(order: Order, workers: int) -> Owning:
    """How so many workers tell who owns a state: what the order says, or what a sample of steps suggests."""
    if order.owning is not None:
        return order.owning
    if workers == 1:
        return WHOLE_ROW
    code = model_code(order)
    control = ctypes.create_string_buffer(order.code.control_size)
    expand, initial = code.address("expand"), code.address("initial")
    return chosen_owning(sampled_steps(expand, initial, ctypes.addressof(control), random.Random(0)), workers)
