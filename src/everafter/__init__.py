"""everafter: an LTL model checker for Python people.

import everafter
model = everafter.load("peterson.pml")
result = model.check("[] !(critical[0] && critical[1])")
assert result                   # true exactly if the property holds
print(result)                   # what the command line shows
result.verdict, result.states, result.counterexample

docs/api.md describes every name here, and draws the tree of exceptions.
"""

TYPE_CHECKING = False  # typing itself takes its time to load, in which no command could be interrupted
if TYPE_CHECKING:
    from typing import Any

    from everafter.public import *  # noqa: F403 # what is public is listed there

__version__ = "0.1.0"
_PUBLIC = "everafter.public"


def __getattr__(name: str) -> "Any":
    """A public name, loaded with all others when the first is used.

    So this module itself is loaded in an instant, and a command can be interrupted while the rest is.
    """
    from importlib import import_module  # noqa: PLC0415 # see above

    return getattr(import_module(_PUBLIC), name)


def load_ipython_extension(shell: "Any") -> None:
    """What `%load_ext everafter` calls: cells may then begin with `%%promela` (docs/notebooks.md)."""
    from importlib import import_module  # noqa: PLC0415 # see above

    import_module("everafter.notebook").register(shell)


def __dir__() -> list[str]:
    from importlib import import_module  # noqa: PLC0415 # see above

    return list(import_module(_PUBLIC).__all__)
