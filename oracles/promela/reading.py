"""Whether SPIN and we read the same texts, and where we differ on purpose.

Every difference named here has its row in docs/differences-from-spin.md or, for formulas, its line in docs/ltl.md.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from everafter.source import InputError
from everafter.user_model import parse
from oracles.promela.mending import with_plain_arguments, without_last_separators

Reading = Literal["agree", "known", "differ", "no answer"]
PATIENCE = 10
"""Seconds after which SPIN is given up: some of its formulas take for ever."""


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that is meant, and how to recognise it: by what the one who refuses says, and by the text."""

    reason: str
    said: str
    text: str = ""
    mended: Callable[[str], str] | None = None
    """The text without what SPIN refuses: whatever it says then has another reason."""

    def covers(self, text: str, said: str) -> bool:
        """Whether this may explain why one refuses the text in these words."""
        return re.search(self.said, said) is not None and re.search(self.text, text, re.DOTALL) is not None

    def explained(self, text: str, said: str, folder: Path) -> Comparison:
        """What is left of the difference when this explains what it can."""
        if not self.covers(text, said):
            return Comparison("differ")
        mended = None if self.mended is None else self.mended(text)
        if mended == text:
            return Comparison("differ")
        left = Comparison("agree") if mended is None else compare_reading(mended, folder)
        return Comparison("known", self.reason) if left.reading == "agree" else left


#: What only SPIN reads, by our first message.
WE_REFUSE: Sequence[Known] = (
    Known("C code is not run here", "embeds C code"),
    Known("SPIN reads ([] x) == 1, and checks a constant", "a temporal operator cannot stand inside"),
    Known("SPIN and Spot read it differently, so nothing is guessed", "read differently|read it differently"),
    Known("in a formula a remote variable is written without spaces", "expected an operator before ':'"),
    Known(
        "in a formula a poll is written q?[a, b] or q?[a(b)]", "is never closed with|expected an operator before '\\('"
    ),
    Known("an escape in a d_step would be passed over", "'unless' cannot stand inside a d_step"),
    Known("SPIN takes 8, or 0, for a variable without an initial value", "must be a constant"),
    Known("SPIN computes initial values before anything has run", "cannot stand in an initial value"),
    Known("SPIN's scanner looks only for the numbers of a select", "'select'|found '\\.\\.'", r"\bselect\b"),
    Known("a process cannot change its number", "cannot be received into"),
    Known("a number of processes below 0 is a mistake", "processes, but 255 is the most"),
    Known("a priority lies between 1 and 255, also where nothing is started", "a priority lies between"),
    Known(
        "a loop is counted by a plain variable", "counted by a plain variable|cannot count a loop|cannot be selected"
    ),
    Known("a loop runs over a plain array or channel", "'for … in' runs over"),
    Known("a channel has at most 65,535 messages", "a channel cannot have a capacity of"),
    Known("which step of a loop is meant is not clear", "does not reach the escape|guard of an escape cannot have"),
    Known("a name means one thing", "is declared again", r"typedef\s+[a-z]{1,2}\b"),
    Known("SPIN sees only some channels that are computed with", "is a channel, it cannot be computed with"),
    Known("SPIN leaves remote variables to the C compiler", "is not an array", r":\s*list\s*\["),
    Known("an inline is read also if nobody calls it", "has no meaning here", r"\binline\b"),
    Known("a structure of nothing has no place in a state", "has no fields"),
    Known("no label opens a block", "a label cannot stand on the first statement", r"\bselect\s*\([^)]*\n"),
    Known("no other process is asked in `provided`, not in an index either", "cannot stand in 'provided'"),
)
#: What only we read, by what SPIN says.
SPIN_REFUSES: Sequence[Known] = (
    Known("SPIN cannot negate full and empty in a formula", "syntax error", r"\bltl\b[^}]*\b(n?empty|n?full)\b"),
    Known("SPIN gives up on printm of a number", "^.*aborting .ana_stmnt.$", r"printm\s*\("),
    Known("else beside channel operations has a meaning", "(dubious|invalid) use of 'else'"),
    Known("a jump to the start of a d_step is harmless", "jump into d_step"),
    Known("a condition in a d_step may ask for other processes", "remote ref.* d_step"),
    Known("how long a message is may be known only when it is sent", "(too many|too few) pars in"),
    Known("a loop may be the escape of a loop", "misplaced break", r"\bunless\b"),
    Known("SPIN garbles some arguments of inlines", "rror", r"\binline\b", with_plain_arguments),
    Known("a number may stand for a channel", "bad channel name"),
    Known("a goto at the start of a d_step leaves it", "run operator in d_step", r"d_step\s*\{\s*goto"),
    Known("two separators at the end are as idle as one", "syntax error", r"\btypedef\b", without_last_separators),
    Known("an array may be indexed by itself, since nothing is taken back", "do not index an array with itself"),
    Known("a loop may be the last of a d_step that is an escape", "breaks from d_step seq"),
    Known("an else may have an escape", "keyword: unless", r"\belse\s+unless"),
    Known("names may follow a list of initial values", "saw '','", r"=\s*\{[^}]*\}\s*,"),
    Known("a formula may choose between values", "saw '':'", r"\bltl\b[^}]*->"),
    Known("SPIN computes initial values before anything has run", "indexing error"),
    Known("an initial value in a list may be computed", "saw ''[-+*/%(]'", r"=\s*\{"),
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Who reads a text, and why not."""

    reading: Reading
    explanation: str = ""


def compare_reading(text: str, folder: Path) -> Comparison:
    """Whether SPIN and we read a text alike. SPIN writes its verifier into the folder."""
    theirs = spin_says(text, folder)
    if theirs is None:
        return Comparison("no answer")
    ours = we_say(text)
    if (theirs == "") == (ours == ""):
        return Comparison("agree")
    table, said = (WE_REFUSE, ours) if ours else (SPIN_REFUSES, theirs)
    for known in table:
        explained = known.explained(text, said, folder)
        if explained.reading != "differ":
            return explained
    return Comparison("differ", f"{'we refuse' if ours else 'SPIN refuses'}: {said.splitlines()[0]}")


def we_say(text: str) -> str:
    """Our first message, nothing if we read the text."""
    try:
        parse(text)
    except InputError as error:
        return error.diagnostics[0].message
    return ""


def spin_says(text: str, folder: Path) -> str | None:
    """SPIN's errors, nothing if it reads the text, None if it dies or does not end."""
    (folder / "model.pml").write_text(text, encoding="utf-8")
    (folder / "pan.c").unlink(missing_ok=True)
    try:
        done = subprocess.run(
            ["spin", "-a", "model.pml"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return _errors(done.stdout, done.returncode, (folder / "pan.c").exists())


def _errors(output: str, status: int, has_verifier: bool) -> str | None:
    """SPIN's exit status is the number of its errors, also of those that it passes over."""
    lines = output.splitlines()
    ignored = sum("Error:" in line and "(ignored)" in line for line in lines)
    errors = [line for line in lines if re.search("[Ee]rror: (?!.*on a guard|.*[(]ignored[)])", line)]
    if has_verifier and status == ignored and not any("Error:" in line for line in errors):
        return ""
    return "\n".join(errors) or None
