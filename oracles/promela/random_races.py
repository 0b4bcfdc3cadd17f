"""Small random programs in which several things can go wrong, about equally far away: deadlocks, assertions, errors.

Each process chooses between ways of different lengths. A way is of plain statements, of atomic sequences (some with a
choice, a jump or a rendezvous inside, some that are left in the middle and go on later) and of d_steps, and comes to a
statement that fails, that blocks for ever, or to the end of the process.
"""

import random

ENDS = (
    "assert(false)",
    "assert(x == 9)",
    "x = 1 / zero",
    "a[two + x % 2] = 1",
    "false",
    "silent!1",
    "silent?x",
    "x < 200",
    "skip",
)
"""What a way ends in: the first four may fail, the next three block for ever."""
STATEMENTS = ("x++", "y++", "y = x", "x > 0", "y < 9", "q!x", "q?y", "r!1", "r?x", "skip", "x != y", "a[x % 2] = y")


def race(seed: int) -> str:
    """The program of a seed."""
    rng = random.Random(seed)
    count = rng.choice((1, 1, 2, 2, 3))
    processes = "".join(f"active proctype P{number}() {{\n{_choice(rng)}\n}}\n" for number in range(count))
    declared = "byte x, y, zero; byte two = 2; byte a[2];\nchan q = [1] of { byte }; chan r = [0] of { byte };\n"
    return f"{declared}chan silent = [0] of {{ byte }};\n{processes}"


def _choice(rng: random.Random) -> str:
    ways = rng.randrange(1, 4)
    if ways == 1:
        return f"  {_way(rng)}"
    loops = rng.random() < 0.25
    begin, end = ("do", "od") if loops else ("if", "fi")
    return f"  {begin}\n" + "".join(f"  :: {_way(rng)}\n" for _ in range(ways)) + f"  {end}"


def _way(rng: random.Random) -> str:
    """A few parts, and what they end in, which may be inside the last of them."""
    parts = [_part(rng, "") for _ in range(rng.randrange(0, 3))]
    if rng.random() < 0.8:
        parts.append(_part(rng, rng.choice(ENDS)))
    return "; ".join(parts) or "skip"


def _part(rng: random.Random, end: str) -> str:
    statements = [rng.choice(STATEMENTS) for _ in range(rng.randrange(0 if end else 1, 5))] + ([end] if end else [])
    match rng.choice(("plain", "plain", "atomic", "atomic", "d_step", "choice")):
        case "plain":
            return "; ".join(statements)
        case "atomic":
            return f"atomic {{ {'; '.join(statements)} }}"
        case "choice":
            others = "; ".join(rng.choice(STATEMENTS) for _ in range(rng.randrange(1, 4)))
            return f"atomic {{ if :: {'; '.join(statements)} :: {others} fi; {rng.choice(STATEMENTS)} }}"
        case _:
            calm = [each for each in statements if not set(each) & {"!", "?"} or "!=" in each]
            return f"d_step {{ {'; '.join(calm or ['skip'])} }}"
