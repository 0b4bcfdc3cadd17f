"""What is proved names what it is the proof of, and that names its proof; the proved text is the text that ships."""

import importlib
import re
from pathlib import Path

from proofs import coq, nagini, viper
from proofs.catalogue import files
from proofs.task import ROOT, inside

LINK = re.compile(r"Proof: proofs/([\w/]+\.\w+), (?:method|function|theorem) ([\w']+)\.")
PROVED = re.compile(r"Proof of (everafter(?:\.\w+)+)")
SOURCES = ROOT / "src"

Link = tuple[str, str, str]
"""A function, a file of proofs, and what in it is the proof."""


def links_in_source() -> set[Link]:
    """Where a docstring names a proof. The function is the last one defined before it, or the module."""
    found = set()
    for path in SOURCES.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        text = path.read_text()
        for link in LINK.finditer(text):
            defined = re.findall(r"^\s*def (\w+)", text[: link.start()], re.MULTILINE)
            found.add((f"{module}.{defined[-1]}" if defined else module, link[1], link[2]))
    return found


def links_in_proofs() -> set[Link]:
    """Where a proof names what it is the proof of: above the method in Viper, in or after the function in Python."""
    found = set()
    for file in files():
        if not file.endswith(".v"):
            text = inside(file).read_text()
            for proved in PROVED.finditer(text):
                found.add((proved[1], file, prover_name(file, text, proved.start())))
    return found


def prover_name(file: str, text: str, place: int) -> str:
    """The method or function that the remark at this place belongs to."""
    if file.endswith(".vpr"):
        after = re.search(r"^method (\w+)", text[place:], re.MULTILINE)
        assert after is not None
        return after[1]
    return str(re.findall(r"^def (\w+)", text[:place], re.MULTILINE)[-1])


def test_links_go_both_ways() -> None:
    in_source = {link for link in links_in_source() if not link[1].endswith(".v")}
    assert in_source == links_in_proofs()
    assert len(in_source) >= 14


def test_what_is_named_exists() -> None:
    for function, file, name in links_in_source():
        text = inside(file).read_text()
        names = {".vpr": viper.methods, ".py": nagini.methods, ".v": coq.theorems}[Path(file).suffix](text)
        assert name in names, (function, file, name)
        module, _, attribute = function.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), function


def test_the_proved_certificate_checker_is_the_one_that_ships() -> None:
    shipped = (SOURCES / "everafter" / "verdict" / "certificate.py").read_text()
    assert nagini.stripped(inside("verdict/certificate.py").read_text()) == shipped
