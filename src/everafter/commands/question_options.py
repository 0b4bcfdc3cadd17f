"""The options that make the question: which model, under which conditions, and which properties.

Whatever changes what a verdict says is marked where it is declared (everafter.flags); other options of a check change
nothing of it. So `certify`, which compares the question of a certificate with the user's, takes these options and no
others.
"""

from __future__ import annotations

import argparse
from typing import Final

from everafter.commands.model_options import add_losing
from everafter.commands.option_parser import add_flags, values_of
from everafter.commands.preprocessing import add_preprocessing
from everafter.flags import CONDITION, PROPERTY, flags
from everafter.questions.request import Request

_ASKED: Final = (PROPERTY, CONDITION)


def add_question(parser: argparse.ArgumentParser, unnamed: str = "everything the model states is checked") -> None:
    """Let a command take all that changes what a verdict says; `unnamed` tells what is done without a property."""
    add_preprocessing(parser)
    add_losing(parser)
    group = parser.add_argument_group("properties", f"without one of these, {unnamed}")
    add_flags(group, [flag for flag in flags(Request) if flag.bears_on in _ASKED])


def question_of(options: argparse.Namespace) -> Request:
    """What the options ask for. Raises OptionError for what has no meaning."""
    return Request(**values_of(Request, options, _ASKED))
