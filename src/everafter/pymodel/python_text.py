"""The source of Python functions: their syntax trees, and the places of nodes in the text that the user has."""

from __future__ import annotations

import ast
import inspect
import linecache
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from everafter.record import dataclass
from everafter.source import Diagnostic, InputError, OptionError, Place, Source

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class PythonProblem(Exception):
    """What is wrong with a node, and what to write instead."""

    def __init__(self, node: ast.AST, message: str, advice: str | None = None) -> None:
        super().__init__(message)
        self.text: PythonText | None = None
        """The text that the node is in, where it is not the one being read."""
        self.node = node
        self.message = message
        self.advice = advice


@dataclass(frozen=True, eq=False)
class PythonText:
    """A text with its syntax tree."""

    source: Source
    tree: ast.Module

    def place(self, node: ast.AST) -> Place:
        """Where `node` is written: its part of its first line."""
        line, start = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        written = self.source.line(line)
        end = getattr(node, "end_col_offset", None) if getattr(node, "end_lineno", line) == line else None
        column = _characters(written, start)
        stop = len(written) if end is None else _characters(written, end)
        return Place(self.source, line, column + 1, max(1, stop - column))

    def written(self, node: ast.AST) -> str:
        """The text of `node` on one line, as the user wrote it."""
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is None or last is None:
            return " ".join(ast.unparse(node).split())
        lines = [self.source.line(number) for number in range(first, last + 1)]
        end = getattr(node, "end_col_offset", 0)
        lines[-1] = lines[-1][: _characters(lines[-1], end)]
        lines[0] = lines[0][_characters(lines[0], getattr(node, "col_offset", 0)) :]
        return " ".join(" ".join(lines).split())

    def diagnostic(self, problem: PythonProblem) -> Diagnostic:
        """What to tell the user of `problem`."""
        return Diagnostic((problem.text or self).place(problem.node), problem.message, problem.advice)


def _characters(line: str, offset: int) -> int:
    """How many characters the first `offset` bytes of a line are: ast counts bytes."""
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))


@lru_cache(maxsize=64)
def parsed(name: str, text: str) -> PythonText:
    """Return the `text` called `name` with its tree. Raises InputError where it is no Python."""
    source = Source(name, text)
    try:
        return PythonText(source, ast.parse(text))
    except SyntaxError as error:
        place = Place(source, error.lineno or 1, max(1, error.offset or 1))
        raise InputError([Diagnostic(place, f"this is not Python: {error.msg}")]) from None
    except ValueError as error:  # a text with characters 0
        raise InputError([Diagnostic(Place(source, 1, 1), f"this is not Python: {error}")]) from None


def text_of_code(code: CodeType, namespace: dict[str, Any]) -> PythonText:
    """Return the text that `code` was compiled from; `namespace` are its globals. Raises OptionError without one."""
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, namespace)
    if not lines:
        raise OptionError(
            f"the source of {code.co_qualname} cannot be found", "write the model into a file, or a notebook"
        )
    return parsed(_shown(code.co_filename), "".join(lines))


def _shown(filename: str) -> str:
    """The name of a file as short as it is from the working folder."""
    path = Path(filename)
    if not path.is_absolute():
        return filename
    folder = os.getcwd()
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else filename


def is_async(function: Callable[..., Any]) -> bool:
    """Whether `function` is an `async def`."""
    return inspect.iscoroutinefunction(function)


def node_of(function: Callable[..., Any]) -> tuple[PythonText, Function]:
    """Return the text in which `function` is written and its node there. Raises OptionError if there is none."""
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    if not isinstance(code, CodeType):
        raise OptionError(f"{function!r} is not a function written in Python")
    text = text_of_code(code, inner.__globals__)
    found = [node for node in _functions(text) if _is_of(node, code)]
    several = len(found) > 1
    if several:
        found = [node for node in found if _is_compiled_to(node, code)]
    if len(found) == 1:
        return text, found[0]
    if several:
        raise OptionError("which lambda of this line is meant cannot be told", "write each on a line of its own")
    raise OptionError(f"the source of {code.co_qualname} has changed since it was read", "read the model again")


@lru_cache(maxsize=64)
def _functions(text: PythonText) -> tuple[Function, ...]:
    return tuple(node for node in ast.walk(text.tree) if isinstance(node, Function))


def _is_of(node: Function, code: CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return node.name == code.co_name and first == code.co_firstlineno


def _is_compiled_to(node: Function, code: CodeType) -> bool:
    """Whether the instructions of `code` come from where those of the lambda do: several may begin on one line."""
    if not isinstance(node, ast.Lambda):
        return True
    whole = compile(ast.fix_missing_locations(ast.Expression(node)), code.co_filename, "eval")
    made = next(each for each in whole.co_consts if isinstance(each, CodeType))
    spots = _spots(code)
    return bool(spots) and spots == _spots(made)


def _spots(code: CodeType) -> set[tuple[int | None, ...]]:
    """Where in the text the instructions of `code` come from."""
    return {place for place in code.co_positions() if place[2] is not None}
