"""The option that rewrites the expected messages."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden`: write what is said now as what is expected; to be read before it is committed."""
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/promela/errors/*.expected")
