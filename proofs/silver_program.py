"""Silver's syntax tree of what Viper programs do, for `proofs.execution`: functions and methods, not what they promise.

This text runs in Nagini's environment, as `proofs/silver.py` does. `python -m proofs.silver_program ARCHIVE FOLDER FILE
…` prints a line of JSON for each file in its folder. Macros are expanded and imports resolved.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from proofs.silver import each, jpype, kind

PROMISES = frozenset({"pres", "posts", "invs", "triggers"})
"""The parts of a node that say what holds, and are not done."""
TYPES = frozenset({"typ", "typVarMap", "elemTyp"})
"""Those that say of what type something is. It is told where a name is declared."""
SORTS = ("functions", "methods")
PROVING = frozenset({"Assert", "Refute"})
"""The statements that do nothing."""


def plain(part: Any) -> Any:
    """A part of a tree: a node by its kind and its own parts, as Silver calls them, a list, a number, a word."""
    if isinstance(part, jpype.JString):
        return str(part)
    if hasattr(part, "bigInteger"):
        return int(str(part))
    if hasattr(part, "subnodes"):
        return node(part)
    return [plain(inner) for inner in each(part)]


def node(tree: Any) -> dict[str, Any]:
    """A node, with what is done there."""
    what = kind(tree)
    if what in PROVING:
        return {"what": what}
    parts = zip(map(str, each(tree.productElementNames())), each(tree.productIterator()), strict=True)
    done = {name: plain(part) for name, part in parts if name not in PROMISES | TYPES}
    return {"what": what, **done, **({"of": str(tree.typ())} if what == "LocalVarDecl" else {})}


def program(folder: str, file: str) -> dict[str, Any]:
    """What the program in the file of this folder does, or what is wrong with it."""
    silver = jpype.JPackage("viper").silver
    reporter = getattr(jpype.JClass("viper.silver.reporter.NoopReporter$"), "MODULE$")
    frontend = silver.frontend.ViperAstProvider(reporter, silver.logger.SilentLogger.apply().get(), False)
    given = jpype.java.util.ArrayList([f"{folder}/{file}"])
    arguments = jpype.JClass("scala.jdk.javaapi.CollectionConverters").asScala(given).toSeq()
    frontend.execute(arguments, jpype.JPackage("scala").Option.empty())
    errors = [str(error.readableMessage()) for error in each(frontend.errors())]
    if errors:
        return {"errors": errors}
    tree = frontend.translationResult()
    return {"errors": [], **{sort: [node(inner) for inner in each(getattr(tree, sort)())] for sort in SORTS}}


def main(archive: str, asked: list[str]) -> None:
    """Read each file."""
    jpype.startJVM("-Xss64m", "-Xmx2g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", classpath=[archive])
    for folder, file in zip(asked[::2], asked[1::2], strict=True):
        print(json.dumps(program(folder, file)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
