"""What tests of proofs need."""

import pytest

NEEDS_PROVERS = pytest.mark.provers
