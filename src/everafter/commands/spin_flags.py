"""The flags of SPIN, of its verifiers and of their compilation, and what each means here.

Every flag that SPIN 6.5.2 lists is in one of these tables; docs/spin-flags.md shows them, and a test holds the two and
SPIN's own lists together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, assert_never

from everafter.record import dataclass

Value = Literal["none", "number", "number?", "text", "word", "text or word"]
"""How a flag takes a value: not at all; joined to it, a number or any text; or as the next word."""
Mode = Literal["check", "replay", "simulate", "version"]


@dataclass(frozen=True, slots=True)
class Passed:
    """The flag becomes options of a command of ours; `{}` stands for its value."""

    options: tuple[str, ...]
    value: Value = "none"
    by: Mode | Literal["reading", "safety"] = "check"
    """Which command takes them; what bears on reading the model is for all, what bears on safety for checks of it."""


@dataclass(frozen=True, slots=True)
class Special:
    """The flag has a rule of its own in the translation."""

    means: str
    value: Value = "none"


@dataclass(frozen=True, slots=True)
class StoreFlag:
    """The flag chooses the way in which SPIN keeps states, as `--store` does with `name` here."""

    name: Literal["bitstate", "compact", "tree"]
    value: Value = "none"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing here depends on the flag, for a reason that is printed."""

    reason: str
    value: Value = "none"


@dataclass(frozen=True, slots=True)
class RefusedFlag:
    """What the flag asks for cannot be had, and to go on without it would mislead."""

    advice: str
    value: Value = "none"


Meaning = Passed | Special | StoreFlag | Ignored | RefusedFlag

_SHOWN = Ignored("every step is shown, with what it changes")
_STORED = Ignored("every state is stored once and in full, in a table that grows")
_BITSTATE = StoreFlag("bitstate")
_COMPACT = StoreFlag("compact")
_TREE = StoreFlag("tree")
_NO_C = Ignored("no C program is generated or compiled")
_ORDER = Ignored("the order of the search is everafter's own")
_REPORT = Ignored("the report is everafter's own")
_SWITCHES = Ignored("all interleavings are searched, whatever the number of context switches")
_LISTED = RefusedFlag("see `everafter check` and `everafter simulate` for what can be shown")

