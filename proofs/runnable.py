"""Proved texts that are run beside the text that runs, kept as Python in `oracles/proved`.

Each is made of the proof itself, as the prover reads it: of the tree that Silver parses (`proofs.execution`), or of
what Coq extracts (`proofs.extraction`). It says of what it was made, by a digest of the proof and of the translator,
and is refused when one of them has changed. `EVERAFTER_UPDATE=1 python -m proofs` makes it anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofs import coq, execution, extraction, viper
from proofs.provers import VERSIONS, install
from proofs.task import ROOT, ProofError, inside

KEPT = ROOT / "oracles" / "proved"
Texts = tuple[tuple[str, str], ...]
"""Files with their texts, each after those that it needs."""
Change = Callable[[str, str], str]
"""Another text for a file with this name and text."""


@dataclass(frozen=True, slots=True)
class Runnable:
    """What is to be run of some proofs."""

    name: str
    """The module in `oracles/proved`."""
    files: tuple[str, ...]
    names: tuple[str, ...]
    """The methods or definitions; whatever they use comes with them."""

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return KEPT / f"{self.name}.py"


VIPER = (
    Runnable("table", ("store/table.vpr",), ("find_or_put", "insert_again", "grow", "cleared")),
    Runnable("tree", ("store/tree.vpr",), ("number_of_half", "rebuild_half", "number_row", "rebuild")),
    Runnable("packing", ("store/packing.vpr",), ("slot_of", "packed", "write_root")),
    Runnable("framework", ("search/framework.vpr",), ("forest",)),
)
COQ = (
    Runnable(
        "fair_runs",
        ("product/exploring.v", "product/sets.v", "verdict/fairly.v"),
        ("product.exploring.explore", "product.exploring.decided", "product.sets.is_in_set", "verdict.fairly.is_fair"),
    ),
)
ALL = (*VIPER, *COQ)


def texts_of(each: Runnable, change: Change = lambda _, text: text) -> Texts:
    """The proofs and what they import, with their texts, which may be changed."""
    imports = coq.imports if each in COQ else viper.imports
    found: dict[str, str] = {}
    for file in each.files:
        found |= dict(imports(file)) | {file: inside(file).read_text()}
    return tuple((file, change(file, text)) for file, text in found.items())


def digest(each: Runnable) -> str:
    """The same for the same proofs, read by the same version of the prover and translated by the same text."""
    prover, reader, readers = (
        ("Coq", coq, ("extraction.py",)) if each in COQ else ("Silicon", viper, ("execution.py", "silver_program.py"))
    )
    essential = [(file, reader.essence(text)) for file, text in texts_of(each)]
    made_of = [VERSIONS[prover], [inside(name).read_text() for name in readers], essential, each.names]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()


def read(asked: Sequence[tuple[Runnable, Texts]]) -> list[str]:
    """Each in Python, made of these texts; Silver is asked once about all."""
    parsed = [texts for each, texts in asked if each in VIPER]
    for program in (*(("java", "nagini") if parsed else ()), *(("coqc",) if len(parsed) < len(asked) else ())):
        install(program)
    programs = iter(execution.programs(parsed) if parsed else ())
    return [
        execution.translated(next(programs), each.names)
        if each in VIPER
        else extraction.translated(extraction.extracted(texts, each.names))
        for each, texts in asked
    ]


def bare(texts: Texts) -> Texts:
    """The texts without most of what only a proof needs: the same is made of them, sooner, or if it does not hold."""
    return tuple(
        (file, extraction.without_proofs(text) if file.endswith(".v") else execution.without_promises(text))
        for file, text in texts
    )


def as_kept(each: Runnable, text: str) -> str:
    """The text as it is kept."""
    head = f'"""{", ".join(each.names)}: made of proofs/{", proofs/".join(each.files)} by proofs/runnable.py."""\n'
    return f"{head}# of {digest(each)}\n# mypy: ignore-errors\n\n{text}"


def check_runnable() -> None:
    """Refuse what was made of other proofs, or make it anew, if that is asked for."""
    stale = [each for each in ALL if not each.path.exists() or f"# of {digest(each)}\n" not in each.path.read_text()]
    if stale and not os.environ.get("EVERAFTER_UPDATE"):
        raise ProofError(f"{stale[0].path.relative_to(ROOT)} was not made of {', '.join(stale[0].files)} as it is")
    if stale:
        for each, text in zip(stale, read([(each, texts_of(each)) for each in stale]), strict=True):
            each.path.write_text(as_kept(each, text))
