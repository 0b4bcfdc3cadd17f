"""Options that are sizes, times and large numbers, as people write them."""

from __future__ import annotations

import argparse
import re

_SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_TIMES = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def whole_number(text: str) -> int:
    """An option that is a number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def size(text: str) -> int:
    """An option that is a number of bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text, re.IGNORECASE)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size; write 500M or 4G")
    return int(float(match[1]) * _SIZES[match[2].upper()])


def duration(text: str) -> float:
    """An option that is a time, in seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a time; write 60s, 5m or 2h")
    return float(match[1]) * _TIMES[match[2]]


def count(text: str) -> int:
    """An option that is a number above 0."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(?:[eE]\+?(\d{1,2}))?", text.replace("_", ""))
    number = float(match[1]) * 10 ** int(match[2] or 0) if match is not None else 0.0
    if number < 1 or number != int(number):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0; write 1000000 or 1e6")
    return int(number)
