"""`python -m everafter`: the command line."""

import sys

from everafter.cli import main

sys.exit(main())
