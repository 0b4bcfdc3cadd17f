"""Models in Python files: the file is run, as an import runs it, and the class that is meant is found."""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from everafter.model.vocabulary import PythonModel, configured
from everafter.pymodel.python_text import parsed
from everafter.source import Diagnostic, EverafterError, InputError, OptionError, Place, closest, read_source

SUFFIX = ".py"


def file_and_class(path: str | Path) -> tuple[str, str | None] | None:
    """Return the file and the class that `path` names, `model.py` or `model.py:Name`; None if it is no Python file."""
    text = str(path)
    file, colon, name = text.rpartition(":")
    if colon and file.endswith(SUFFIX):
        return file, name
    return (text, None) if text.endswith(SUFFIX) else None


def model_class(file: str, name: str | None, settings: Mapping[str, str]) -> type[PythonModel]:
    """Return the model called `name`, or the only one, in `file`, with the constants of models as `settings` say.

    Raises InputError for a file that cannot be run, OptionError if it has no such model, or several.
    """
    models = models_in(file, settings)
    if name is not None:
        if name not in models:
            known = closest(name, models) or f"it has {', '.join(models) or 'no model'}"
            raise OptionError(f"{file} has no model '{name}'", known)
        return models[name]
    if len(models) != 1:
        if not models:
            raise OptionError(f"{file} has no model", "a model is a class of everafter.model.Model")
        raise OptionError(f"{file} has several models", f"say which: {file}:{next(iter(models))}")
    return next(iter(models.values()))


def models_in(file: str, settings: Mapping[str, str]) -> dict[str, type[PythonModel]]:
    """Return the models of `file` by name, their constants as `settings` say. Raises what `model_class` does."""
    with configured({key: value_of(text) for key, text in settings.items()}) as used:
        module = _run(file)
    unused = sorted(set(settings) - used)
    if unused:
        raise OptionError(f"no model in {file} has a constant '{unused[0]}'", "-D NAME=VALUE sets a class attribute")
    return {each.__name__: each for each in vars(module).values() if _is_model_of(each, module)}


def value_of(text: str) -> Any:
    """Return the value that `text` says: a literal of Python, or itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _is_model_of(value: object, module: ModuleType) -> bool:
    is_model = isinstance(value, type) and issubclass(value, PythonModel)
    return is_model and getattr(value, "__module__", None) == module.__name__


def _run(file: str) -> ModuleType:
    """The module that a file is."""
    source = read_source(file)
    parsed(file, source.text)
    name = f"everafter_model_{Path(file).stem}"
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    linecache.cache.pop(file, None)
    with _beside(Path(file).parent):
        try:
            exec(compile(source.text, file, "exec"), vars(module))
        except EverafterError as error:
            if isinstance(error, InputError):
                raise
            raise InputError([Diagnostic(_where(file, error), str(error))]) from None
        except Exception as error:  # the file may raise anything
            message = f"{type(error).__name__}: {error}"
            raise InputError([Diagnostic(_where(file, error), message)]) from None
    return module


def _where(file: str, error: BaseException) -> Place:
    """The last line of a file that an error came through."""
    source = read_source(file)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    line = lines[-1] if lines and lines[-1] else 1
    written = source.line(line)
    column = len(written) - len(written.lstrip())
    return Place(source, line, column + 1, max(1, len(written) - column))


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """While this lasts, modules in `folder` can be imported, as for a program that is run there."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
