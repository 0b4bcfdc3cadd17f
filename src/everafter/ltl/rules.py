"""The rewrite rules of the simplifier, as data: each is an equivalence that a test checks on its own.

In a rule a letter stands for a formula: a b c d for any; e f for purely eventual ones, u v for purely universal,
s for both; i j for ones that are not eventual, k l for ones that are not universal. `when` lists implications
between letters, or their negations, that must be evident from the syntax. Sources: Somenzi and Bloem, CAV 2000;
Etessami and Holzmann, CONCUR 2000; the manual of Spot's temporal logic library; each stated anew and tested.
"""

from __future__ import annotations

from functools import cache, cached_property

from everafter.ltl.formula import Always, And, Eventually, Formula, Next, Or, Release, StrongRelease, Until, WeakUntil
from everafter.ltl.formula_parser import parse
from everafter.ltl.normal_form import normal_form
from everafter.record import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """`before` may be replaced by `after` wherever `when` holds. A rule that is no equivalence makes wrong verdicts."""

    name: str
    before: str
    after: str
    when: str = ""


class Pattern:
    """A rule ready for use: formulas whose propositions are the letters, in the order in which they are written.

    Each text is read at its first use, so that a short run does not wait for rules it never applies.
    """

    def __init__(self, rule: Rule) -> None:
        self._rule = rule

    @cached_property
    def before(self) -> Formula:
        """What is replaced."""
        return parse(self._rule.before)

    @cached_property
    def after(self) -> Formula:
        """What replaces it."""
        return parse(self._rule.after)

    @cached_property
    def when(self) -> tuple[tuple[Formula, Formula], ...]:
        """The implications that must hold."""
        return tuple(map(_implication, self._rule.when.split(","))) if self._rule.when else ()


@cache
def pattern(rule: Rule) -> Pattern:
    """The formulas of a rule."""
    return Pattern(rule)


_INFIX: dict[str, type[Formula]] = {"&&": And, "||": Or, "U": Until, "W": WeakUntil, "R": Release, "M": StrongRelease}
_PREFIX: dict[str, type[Formula]] = {"X": Next, "F": Eventually, "G": Always}


def operator(rule: Rule) -> type[Formula]:
    """The operator at the root of what a rule replaces, without reading the whole: the one outside parentheses."""
    depth = 0
    outside: list[str] = []
    for word in rule.before.replace("(", " ( ").replace(")", " ) ").split():
        depth += (word == "(") - (word == ")")
        if depth == 0:
            outside.append(word)
    infix = [_INFIX[word] for word in outside if word in _INFIX]
    return infix[0] if infix else _PREFIX[outside[0]]


def _implication(text: str) -> tuple[Formula, Formula]:
    left, right = text.split("->")
    return normal_form(parse(left)), normal_form(parse(right))


CONSTANT_RULES = (
    Rule("next true", "X true", "true"),
    Rule("next false", "X false", "false"),
    Rule("eventually true", "F true", "true"),
    Rule("eventually false", "F false", "false"),
    Rule("always true", "G true", "true"),
    Rule("always false", "G false", "false"),
    Rule("until true", "a U true", "true"),
    Rule("until false", "a U false", "false"),
    Rule("false until", "false U b", "b"),
    Rule("true until", "true U b", "F b"),
    Rule("until itself", "a U a", "a"),
    Rule("weak until true", "a W true", "true"),
    Rule("weak until false", "a W false", "G a"),
    Rule("false weak until", "false W b", "b"),
    Rule("true weak until", "true W b", "true"),
    Rule("release true", "a R true", "true"),
    Rule("release false", "a R false", "false"),
    Rule("true release", "true R b", "b"),
    Rule("false release", "false R b", "G b"),
    Rule("strong release false", "a M false", "false"),
    Rule("strong release true", "a M true", "F a"),
    Rule("true strong release", "true M b", "b"),
    Rule("false strong release", "false M b", "false"),
)

