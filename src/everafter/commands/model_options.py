"""Options that several commands take: how a model is named and read, and how it is shown."""

from __future__ import annotations

import argparse

from everafter.commands.option_parser import add_flags
from everafter.commands.preprocessing import ReadingOptions, add_preprocessing
from everafter.commands.report_options import ReportOptions
from everafter.flags import flags

MODEL = "a Promela file, a Python file with a model, or - for the standard input"


def add_model(parser: argparse.ArgumentParser) -> None:
    """Let a command take a model."""
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Let a command take what bears on how a model is read."""
    add_preprocessing(parser)
    add_warnings(parser)
    add_losing(parser)


def add_warnings(parser: argparse.ArgumentParser) -> None:
    """Let a command keep warnings to itself."""
    add_flags(parser, [flag for flag in flags(ReadingOptions) if flag.name == "warnings"])


def add_losing(parser: argparse.ArgumentParser) -> None:
    """Let a command read models so that full channels lose messages."""
    add_flags(parser, [flag for flag in flags(ReadingOptions) if flag.name == "lose_messages"])


def add_full(parser: argparse.ArgumentParser) -> None:
    """Let a command show long runs whole."""
    add_flags(parser, [flag for flag in flags(ReportOptions) if flag.name == "full"])
