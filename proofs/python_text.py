"""What a proof about Python text may be made of, and what it takes for granted: read off Python's own tree of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from proofs.task import Assumption, ProofError, one_line

CONTRACTS = "nagini_contracts.contracts"
OBLIGATIONS = "nagini_contracts.obligations"
GRANTED = frozenset({"Assume", "ContractOnly", "Declassify"})
"""Names by which something is taken for granted. None may be renamed by an import."""
MARKS = frozenset({"Pure", "Opaque", "Predicate", "ContractOnly"})
"""The decorators that may be used."""
DEFINING = frozenset({"Pure", "Predicate"})
"""The decorators of functions that are part of what is said."""
PROMISES = frozenset({"Requires", "Ensures", "Exsures", "Decreases"})
ALLOWED = (
    *(ast.Module, ast.ImportFrom, ast.alias, ast.FunctionDef, ast.arguments, ast.arg, ast.Lambda),
    *(
        ast.Expr,
        ast.Assign,
        ast.AnnAssign,
        ast.AugAssign,
        ast.If,
        ast.While,
        ast.Return,
        ast.Pass,
        ast.Break,
        ast.Continue,
    ),
    *(ast.Name, ast.Constant, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.List, ast.Tuple, ast.IfExp),
    *(
        ast.BoolOp,
        ast.UnaryOp,
        ast.BinOp,
        ast.Compare,
        ast.boolop,
        ast.unaryop,
        ast.operator,
        ast.cmpop,
        ast.expr_context,
    ),
)
"""What a proof is made of. Not among them: classes, functions within functions, exceptions, comprehensions."""
ODD_NAMES = frozenset({"eval", "exec", "getattr", "setattr", "globals", "locals", "vars", "__import__", "mul"})


def check_constructs(file: str, text: str) -> None:
    """Refuse what a proof is not made of, and what Nagini is not sound for: it proves falsehoods of repeated lists."""
    tree = ast.parse(text)
    for number, node in enumerate(tree.body):
        if not isinstance(node, ast.FunctionDef) and not _is_import(node) and not _is_remark(node, number):
            raise ProofError(f"{file}:{node.lineno}: a proof has functions at its top, and nothing else")
    for part in ast.walk(tree):
        _check_node(file, tree, part)


def _is_import(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ImportFrom):
        return False
    given = [(each.name, each.asname) for each in node.names]
    return (node.module, given) in ((CONTRACTS, [("*", None)]), (OBLIGATIONS, [("MustTerminate", None)]))


def _is_remark(node: ast.stmt, number: int) -> bool:
    return number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _check_node(file: str, tree: ast.Module, node: ast.AST) -> None:
    place = f"{file}:{getattr(node, 'lineno', 1)}"
    if not isinstance(node, ALLOWED):
        raise ProofError(f"{place}: no proof is made of {type(node).__name__}")
    if isinstance(node, ast.ImportFrom) and node not in tree.body:
        raise ProofError(f"{place}: an import inside a function")
    if isinstance(node, ast.FunctionDef):
        _check_function(place, tree, node)
    if isinstance(node, ast.Name) and node.id in ODD_NAMES:
        raise ProofError(f"{place}: no proof uses {node.id}")
    if isinstance(node, ast.Attribute) and (node.attr.startswith("__") or node.attr in GRANTED | ODD_NAMES):
        raise ProofError(f"{place}: no proof uses {node.attr}")
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Mult) and not _of_numbers(tree, node):
        raise ProofError(f"{place}: Nagini is not sound for repeated lists; only declared numbers may be multiplied")


def _check_function(place: str, tree: ast.Module, function: ast.FunctionDef) -> None:
    if function not in tree.body:
        raise ProofError(f"{place}: a function inside a function is not asked about")
    for mark in function.decorator_list:
        if not (isinstance(mark, ast.Name) and mark.id in MARKS):
            raise ProofError(f"{place}: no proof is marked {ast.unparse(mark)}")


def _of_numbers(tree: ast.Module, node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether both sides are numbers: written as such, or parameters declared so and never written to."""
    if isinstance(node, ast.AugAssign):
        return False
    around = next(each for each in tree.body if each.lineno <= node.lineno <= (each.end_lineno or each.lineno))
    declared = around.args.args if isinstance(around, ast.FunctionDef) else []
    numbers = {each.arg for each in declared if isinstance(each.annotation, ast.Name) and each.annotation.id == "int"}
    written = {each.id for each in ast.walk(around) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    bound = {each.arg for each in ast.walk(around) if isinstance(each, ast.arg)} if _has_lambda(around) else set()
    return all(_is_number(side, numbers - written - (bound - numbers)) for side in (node.left, node.right))


def _has_lambda(node: ast.stmt) -> bool:
    return any(isinstance(each, ast.Lambda) for each in ast.walk(node))


def _is_number(node: ast.expr, numbers: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in numbers
    return isinstance(node, ast.Constant) and type(node.value) is int


def assumptions(file: str, text: str) -> Iterator[Assumption]:
    """What the file takes for granted: by name, and what it does not show to end."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        for part in _granting(function):
            yield Assumption(file, part.lineno, "statement", one_line(ast.unparse(part)))
        says = _endless(function, functions)
        if says:
            yield Assumption(file, function.lineno, f"function {function.name}", says)


def _granting(function: ast.FunctionDef) -> Iterator[ast.stmt | ast.expr]:
    """Each simple statement, condition or decorator that holds a name by which something is taken for granted."""
    parts: list[ast.stmt | ast.expr] = list(function.decorator_list)
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.While):
            parts.append(node.test)
        elif isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
            parts.append(node)
    return (part for part in parts if any(name in GRANTED for name in _names(part)))


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _endless(function: ast.FunctionDef, functions: list[ast.FunctionDef]) -> str:
    """What of the function is not shown to end: that it comes back to itself, or its loops. Nothing else goes on."""
    loops = sum(isinstance(node, ast.While) and not _ends(node.body) for node in ast.walk(function))
    measured = _ends(function.body) and not _is_measured_by(function, functions)
    recurs = not measured and function.name in _called(function, functions)
    said = (("calls itself",) if recurs else ()) + ((f"has {loops} loops",) if loops else ())
    return f"{' and '.join(said)}, not shown to end" if said else ""


def _is_measured_by(function: ast.FunctionDef, functions: list[ast.FunctionDef]) -> bool:
    """Whether a measure of the function speaks of functions: that it falls would rest on what they promise."""
    spoken = [_names(each) for each in function.body if isinstance(each, ast.Expr) and _is_measure(each.value)]
    return not {each.name for each in functions}.isdisjoint(set().union(*spoken))


def _called(function: ast.FunctionDef, functions: list[ast.FunctionDef]) -> set[str]:
    """The functions of the file that it speaks of, or that these speak of, and so on."""
    by_name = {each.name: each for each in functions}
    found: set[str] = set()
    waiting = [function]
    while waiting:
        new = (_names(waiting.pop()) & by_name.keys()) - found
        found |= new
        waiting.extend(by_name[name] for name in new)
    return found


def _ends(body: list[ast.stmt]) -> bool:
    """Whether the contract in the body says why it ends."""
    return any(_is_measure(each.value) for each in body if isinstance(each, ast.Expr))


def _is_measure(call: ast.expr) -> bool:
    """`Decreases(…)`, `Requires(MustTerminate(…))` or `Invariant(MustTerminate(…))`."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return False
    if call.func.id in {"Requires", "Invariant"}:
        said = call.args[0] if call.args else None
        return isinstance(said, ast.Call) and isinstance(said.func, ast.Name) and said.func.id == "MustTerminate"
    if call.func.id != "Decreases" or len(call.args) != 1 or call.keywords:
        return False
    return not (isinstance(call.args[0], ast.Constant) and call.args[0].value is None)  # that would be any measure


def check_granted(file: str, text: str, granted: Iterable[Assumption]) -> None:
    """Make sure that what the text takes for granted is what may be, word for word, no more and no less."""
    found = {(each.name, each.says): each for each in assumptions(file, text)}
    listed = {(each.name, each.says) for each in granted}
    for key, each in found.items():
        if key not in listed:
            raise ProofError(f"{file}:{each.line}: {each.name} is not in trusted.toml: {each.says}")
    for name, says in sorted(listed - set(found)):
        raise ProofError(f"trusted.toml: {file} takes no such {name} for granted: {says}")


def statements(text: str) -> str:
    """What the functions of the file promise; of those that define something, all that they say."""
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return "\n\n".join(map(promise, functions)) + "\n"


def promise(function: ast.FunctionDef) -> str:
    """What a function promises; of one that defines something, all that it says."""
    kept = [each for each in function.body if not _is_docstring(each)]
    if not any(isinstance(mark, ast.Name) and mark.id in DEFINING for mark in function.decorator_list):
        kept = [each for each in kept if _is_promise(each)]
    head = ast.FunctionDef(
        name=function.name,
        args=function.args,
        body=kept or [ast.Pass()],
        decorator_list=function.decorator_list,
        returns=function.returns,
    )
    return ast.unparse(ast.fix_missing_locations(head)).strip()


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_promise(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in PROMISES
