"""Silver's own reading of Viper programs, for `proofs.silver_tree`: what each declaration is, holds, and leaves open.

This text runs in Nagini's environment, which can talk to Java, and nowhere else. `python silver.py ARCHIVE FOLDER FILE
…` prints a line of JSON for each file in its folder. Macros are expanded and imports resolved: what is told is what
Silicon is handed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

jpype: Any = import_module("jpype")

JAVA = ("-Xss64m", "-Xmx2g", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1")
"""One processor, and all that Java can do to make long readings fast: macros are expanded for seconds."""
KINDS = ("domains", "fields", "functions", "predicates", "methods", "extensions")
"""What a program consists of."""


def each(sequence: Any) -> Iterator[Any]:
    """The elements of a sequence, an option or a set of Scala."""
    rest = sequence.iterator()
    while rest.hasNext():
        yield rest.next()


def kind(node: Any) -> str:
    """What sort of node it is."""
    return str(node.getClass().getSimpleName())


def within(node: Any) -> Iterator[Any]:
    """The node and all below it."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(each(here.subnodes()))


def place(node: Any) -> dict[str, Any]:
    """The file and the line where the node begins; nothing if it has no place."""
    position = node.pos()
    return {"file": str(position.file()), "line": int(position.start().line())} if hasattr(position, "file") else {}


def marks(info: Any) -> set[str]:
    """The annotations of a node."""
    sort = kind(info)
    if sort == "ConsInfo":
        return marks(info.head()) | marks(info.tail())
    if sort == "AnnotationInfo":
        return {str(entry._1()) for entry in each(info.values())}
    return set() if sort in {"NoInfo$", "SourcePNodeInfo"} else {sort}


def measures(conditions: Any) -> list[dict[str, Any]]:
    """The clauses that say why something ends: of which sort, and whether only under a condition."""
    found = (node for condition in each(conditions) for node in within(condition))
    return [
        {"kind": kind(node), "always": not hasattr(node, "condition") or node.condition().isEmpty()}
        for node in found
        if kind(node).startswith("Decreases")
    ]


def statements(block: Any) -> list[Any]:
    """What is done in the block, in order, without blocks that only group."""
    found = []
    for statement in each(block.ss()):
        found.extend(statements(statement) if kind(statement) == "Seqn" else [statement])
    return found


def is_falsehood(statement: Any) -> bool:
    """Whether the statement asks that a falsehood cannot be proved."""
    return kind(statement) == "Refute" and str(statement.exp()) == "false"


def block(sort: str, body: Any, node: Any) -> dict[str, Any]:
    """A block: whether a falsehood is planted where it begins and ends, and the blocks in it."""
    done = [statement for statement in statements(body) if kind(statement) != "LocalVarDeclStmt"]
    inner = []
    for statement in done:
        if kind(statement) == "If":
            inner += [block("branch", branch, statement) for branch in (statement.thn(), statement.els())]
        elif kind(statement) == "While":
            inner.append({**block("loop", statement.body(), statement), "measures": measures(statement.invs())})
    return {
        "sort": sort,
        **place(node),
        "empty": not done,
        "begins": bool(done) and is_falsehood(done[0]),
        "ends": bool(done) and is_falsehood(done[-1]),
        "blocks": inner,
    }


def axioms(domain: Any) -> list[dict[str, Any]]:
    """The axioms of a domain, those without a name included, as Silver prints them."""
    return [
        {"name": str(axiom.name()) if hasattr(axiom, "name") else "", "says": str(axiom.exp()), **place(axiom)}
        for axiom in each(domain.axioms())
    ]


def member(sort: str, node: Any, file: str) -> dict[str, Any]:
    """A declaration; what is in it only if it is of this file."""
    found: dict[str, Any] = {"sort": sort, "name": str(node.name()), **place(node)}
    if sort in {"functions", "methods"}:
        found["measures"] = measures(node.pres()) + measures(node.posts())
    if sort == "functions":
        found["calls"] = calls(node)
    if sort in {"domains", "functions"} or found.get("file") == file:
        found["says"] = str(node)
    return {**found, **contents(sort, node)} if found.get("file") == file else found


def called(call: Any) -> str:
    """The function or method that is called."""
    return str(call.funcname() if kind(call) == "FuncApp" else call.methodName())


def calls(node: Any) -> list[str]:
    """The functions and methods that are called in the declaration."""
    return sorted({called(inner) for inner in within(node) if kind(inner) in {"FuncApp", "MethodCall"}})


def contents(sort: str, node: Any) -> dict[str, Any]:
    """What is in a declaration: the sorts of its nodes, its annotations, its axioms, its contract, its blocks."""
    nodes = list(within(node))
    found: dict[str, Any] = {
        "kinds": sorted({kind(inner) for inner in nodes}),
        "marks": sorted({mark for inner in nodes if hasattr(inner, "info") for mark in marks(inner.info())}),
    }
    if sort == "domains":
        found["axioms"] = axioms(node)
        found["functions"] = [str(function) for function in each(node.functions())]
    if sort in {"functions", "methods", "predicates"}:
        found["has body"] = not node.body().isEmpty()
    if sort == "methods":
        found["calls"] = calls(node)
    if sort == "methods":
        parts = (node.formalArgs(), node.formalReturns(), node.pres(), node.posts())
        found["printed"] = [[str(inner) for inner in each(part)] for part in parts]
        if found["has body"]:
            found["body"] = block("method", node.body().get(), node)
    return found


def read(folder: str, file: str) -> dict[str, Any]:
    """The program in the file of this folder, or what is wrong with it."""
    silver = jpype.JPackage("viper").silver
    reporter = getattr(jpype.JClass("viper.silver.reporter.NoopReporter$"), "MODULE$")
    logger = silver.logger.SilentLogger.apply().get()
    frontend = silver.frontend.ViperAstProvider(reporter, logger, False)
    given = jpype.java.util.ArrayList([f"{folder}/{file}"])
    arguments = jpype.JClass("scala.jdk.javaapi.CollectionConverters").asScala(given).toSeq()
    frontend.execute(arguments, jpype.JPackage("scala").Option.empty())
    errors = [str(error.readableMessage()) for error in each(frontend.errors())]
    if errors:
        return {"errors": errors}
    program = frontend.translationResult()
    path = str(jpype.java.nio.file.Paths.get(folder, file).toAbsolutePath())
    members = [member(sort, node, path) for sort in KINDS for node in each(getattr(program, sort)())]
    return {"errors": [], "folder": path.removesuffix(file), "members": members}


def main(archive: str, asked: list[str]) -> None:
    """Read each file."""
    jpype.startJVM(*JAVA, classpath=[archive])
    for folder, file in zip(asked[::2], asked[1::2], strict=True):
        print(json.dumps(read(folder, file)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
