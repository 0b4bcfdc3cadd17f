"""everafter: an LTL model checker for Python people."""

__version__ = "0.1.0"
