"""What tests of proofs need."""

import os

import pytest

NEEDS_PROVERS = pytest.mark.skipif(
    not (os.environ.get("CI") or os.environ.get("EVERAFTER_ORACLES")), reason="needs the provers"
)