BASIC_RULES = (
    Rule("eventually next", "F X a", "X F a"),
    Rule("always next", "G X a", "X G a"),
    Rule("eventually until", "F (a U b)", "F b"),
    Rule("always release", "G (a R b)", "G b"),
    Rule("always weak until", "G (a W b)", "G (a || b)"),
    Rule("eventually strong release", "F (a M b)", "F (a && b)"),
    Rule("always until", "G (a U b)", "G (a || b) && G F b"),
    Rule("eventually release", "F (a R b)", "F (a && b) || F G b"),
    Rule("always strong release", "G (a M b)", "G b && G F a"),
    Rule("eventually weak until", "F (a W b)", "F G a || F b"),
    Rule("next until next", "X a U X b", "X (a U b)"),
    Rule("next weak until next", "X a W X b", "X (a W b)"),
    Rule("next release next", "X a R X b", "X (a R b)"),
    Rule("next strong release next", "X a M X b", "X (a M b)"),
    Rule("next and next", "X a && X b", "X (a && b)"),
    Rule("next or next", "X a || X b", "X (a || b)"),
    Rule("eventually or eventually", "F k || F l", "F (k || l)"),
    Rule("always and always", "G i && G j", "G (i && j)"),
    Rule("for ever and for ever", "F G a && F G b", "F G (a && b)"),
    Rule("infinitely often or infinitely often", "G F a || G F b", "G F (a || b)"),
    Rule("release of itself", "a R (a || b)", "b W a"),
    Rule("strong release of itself", "a M (a || b)", "b U a"),
    Rule("until with itself", "a U (a && b)", "b M a"),
    Rule("weak until with itself", "a W (a && b)", "b R a"),
    Rule("now or later", "a || X F a", "F a"),
    Rule("now and later", "a && X G a", "G a"),
    Rule("unfolded until", "b || (a && X (a U b))", "a U b"),
    Rule("unfolded weak until", "b || (a && X (a W b))", "a W b"),
    Rule("unfolded release", "b && (a || X (a R b))", "a R b"),
    Rule("unfolded strong release", "b && (a || X (a M b))", "a M b"),
    Rule("until or until", "(a U b) || (a U c)", "a U (b || c)"),
    Rule("until or weak until", "(a U b) || (a W c)", "a W (b || c)"),
    Rule("weak until or weak until", "(a W b) || (a W c)", "a W (b || c)"),
    Rule("until or always", "(a U b) || G a", "a W b"),
    Rule("weak until or always", "(a W b) || G a", "a W b"),
    Rule("until and until", "(a U b) && (c U b)", "(a && c) U b"),
    Rule("until and weak until", "(a U b) && (c W b)", "(a && c) U b"),
    Rule("weak until and weak until", "(a W b) && (c W b)", "(a && c) W b"),
    Rule("weak until and eventually", "(a W b) && F b", "a U b"),
    Rule("release and release", "(a R b) && (a R c)", "a R (b && c)"),
    Rule("release and strong release", "(a R b) && (a M c)", "a M (b && c)"),
    Rule("strong release and strong release", "(a M b) && (a M c)", "a M (b && c)"),
    Rule("release and eventually", "(a R b) && F a", "a M b"),
    Rule("release or release", "(a R b) || (c R b)", "(a || c) R b"),
    Rule("release or strong release", "(a R b) || (c M b)", "(a || c) R b"),
    Rule("strong release or strong release", "(a M b) || (c M b)", "(a || c) M b"),
    Rule("strong release or always", "(a M b) || G b", "a R b"),
    Rule("until a weak one", "a U (b W a)", "b W a"),
    Rule("until of a conjunction with always", "a U (b && G a)", "G a && F b"),
    Rule("until always of itself", "a U (G a)", "G a"),
    Rule("until or always of itself", "a U (b || G a)", "a W b"),
    Rule("weak until or always of itself", "a W (b || G a)", "a W b"),
    Rule("release and eventually itself", "a R (b && F a)", "a M b"),
    Rule("strong release and eventually itself", "a M (b && F a)", "a M b"),
)

