"""A few steps of a model, from which the coordinator chooses the partition function: once, for all workers."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence

from everafter.engine.cluster.partition import WHOLE_ROW, Partition, PartitionChoice, choices_of, chosen_partition
from everafter.engine.cluster.worker import JobDescription, model_code
from everafter.engine.run.row_split import sampled_split, sampled_steps


def sampled_partition(description: JobDescription, workers: int) -> Partition:
    """Return the partition function for `workers` workers: that of `description`, or what a sample suggests."""
    if description.partition is not None:
        return description.partition
    return chosen_partition(_steps(description), workers) if workers > 1 else WHOLE_ROW


def sampled_halves(description: JobDescription) -> tuple[int, int]:
    """Return which words of a row are in its left half in a tree, and how many words most rows have.

    They are those of the `description` where rows are not kept as trees.
    """
    if description.store != "tree":
        return description.halves
    code = model_code(description)
    control = ctypes.create_string_buffer(description.code.control_size)
    return sampled_split(code.address("expand"), code.address("initial"), ctypes.addressof(control))


def sampled_choices(description: JobDescription) -> list[PartitionChoice]:
    """Return what there is to choose from for the model of the `description`, by a sample of steps."""
    return list(choices_of(_steps(description)))


def _steps(description: JobDescription) -> list[tuple[bytes, Sequence[bytes]]]:
    code = model_code(description)
    control = ctypes.create_string_buffer(description.code.control_size)
    expand, initial = code.address("expand"), code.address("initial")
    return list(sampled_steps(expand, initial, ctypes.addressof(control), random.Random(0)))
