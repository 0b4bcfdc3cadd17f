"""The rewrite rules of the simplifier, as data: each is an equivalence that a test proves on its own.

In a rule a letter stands for a formula: a b c d for any; e f for purely eventual, u v for purely universal,
s for both; i j for formulas that are not eventual, k l for ones that are not universal. `when` lists implications between
letters (or their negations) that must be evident from the syntax. Sources: Somenzi and Bloem, CAV 2000; Etessami and
Holzmann, CONCUR 2000; the documentation of Spot's temporal logic simplifications; each stated anew and tested.
"""

from __future__ import annotations

from dataclasses import dataclass

from everafter.ltl.formula import Formula
from everafter.ltl.normal_form import normal_form
from everafter.ltl.parser import parse


@dataclass(frozen=True, slots=True)
class Rule:
    """`before` may be replaced by `after`, provided every implication in `when` holds. Wrong rules make wrong verdicts."""

    name: str
    before: Formula
    after: Formula
    when: tuple[tuple[Formula, Formula], ...] = ()


def rule(name: str, before: str, after: str, when: str = "") -> Rule:
    """A rule from its text; `when` is a comma-separated list of implications."""
    return Rule(name, _pattern(before), _pattern(after), tuple(map(_implication, when.split(",") if when else ())))


def _pattern(text: str) -> Formula:
    # Patterns keep the order in which they are written, so they are parsed and not tidied.
    return parse(text)


def _implication(text: str) -> tuple[Formula, Formula]:
    left, right = text.split("->")
    return normal_form(parse(left)), normal_form(parse(right))


CONSTANT_RULES = (
    rule("next true", "X true", "true"),
    rule("next false", "X false", "false"),
    rule("eventually true", "F true", "true"),
    rule("eventually false", "F false", "false"),
    rule("always true", "G true", "true"),
    rule("always false", "G false", "false"),
    rule("until true", "a U true", "true"),
    rule("until false", "a U false", "false"),
    rule("false until", "false U b", "b"),
    rule("true until", "true U b", "F b"),
    rule("until itself", "a U a", "a"),
    rule("weak until true", "a W true", "true"),
    rule("weak until false", "a W false", "G a"),
    rule("false weak until", "false W b", "b"),
    rule("true weak until", "true W b", "true"),
    rule("release true", "a R true", "true"),
    rule("release false", "a R false", "false"),
    rule("true release", "true R b", "b"),
    rule("false release", "false R b", "G b"),
    rule("strong release false", "a M false", "false"),
    rule("strong release true", "a M true", "F a"),
    rule("true strong release", "true M b", "b"),
    rule("false strong release", "false M b", "false"),
)

BASIC_RULES = (
    rule("eventually next", "F X a", "X F a"),
    rule("always next", "G X a", "X G a"),
    rule("eventually until", "F (a U b)", "F b"),
    rule("always release", "G (a R b)", "G b"),
    rule("always weak until", "G (a W b)", "G (a || b)"),
    rule("eventually strong release", "F (a M b)", "F (a && b)"),
    rule("always until", "G (a U b)", "G (a || b) && G F b"),
    rule("eventually release", "F (a R b)", "F (a && b) || F G b"),
    rule("always strong release", "G (a M b)", "G b && G F a"),
    rule("eventually weak until", "F (a W b)", "F G a || F b"),
    rule("next until next", "X a U X b", "X (a U b)"),
    rule("next weak until next", "X a W X b", "X (a W b)"),
    rule("next release next", "X a R X b", "X (a R b)"),
    rule("next strong release next", "X a M X b", "X (a M b)"),
    rule("next and next", "X a && X b", "X (a && b)"),
    rule("next or next", "X a || X b", "X (a || b)"),
    rule("eventually or eventually", "F k || F l", "F (k || l)"),
    rule("always and always", "G i && G j", "G (i && j)"),
    rule("release of itself", "a R (a || b)", "b W a"),
    rule("strong release of itself", "a M (a || b)", "b U a"),
    rule("until with itself", "a U (a && b)", "b M a"),
    rule("weak until with itself", "a W (a && b)", "b R a"),
    rule("now or later", "a || X F a", "F a"),
    rule("now and later", "a && X G a", "G a"),
    rule("unfolded until", "b || (a && X (a U b))", "a U b"),
    rule("unfolded weak until", "b || (a && X (a W b))", "a W b"),
    rule("unfolded release", "b && (a || X (a R b))", "a R b"),
    rule("unfolded strong release", "b && (a || X (a M b))", "a M b"),
    rule("until or until", "(a U b) || (a U c)", "a U (b || c)"),
    rule("until or weak until", "(a U b) || (a W c)", "a W (b || c)"),
    rule("weak until or weak until", "(a W b) || (a W c)", "a W (b || c)"),
    rule("until or always", "(a U b) || G a", "a W b"),
    rule("weak until or always", "(a W b) || G a", "a W b"),
    rule("until and until", "(a U b) && (c U b)", "(a && c) U b"),
    rule("until and weak until", "(a U b) && (c W b)", "(a && c) U b"),
    rule("weak until and weak until", "(a W b) && (c W b)", "(a && c) W b"),
    rule("weak until and eventually", "(a W b) && F b", "a U b"),
    rule("release and release", "(a R b) && (a R c)", "a R (b && c)"),
    rule("release and strong release", "(a R b) && (a M c)", "a M (b && c)"),
    rule("strong release and strong release", "(a M b) && (a M c)", "a M (b && c)"),
    rule("release and eventually", "(a R b) && F a", "a M b"),
    rule("release or release", "(a R b) || (c R b)", "(a || c) R b"),
    rule("release or strong release", "(a R b) || (c M b)", "(a || c) R b"),
    rule("strong release or strong release", "(a M b) || (c M b)", "(a || c) M b"),
    rule("strong release or always", "(a M b) || G b", "a R b"),
    rule("until a weak one", "a U (b W a)", "b W a"),
    rule("until of a conjunction with always", "a U (b && G a)", "G a && F b"),
    rule("until always of itself", "a U (G a)", "G a"),
)

