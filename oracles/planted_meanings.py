"""Mistakes in the meaning of Promela (proofs/semantics), one a construct, each with a program that shows it.

A mistake is noticed where a proof does not go through any more, or where what is extracted takes other steps than the
reference. `campaigns.semantics planted` builds each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

from everafter.user_model import parse
from oracles.meaning_in_coq import ROOT, compare

Noticed = Literal["by a proof", "by a comparison", "no"]


class Mistake(NamedTuple):
    """A text that a file has once, and another one for it. `shows` is a program in which that makes a difference."""

    construct: str
    file: str
    replace: str
    by: str
    shows: str


def _one(body: str, globals_: str = "byte x") -> str:
    """A program of one process."""
    return f"{globals_}; active proctype P() {{ {body} }}"


_QUEUE: Final = "byte x; chan q = [2] of { byte }"
_PAIRS: Final = "byte x; chan q = [2] of { byte, byte }"
MISTAKES: Final = (
    Mistake("<<", "values", "Z.shiftl a (Z.land b 31)", "Z.shiftl a b", _one("x = 3; x = 1 << (x + 30)")),
    Mistake("%", "values", "Some (Z.rem a b)", "Some (Z.modulo a b)", _one("x = x % 3", "int x = -7")),
    Mistake("/", "values", "Some (Z.quot a b)", "Some (Z.div a b)", _one("x = x / 2", "int x = -7")),
    Mistake(
        "the quotient that no int holds",
        "values",
        "(b =? 0) || ((b =? -1) && (a =? -2147483648))",
        "(b =? 0)",
        _one("x = 1 << 31; x = x / -1", "int x"),
    ),
    Mistake("overflow", "values", "Some (wrap (a - b))", "Some (a - b)", _one("x = 1 << 31; x - 1 > 0", "int x")),
    Mistake(
        "full of a rendezvous",
        "expressions",
        "(0 <? capacity_of c) && ",
        "",
        _one("if :: full(q) -> x = 1 :: nfull(q) -> x = 2 fi", "byte x; chan q = [0] of { byte }"),
    ),
    Mistake("empty", "expressions", "(truth (n =? 0))", "(truth (n <? 2))", _one("q!1; empty(q)", _QUEUE)),
    Mistake("?", "expressions", "else firstn 1 (messages c)", "else messages c", _one("q!1; q!2; q?2", _QUEUE)),
    Mistake("eval", "expressions", "(w =? v) && fits r t", "fits r t", _one("q!1; q?eval(x)", _QUEUE)),
    Mistake(
        "(c -> a : b)",
        "expressions",
        "v <- eval c; if is_true v then eval e else eval f",
        "eval e",
        _one("x = (x -> 1 : 2)"),
    ),
    Mistake(
        "&&",
        "expressions",
        "if is_true v then w <- eval f; Some (truth (is_true w)) else Some 0",
        "w <- eval f; Some (truth (is_true v && is_true w))",
        _one("!(x == 1 && a[x + 2] == 1)", "byte x, a[2]"),
    ),
    Mistake(
        "an index", "expressions", "(i <? length) then", "(i <=? length) then", _one("x = 2; a[x] = 1", "byte a[2], x")
    ),
    Mistake(
        "enabled of oneself",
        "expressions",
        "if Nat.eqb (Z.to_nat n) me then None",
        "if Nat.eqb (Z.to_nat n) me then Some 0",
        _one("!enabled(_pid)"),
    ),
    Mistake(
        "pc_value", "expressions", "Zpos (place q) | None", "1 | None", _one("x = pc_value(_pid); x = pc_value(_pid)")
    ),
    Mistake(
        "P@label",
        "expressions",
        "truth (Nat.eqb (kind q) k && Pos.eqb (place q) there)",
        "truth (Pos.eqb (place q) there)",
        "byte x; active proctype A() { L: skip; x = 1 } active proctype B() { A[1]@L -> x = 2 }",
    ),
    Mistake(
        "P:x",
        "expressions",
        "if Nat.eqb (kind q) k then i <- offset_by eval at_; nth_error (locals q) (base + i) else None",
        "i <- offset_by eval at_; nth_error (locals q) (base + i)",
        "byte x; active proctype A() { byte v = 3; v == 3 } active proctype B() { byte w = 1; x = A[1]:v; w == 1 }",
    ),
    Mistake(
        "_nr_pr",
        "expressions",
        "| NrPr => Some (Z.of_nat (length (processes (now d))))",
        "| NrPr => Some 1",
        "byte x; active [2] proctype P() { x = _nr_pr }",
    ),
    Mistake(
        "_last",
        "expressions",
        "Some (Z.of_nat (last (now d)))",
        "Some 0",
        "byte x; active [2] proctype P() { skip; x = _last }",
    ),
    Mistake("timeout", "expressions", "Some (truth on_timeout)", "Some 0", _one("timeout -> x = 1")),
    Mistake(
        "_priority", "statements", "give_priority d me (v mod 256)", "give_priority d me v", _one("_priority = 258")
    ),
    Mistake(
        "arguments of run",
        "statements",
        "(update memory cell (store w v))",
        "(update memory cell v)",
        "byte x; proctype Q(byte a) { x = a / 2 } init { run Q(300) }",
    ),
    Mistake(
        "the value of run",
        "statements",
        "| Some t => assign d' on_timeout me t (Z.of_nat (length (processes (now d))))",
        "| Some t => assign d' on_timeout me t (Z.of_nat (length (processes (now d'))))",
        "byte x; proctype Q() { skip } init { x = run Q() }",
    ),
    Mistake(
        "!!",
        "statements",
        "(if sorted then find_place (is_less message) l else None)",
        "(None : option nat)",
        _one("q!!2; q!!1; q?x", _QUEUE),
    ),
    Mistake(
        "!! by later fields",
        "statements",
        "(a <? b) || ((a =? b) && is_less r t)",
        "(a <? b)",
        _one("q!!1,2; q!!1,1", _PAIRS),
    ),
    Mistake("fields of a message", "statements", "store w v :: cut r t", "v :: cut r t", _one("q!300,1", _PAIRS)),
    Mistake(
        "too few fields",
        "statements",
        "(length (widths t)) then d else note d WentWrong in",
        "(length (widths t)) then d else d in",
        _one("q!1", _PAIRS),
    ),
    Mistake(
        "xs",
        "statements",
        "keep_promises (if b : bool then note d WentWrong else d)",
        "keep_promises d",
        "chan q = [1] of { byte }; active proctype A() { xs q; q!1 } active proctype B() { q!2 }",
    ),
    Mistake(
        "trace",
        "statements",
        "then go_to d (final t) else note d TraceViolated",
        "then go_to d (final t) else d",
        "chan q = [1] of { byte }; active proctype P() { q!2 } trace { q!1 }",
    ),
    Mistake(
        "notrace",
        "statements",
        "then note d' TraceViolated else d'",
        "then d' else d'",
        "chan q = [1] of { byte }; active proctype P() { q!1 } notrace { q!1 }",
    ),
    Mistake(
        "a message is taken",
        "statements",
        "(Channel (declared c) (remove_at (messages c) i))) None));",
        "(Channel (declared c) (messages c))) None));",
        _one("q!1; q?x; q?x", _QUEUE),
    ),
    Mistake(
        "a choice in a d_step",
        "statements",
        "if b : bool then Some o else first_open d on_timeout me body r",
        "Some o",
        _one("d_step { x = 1; if :: x == 0 -> x = 5 :: x == 1 -> x = 6 fi }"),
    ),
    Mistake(
        "a rendezvous in a d_step",
        "statements",
        "| Send _ _ _, Some _ => Ended None\n              ",
        "",
        "byte x; chan q = [0] of { byte }; active proctype P() { d_step { x = 1; q!1 } } active proctype Q() { q?x }",
    ),
    Mistake(
        "the end of a process",
        "statements",
        "(firstn (length c - created t) c)",
        "c",
        "proctype Q() { chan own = [1] of { byte }; skip } init { run Q(); _nr_pr == 1; run Q() }",
    ),
    Mistake(
        "assert",
        "statements",
        "negb required then d else note d AssertionFailed",
        "negb required then d else d",
        _one("assert(x)"),
    ),
    Mistake(
        "provided",
        "system",
        "v <- value p d on_timeout n e; Some (is_true v)",
        "Some true",
        "byte x; active proctype P() provided (x == 1) { x = 2 } active proctype Q() { x = 1 }",
    ),
    Mistake(
        "priority",
        "system",
        "(priority q <=? own)",
        "(priority q <? own)",
        "byte x; active proctype A() priority 2 { x = 1 } active proctype B() priority 2 { x = 2 }",
    ),
    Mistake(
        "unless",
        "system",
        "negb (N.eqb escaped 0) && negb (N.eqb (escape t) escaped)",
        "false",
        _one("{ x = 1; x = 2 } unless { x == 1; x = 5 }"),
    ),
    Mistake(
        "atomic",
        "system",
        "if keeps_atomic t then Some me else None",
        "None",
        "byte x; active [2] proctype P() { atomic { x++; x-- } }",
    ),
    Mistake(
        "atomic behind a rendezvous",
        "system",
        "Some (finish (arrived both t n) n (holder_after t n)) :: answers",
        "Some (finish (arrived both t n) n None) :: answers",
        "byte x; chan q = [0] of { byte }; active proctype A() { q!1 } active proctype B() { atomic { q?x; x = 2 } }",
    ),
    Mistake(
        "D_proctype",
        "system",
        "if deterministic_ && moved && negb",
        "if false && moved && negb",
        "byte x; active D_proctype P() { if :: x = 1 :: x = 2 fi }",
    ),
    Mistake(
        "who moves in a rendezvous",
        "system",
        "([me; fst x], snd x)",
        "([me], snd x)",
        "byte x; chan q = [0] of { byte }; active proctype A() { q!1 } active proctype B() { q?x }",
    ),
    Mistake(
        "else", "system", "match e with Do Else |", "match e with", _one("if :: x == 0 -> x = 1 :: else -> x = 2 fi")
    ),
    Mistake(
        "an end label", "system", "Some n => is_end n | None => false", "Some n => true | None => false", _one("x == 1")
    ),
    Mistake(
        "the end of a trace",
        "system",
        "| Some t, _ :: _ => may_stop (moment_at t (moment_now s))\n  ",
        "",
        "chan q = [1] of { byte }; active proctype P() { q!1; end: q!2 } trace { q!1; q!2 }",
    ),
    Mistake(
        "_last is who moved last",
        "system",
        "(if uses_last p then me else last s)",
        "(last s)",
        "byte x; active [2] proctype P() { skip; x = _last }",
    ),
)


def noticed(mistake: Mistake) -> Noticed:
    """How `mistake` is noticed, if it is."""
    with tempfile.TemporaryDirectory(prefix="everafter-") as name:
        folder = Path(name)
        for part in ("scripts/verified", "proofs/ltl", "proofs/semantics", "verified"):
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / part, folder / part)
        file = folder / "proofs" / "semantics" / f"{mistake.file}.v"
        text = file.read_text()
        if text.count(mistake.replace) != 1:
            raise ValueError(f"{mistake.construct}: {mistake.file} has not exactly one {mistake.replace!r}")
        file.write_text(text.replace(mistake.replace, mistake.by))
        built = subprocess.run(
            [folder / "scripts" / "verified", folder / "built"], capture_output=True, text=True, check=False
        )
        if built.returncode:
            if "Syntax error" in built.stderr or "was not found" in built.stderr or "has type" in built.stderr:
                raise ValueError(f"{mistake.construct}: {built.stderr}")
            return "by a proof"
        with _in_use(folder / "built" / "everafter-verified"):
            outcome, _ = compare(parse(mistake.shows).program)
        return "by a comparison" if outcome == "differs" else "no"


@contextmanager
def _in_use(program: Path) -> Iterator[None]:
    """Use that extracted program meanwhile."""
    before = os.environ.get("EVERAFTER_VERIFIED")
    os.environ["EVERAFTER_VERIFIED"] = str(program)
    try:
        yield
    finally:
        if before is None:
            del os.environ["EVERAFTER_VERIFIED"]
        else:
            os.environ["EVERAFTER_VERIFIED"] = before
