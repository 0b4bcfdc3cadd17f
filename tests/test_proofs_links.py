"""What is proved names what it is the proof of, and that names its proof; the proved text is the text that ships."""

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from pkgutil import resolve_name

from proofs import coq, nagini, viper
from proofs.catalogue import files
from proofs.links import Link, links_in_source
from proofs.task import inside
from proofs.variables import check_deciding

NAMES_IN: Mapping[str, Callable[[str], Collection[str]]] = {
    ".vpr": viper.methods,
    ".py": nagini.methods,
    ".v": coq.theorems,
}
PROVED = re.compile(r"Proof of (everafter(?:\.\w+)+)")


def links_in_proofs() -> set[Link]:
    """Where a proof names what it is the proof of: above the method or theorem, in or after the function in Python."""
    found = set()
    for file in files():
        text = inside(file).read_text()
        for proved in PROVED.finditer(text):
            found.add((proved[1], file, prover_name(file, text, proved.start())))
    return found


def prover_name(file: str, text: str, place: int) -> str:
    """The method, function or theorem that the remark at this place belongs to."""
    if file.endswith(".py"):
        return str(re.findall(r"^def (\w+)", text[:place], re.MULTILINE)[-1])
    after = re.search(r"^(?:method|Theorem) ([\w']+)", text[place:], re.MULTILINE)
    assert after is not None
    return after[1]


def test_links_go_both_ways() -> None:
    assert links_in_source() == links_in_proofs()
    assert len(links_in_source()) >= 24


def test_what_is_named_exists() -> None:
    for function, file, name in links_in_source():
        text = inside(file).read_text()
        assert name in NAMES_IN[Path(file).suffix](text), (function, file, name)
        assert resolve_name(function) is not None


def test_what_is_proved_to_decide_certificates_is_the_text_that_ships() -> None:
    check_deciding()