CLASS_RULES = (
    rule("eventually eventual", "F e", "e"),
    rule("always universal", "G u", "u"),
    rule("next suspendable", "X s", "s"),
    rule("until eventual", "a U e", "e"),
    rule("release universal", "a R u", "u"),
    rule("universal weak until", "u W b", "u || b"),
    rule("eventual strong release", "e M b", "e && b"),
    rule("eventual weak until eventual", "e W f", "G e || f"),
    rule("universal strong release universal", "u M v", "F u && v"),
    rule("always or suspendable", "G (a || s)", "G a || s"),
    rule("eventually and suspendable", "F (a && s)", "F a && s"),
    rule("always and universal", "G (a && u)", "G a && u"),
    rule("eventually or eventual", "F (a || e)", "F a || e"),
    rule("always and eventual", "G (a && e)", "G a && G e"),
    rule("eventually or universal", "F (a || u)", "F a || F u"),
    rule("until or eventual", "a U (b || e)", "(a U b) || e"),
    rule("weak until or eventual", "a W (b || e)", "(a W b) || e"),
    rule("until and suspendable", "a U (b && s)", "(a U b) && s"),
    rule("weak until or suspendable", "a W (b || s)", "(a W b) || s"),
    rule("release and universal", "a R (b && u)", "(a R b) && u"),
    rule("strong release and universal", "a M (b && u)", "(a M b) && u"),
    rule("release or suspendable", "a R (b || s)", "(a R b) || s"),
    rule("next and suspendable", "X a && s", "X (a && s)"),
    rule("next or suspendable", "X a || s", "X (a || s)"),
    rule("infinitely often and eventual", "G F (a && e)", "G F a && G e"),
    rule("for ever or universal", "F G (a || u)", "F G a || F u"),
)

IMPLICATION_RULES = (
    rule("stronger conjunct", "a && b", "a", when="a -> b"),
    rule("weaker disjunct", "a || b", "b", when="a -> b"),
    rule("contradiction", "a && b", "false", when="a -> !b"),
    rule("tautology", "a || b", "true", when="!a -> b"),
    rule("until implied", "a U b", "b", when="a -> b"),
    rule("until complete", "a U b", "F b", when="!a -> b"),
    rule("weak until implied", "a W b", "b", when="a -> b"),
    rule("weak until complete", "a W b", "true", when="!a -> b"),
    rule("release implied", "a R b", "b", when="b -> a"),
    rule("release never", "a R b", "G b", when="b -> !a"),
    rule("strong release implied", "a M b", "b", when="b -> a"),
    rule("strong release never", "a M b", "false", when="b -> !a"),
    rule("until of until", "a U (b U c)", "b U c", when="a -> b"),
    rule("until of weak until", "a U (b W c)", "b W c", when="a -> b"),
    rule("weak until of weak until", "a W (b W c)", "b W c", when="a -> b"),
    rule("weak until of until, wider", "a W (b U c)", "a W c", when="b -> a"),
    rule("until of until, wider", "a U (b U c)", "a U c", when="b -> a"),
    rule("release of release", "a R (b R c)", "b R c", when="b -> a"),
    rule("release of strong release", "a R (b M c)", "b M c", when="b -> a"),
    rule("strong release of strong release", "a M (b M c)", "b M c", when="b -> a"),
    rule("release of release, narrower", "a R (b R c)", "a R c", when="a -> b"),
    rule("strong release of strong release, narrower", "a M (b M c)", "a M c", when="a -> b"),
    rule("until before until", "(a U b) U c", "b U c", when="a -> c"),
    rule("weak until before until", "(a W b) U c", "b U c", when="a -> c"),
    rule("weak until before weak until", "(a W b) W c", "b W c", when="a -> c"),
    rule("until before weak until", "(a U b) W c", "b W c", when="a -> c"),
    rule("release before release", "(a R b) R c", "b R c", when="c -> a"),
    rule("strong release before release", "(a M b) R c", "b R c", when="c -> a"),
    rule("strong release before strong release", "(a M b) M c", "b M c", when="c -> a"),
    rule("release before strong release", "(a R b) M c", "b M c", when="c -> a"),
)

RULES: tuple[Rule, ...] = (*CONSTANT_RULES, *BASIC_RULES, *CLASS_RULES, *IMPLICATION_RULES)
