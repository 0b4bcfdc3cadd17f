"""Notebooks: models as HTML, and `%%promela`, which makes a cell a model. `%load_ext everafter` loads this."""

from __future__ import annotations

import shlex
from importlib import import_module
from typing import Any

from everafter.commands.check_options import options_of
from everafter.commands.option_parser import limits_of, request_of
from everafter.commands.preprocessing import defined
from everafter.source import EverafterError, InputError, OptionError
from everafter.stated_questions import warnings_of
from everafter.user_model import parse

NAME = "model"
"""The variable of a cell that names none."""


def register(shell: Any) -> None:
    """Let cells of an IPython shell begin with `%%promela`."""
    shell.register_magic_function(lambda line, cell: promela(shell, line, cell), "cell", "promela")


def promela(shell: Any, line: str, cell: str) -> None:
    """Read `cell` as a model, check it, and show what was found: `%%promela [NAME] [options of everafter check]`.

    `line` is what stands behind `%%promela`. The model is then the variable NAME of `shell`, or `model`. With `--read`
    it is only read, and shown. What is wrong with the text or the options is shown at its place.
    """
    display = import_module("IPython.display").display  # installed wherever there is a shell to be registered with

    try:
        name, is_checked, options = _understood(line)
        chosen = options_of([name, *options])
        model = parse(cell, defined(chosen.define), loses_messages=chosen.lose_messages)
        request = request_of(chosen)
        for warning in warnings_of(model, request):
            print(warning.render())
        shell.push({name: model})
        if not is_checked:
            display(model)
            return
        limits = limits_of(chosen)
        for result in model.check_all(request, limits):
            display(result)
    except InputError as error:
        print(error.render())
    except EverafterError as error:
        print(f"everafter: {error}")


def _understood(line: str) -> tuple[str, bool, list[str]]:
    """The variable, whether the model is checked, and the options."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise OptionError(f"{error} in the line '{line}'") from error
    name = words.pop(0) if words and not words[0].startswith("-") else NAME
    if not name.isidentifier():
        raise OptionError(f"'{name}' is no name of a variable", "write %%promela NAME, then options")
    is_checked = "--read" not in words
    return name, is_checked, [word for word in words if word != "--read"]