SPIN: Mapping[str, Meaning] = {
    "-A": _LISTED,
    "-a": Special("check the model at once: there is no verifier to compile"),
    "-B": Ignored("one line says how a run ends"),
    "-b": _SHOWN,
    "-C": _SHOWN,
    "-c": _SHOWN,
    "-d": _LISTED,
    "-D": Passed(("-D", "{}"), "text", "reading"),
    "-E": Passed(("-E{}",), "text", "reading"),
    "-e": RefusedFlag("everafter checks each claim by itself; give no -e"),
    "-f": Special("with a model: check that this formula is never true of a run; alone: show its never claim", "word"),
    "-F": Special("the same, with the formula in the first line of a file", "word"),
    "-g": _SHOWN,
    "-h": _SHOWN,
    "-i": Passed(("--interactive",), by="simulate"),
    "-I": RefusedFlag("everafter shows places in the text as it was written; use cpp to see it preprocessed"),
    "-J": RefusedFlag("in nested unless statements the outer escape goes first, and only so"),
    "-j": Ignored(_SHOWN.reason, "number"),
    "-k": Special("replay this trail", "word"),
    "-L": RefusedFlag("it belongs to -e, which everafter has not"),
    "-l": _SHOWN,
    "-M": RefusedFlag("`everafter check MODEL --html run.html` draws the messages of a counterexample"),
    "-m": Passed(("--lose-messages",), by="reading"),
    "-N": Passed(("--never", "{}"), "word"),
    "-n": Passed(("--seed", "{}"), "number", "simulate"),
    "-O": RefusedFlag("scopes are those of SPIN 6; rename variables that were visible outside their block"),
    "-o1": Ignored("no variable is left out of states by data flow"),
    "-o2": Ignored("variables that are only written stay in states"),
    "-o3": Ignored("steps are not merged"),
    "-o4": _ORDER,
    "-o5": _NO_C,
    "-o6": RefusedFlag("priorities are those of SPIN 6.2 and later"),
    "-o7": RefusedFlag("separators are those of SPIN 6.3 and later"),
    "-P": RefusedFlag("run your preprocessor first, and give what it writes", "text"),
    "-p": _SHOWN,
    "-pp": RefusedFlag("everafter does not reformat models; `everafter graph MODEL` draws what is read"),
    "-q": Ignored(_SHOWN.reason, "number"),
    "-r": _SHOWN,
    "-replay": Special("replay the model's trail"),
    "-run": Special("check; what follows are flags of the verifier and its compilation"),
    "-search": Special("check; what follows are flags of the verifier and its compilation"),
    "-S1": _NO_C,
    "-S2": _NO_C,
    "-s": _SHOWN,
    "-T": Passed(("--printed",), by="simulate"),
    "-t": Special("replay the model's trail, or its N-th one", "number?"),
    "-U": Passed(("-U", "{}"), "text", "reading"),
    "-u": Passed(("--steps", "{}"), "number", "simulate"),
    "-V": Special("print the version"),
    "-v": _SHOWN,
    "-w": _SHOWN,
    "-x": _LISTED,
    "-X": _SHOWN,
    "-Y": _SHOWN,
    "-Z": _SHOWN,
}
PAN: Mapping[str, Meaning] = {
    "-a": Special("cycles through accept labels, where the model states no formula or never claim"),
    "-A": Passed(("--ignore", "assertions"), by="safety"),
    "-b": Ignored("no search is cut off at a depth"),
    "-bcs": _SWITCHES,
    "-bfs": Passed(("--algorithm", "breadth-first")),
    "-bfspar": Ignored("a large search uses all processors by itself"),
    "-bit": _BITSTATE,
    "-bitstate": _BITSTATE,
    "-biterate": StoreFlag("bitstate", "number?"),
    "-C": _SHOWN,
    "-c": Special("-c1 is the rule; any other number, 0 for all: show every violation of safety", "number"),
    "-collapse": _TREE,
    "-D": _LISTED,
    "-d": _LISTED,
    "-dfspar": Ignored("a large search uses all processors by itself"),
    "-e": Special("show every violation of safety"),
    "-E": Passed(("--ignore", "end-states"), by="safety"),
    "-f": Special("only weakly fair runs, where a property of infinite runs is checked"),
    "-g": _SHOWN,
    "-h": Ignored(_STORED.reason, "number?"),
    "-hash": _STORED,
    "-hc": _COMPACT,
    "-i": Passed(("--algorithm", "breadth-first")),
    "-I": Passed(("--algorithm", "breadth-first")),
    "-J": SPIN["-J"],
    "-l": Special("every endless run makes progress"),
    "-link": RefusedFlag("models with embedded C are not read", "word"),
    "-ltl": Special("check the formula of this name", "word"),
    "-m": Ignored("no search is cut off at a depth", "number"),
    "-N": Special("check the formula or never claim of this name", "text or word"),
    "-n": _REPORT,
    "-noclaim": Special("check no formula and no never claim"),
    "-noreduce": Passed(("--reduction", "none")),
    "-P": Ignored(_SHOWN.reason, "number"),
    "-p_permute": _ORDER,
    "-p_reverse": _ORDER,
    "-p_rotate": Ignored(_ORDER.reason, "number?"),
    "-Q": Passed(("--time", "{}m"), "number"),
    "-q": Passed(("--empty-channels",), by="safety"),
    "-r": Special("replay the model's trail, or its N-th one", "number?"),
    "-RS": Ignored(_ORDER.reason, "number"),
    "-rhash": _STORED,
    "-S": _SHOWN,
    "-safety": Special("safety alone"),
    "-swarm": StoreFlag("bitstate", "number?"),
    "-T": _REPORT,
    "-t": Special("write the trail to a file with another ending", "text"),
    "-t_reverse": _ORDER,
    "-V": Special("print the version"),
    "-v": _REPORT,
    "-w": Ignored("the table of states grows, and one of bits takes half of the memory", "number"),
    "-W": _NO_C,
    "-x": Special("leave a trail that exists as it is"),
    "-O": Ignored(_NO_C.reason, "number?"),
}
COMPILING: Mapping[str, Meaning] = {
    "-DBCS": PAN["-bcs"],
    "-DBFS": Passed(("--algorithm", "breadth-first")),
    "-DBFS_PAR": PAN["-bfspar"],
    "-DBITSTATE": _BITSTATE,
    "-DCHECK": _REPORT,
    "-DCOLLAPSE": _TREE,
    "-DCTL": Ignored("reduction keeps what the property asks for"),
    "-DDUAL_CORE": PAN["-dfspar"],
    "-DFULLSTACK": _STORED,
    "-DHC": StoreFlag("compact", "number?"),
    "-DLC": _STORED,
    "-DMA": StoreFlag("tree", "number"),
    "-DMEMCNT": Special("a memory limit of 2^N bytes", "number"),
    "-DMEMLIM": Passed(("--memory", "{}M"), "number"),
    "-DNCORE": Passed(("--threads", "{}"), "number"),
    "-DNFAIR": Ignored("fairness takes any number of processes", "number"),
    "-DNIBIS": _ORDER,
    "-DNOBOUNDCHECK": Ignored("indices of arrays are always checked"),
    "-DNOCLAIM": Special("check no formula and no never claim"),
    "-DNOCOMP": _STORED,
    "-DNOFAIR": Ignored("fairness is looked at where -f asks for it"),
    "-DNOFIX": _STORED,
    "-DNOREDUCE": Passed(("--reduction", "none")),
    "-DNOSTUTTER": RefusedFlag("a run that stops is one that stays where it is: formulas are about infinite runs"),
    "-DNP": Special("makes room for -l; without it nothing changes"),
    "-DNXT": Ignored("X may stand in every formula"),
    "-DPEG": _REPORT,
    "-DP_RAND": _ORDER,
    "-DPRINTF": _REPORT,
    "-DRANDOMIZE": Ignored(_ORDER.reason, "number?"),
    "-DREACH": Ignored("every state that can be reached is"),
    "-DREVERSE": _ORDER,
    "-DSAFETY": Special("safety alone"),
    "-DSC": Ignored("stacks go over to disk by themselves where memory is short"),
    "-DSCHED": Ignored(_SWITCHES.reason, "number"),
    "-DSDUMP": _REPORT,
    "-DSEPSTATE": _NO_C,
    "-DSFH": _STORED,
    "-DSPACE": _STORED,
    "-DSVDUMP": _REPORT,
    "-DT_RAND": _ORDER,
    "-DT_REVERSE": _ORDER,
    "-DVAR_RANGES": _REPORT,
    "-DVECTORSZ": Ignored("states are as large as the model makes them", "number"),
    "-DVERBOSE": _REPORT,
    "-DXUSAFE": Ignored("xr and xs are checked; what they promise is not relied on"),
}


def find(word: str, tables: tuple[Mapping[str, Meaning], ...]) -> tuple[str, Meaning, str] | None:
    """Return the flag of `tables` that `word` is: its longest name, what it means, and the value joined to it."""
    for table in tables:
        for length in range(len(word), 1, -1):
            name, value = word[:length], word[length:].removeprefix("=")
            meaning = table.get(name)
            if meaning is not None and _may_be(value, meaning.value):
                return name, meaning, value
    return None


def _may_be(value: str, kind: Value) -> bool:
    """Whether this may be joined to a flag that takes such a value."""
    match kind:
        case "none" | "word":
            return not value
        case "number":
            return re.fullmatch(r"\d[\d,]*", value) is not None
        case "number?":
            return re.fullmatch(r"[\d,]*", value) is not None
        case "text":
            return bool(value)
        case "text or word":
            return True
        case _:
            assert_never(kind)