CLASS_RULES = (
    Rule("eventually eventual", "F e", "e"),
    Rule("always universal", "G u", "u"),
    Rule("next suspendable", "X s", "s"),
    Rule("until eventual", "a U e", "e"),
    Rule("release universal", "a R u", "u"),
    Rule("universal weak until", "u W b", "u || b"),
    Rule("eventual strong release", "e M b", "e && b"),
    Rule("eventual weak until eventual", "e W f", "G e || f"),
    Rule("universal strong release universal", "u M v", "F u && v"),
    Rule("always or suspendable", "G (a || s)", "G a || s"),
    Rule("eventually and suspendable", "F (a && s)", "F a && s"),
    Rule("always and universal", "G (a && u)", "G a && u"),
    Rule("eventually or eventual", "F (a || e)", "F a || e"),
    Rule("always and eventual", "G (a && e)", "G a && G e"),
    Rule("eventually or universal", "F (a || u)", "F a || F u"),
    Rule("until or eventual", "a U (b || e)", "(a U b) || e"),
    Rule("weak until or eventual", "a W (b || e)", "(a W b) || e"),
    Rule("until and suspendable", "a U (b && s)", "(a U b) && s"),
    Rule("weak until or suspendable", "a W (b || s)", "(a W b) || s"),
    Rule("release and universal", "a R (b && u)", "(a R b) && u"),
    Rule("strong release and universal", "a M (b && u)", "(a M b) && u"),
    Rule("release or suspendable", "a R (b || s)", "(a R b) || s"),
    Rule("next and suspendable", "X a && s", "X (a && s)"),
    Rule("next or suspendable", "X a || s", "X (a || s)"),
    Rule("infinitely often and eventual", "G F (a && e)", "G F a && G e"),
    Rule("for ever or universal", "F G (a || u)", "F G a || F u"),
    Rule("never or the first time", "G a || F (b && e)", "a W (b && e)", when="!a -> b"),
    Rule("once but not the first time", "F a && G (b || u)", "a M (b || u)", when="a -> !b"),
)

IMPLICATION_RULES = (
    Rule("stronger conjunct", "a && b", "a", when="a -> b"),
    Rule("weaker disjunct", "a || b", "b", when="a -> b"),
    Rule("contradiction", "a && b", "false", when="a -> !b"),
    Rule("tautology", "a || b", "true", when="!a -> b"),
    Rule("until implied", "a U b", "b", when="a -> b"),
    Rule("until complete", "a U b", "F b", when="!a -> b"),
    Rule("weak until implied", "a W b", "b", when="a -> b"),
    Rule("weak until complete", "a W b", "true", when="!a -> b"),
    Rule("release implied", "a R b", "b", when="b -> a"),
    Rule("release never", "a R b", "G b", when="b -> !a"),
    Rule("strong release implied", "a M b", "b", when="b -> a"),
    Rule("strong release never", "a M b", "false", when="b -> !a"),
    Rule("until of until", "a U (b U c)", "b U c", when="a -> b"),
    Rule("until of weak until", "a U (b W c)", "b W c", when="a -> b"),
    Rule("weak until of weak until", "a W (b W c)", "b W c", when="a -> b"),
    Rule("weak until of until, wider", "a W (b U c)", "a W c", when="b -> a"),
    Rule("until of until, wider", "a U (b U c)", "a U c", when="b -> a"),
    Rule("release of release", "a R (b R c)", "b R c", when="b -> a"),
    Rule("release of strong release", "a R (b M c)", "b M c", when="b -> a"),
    Rule("strong release of strong release", "a M (b M c)", "b M c", when="b -> a"),
    Rule("release of release, narrower", "a R (b R c)", "a R c", when="a -> b"),
    Rule("strong release of strong release, narrower", "a M (b M c)", "a M c", when="a -> b"),
    Rule("until before until", "(a U b) U c", "b U c", when="a -> c"),
    Rule("weak until before until", "(a W b) U c", "b U c", when="a -> c"),
    Rule("weak until before weak until", "(a W b) W c", "b W c", when="a -> c"),
    Rule("until before weak until", "(a U b) W c", "b W c", when="a -> c"),
    Rule("release before release", "(a R b) R c", "b R c", when="c -> a"),
    Rule("strong release before release", "(a M b) R c", "b R c", when="c -> a"),
    Rule("strong release before strong release", "(a M b) M c", "b M c", when="c -> a"),
    Rule("release before strong release", "(a R b) M c", "b M c", when="c -> a"),
)

RULES: tuple[Rule, ...] = (*CONSTANT_RULES, *BASIC_RULES, *CLASS_RULES, *IMPLICATION_RULES)
