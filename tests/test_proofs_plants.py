"""Mistakes planted into proofs in Viper, each of which Silver's own parser must show: the checker cannot be evaded.

Silver reads all of them in one go. The plants that only a prover can notice are in proofs/controls.toml.
"""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from proofs import silver_tree
from proofs.catalogue import needed, tasks_of
from proofs.provers import install
from proofs.statements import compared
from proofs.task import Task
from proofs.viper import methods


@dataclass(frozen=True)
class Plant:
    """A text to be replaced in a proof, or else added at its end, and what must be said of it."""

    name: str
    file: str
    by: str
    says: str
    replace: str = ""

    def task(self) -> Task:
        """The proof with the mistake."""
        tree = next(task for task in tasks_of(self.file) if task.variant == "tree")
        assert not self.replace or tree.text.count(self.replace) == 1
        text = tree.text.replace(self.replace, self.by) if self.replace else f"{tree.text}{self.by}\n"
        return replace(tree, text=text, proves=methods(text))


PLANTS = [
    Plant(**entry) for entry in tomllib.loads(Path(__file__).with_name("proofs_plants.toml").read_text())["plant"]
]


def readings() -> dict[str, str]:
    """By name of the plant: what is said of it."""
    asked = [plant.task() for plant in PLANTS]
    for program in needed(asked):
        install(program)
    read, _, _ = silver_tree.read(asked)
    return {plant.name: said(task, reading) for plant, task, reading in zip(PLANTS, asked, read, strict=True)}


def said(task: Task, reading: silver_tree.Reading) -> str:
    """Everything that is wrong, in words."""
    found = "\n".join(silver_tree.faults(task, reading))
    return found or compared(task, silver_tree.statements(task, reading.proof))[1] or ""


@pytest.mark.provers
def test_planted_mistakes_are_noticed() -> None:
    """One test, since Silver takes long to start and little to read one proof more."""
    read = readings()
    unnoticed = {
        plant.name: read[plant.name] for plant in PLANTS if not read[plant.name] or plant.says not in read[plant.name]
    }
    assert not unnoticed
