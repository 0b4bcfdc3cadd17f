"""One function for each construct that kernels are written in, for tests/test_proofs_literal.py."""

from everafter.search.space import NO_STATE, ON_PATH, RED, TARGET, Store


def a_assignment(space: Store, x: int, y: int) -> int:
    z = x + 2 * y - (x - y)
    space.found[0] = z
    return z + 1


def a_parameter(space: Store, x: int, y: int) -> int:
    x += y
    x -= 1
    return x


def a_column(space: Store, x: int, y: int) -> int:
    space.stack[x] = space.pending[x + 1] - y
    return space.stack[x]


def add_to_a_column(space: Store, x: int, y: int) -> int:
    space.stack[y] += x
    return 0


def bit_is_set(space: Store, x: int, y: int) -> int:
    space.colour[x] |= RED
    return 1 if space.colour[y] & RED else 2


def bit_is_cleared(space: Store, x: int, y: int) -> int:
    space.colour[x] &= ~ON_PATH
    return 0


def several_bits(space: Store, x: int, y: int) -> int:
    if space.colour[x] & (RED | TARGET):
        return 1
    return 0


def bits_that_meet(space: Store, x: int, y: int) -> int:
    if space.colour[x] & space.colour[y]:
        return 1
    return 0


def no_bit(space: Store, x: int, y: int) -> int:
    if space.colour[x] & NO_STATE:
        return 1
    return 0


def bits_are_the_same(space: Store, x: int, y: int) -> int:
    if space.colour[x] == space.colour[y]:
        return 1
    return 2 if space.colour[x] != 0 else 3


def bits_begin_with_none(space: Store, x: int, y: int) -> int:
    space.colour[x] = 0
    space.colour[y] |= RED
    return 1 if space.colour[x] == RED else 2


def a_bit_by_its_number(space: Store, x: int, y: int) -> int:
    space.colour[y] |= 1 << x
    return 1 if space.colour[x] & (1 << y + 1) else 2


def first_bit(space: Store, x: int, y: int) -> int:
    left = space.colour[x] & ~space.colour[y]
    number = 0
    while left != 0 and not left & (1 << number):
        number += 1
    return number


def bits_in_a_variable(space: Store, x: int, y: int) -> int:
    ends = space.colour[x] | space.colour[y]
    space.colour[x] &= ~TARGET
    return 1 if ends & RED and space.colour[y] & ends else 2


def with_else(space: Store, x: int, y: int) -> int:
    if x < y:
        z = 1
    else:
        z = 2
        space.found[0] = 1
    return z


def with_elif(space: Store, x: int, y: int) -> int:
    z = 0
    if x < y:
        z = 1
    elif x == y:
        z = 2
    return z


def at_most(space: Store, x: int, y: int) -> int:
    return 1 if x <= y else 0


def at_least(space: Store, x: int, y: int) -> int:
    return 1 if x >= y else 0


def a_more(space: Store, x: int, y: int) -> int:
    return 1 if x > y else 0


def a_other(space: Store, x: int, y: int) -> int:
    return 1 if x != y else 0


def number_as_test(space: Store, x: int, y: int) -> int:
    return 1 if not x - y else 0


def with_and(space: Store, x: int, y: int) -> int:
    return 1 if x > 0 and space.stack[x - 1] > y else 0


def with_or(space: Store, x: int, y: int) -> int:
    return 1 if x == 0 or not space.stack[x - 1] > y else 0


def a_minus(space: Store, x: int, y: int) -> int:
    return -x


def a_least(space: Store, x: int, y: int) -> int:
    return min(x, y) - max(x, 2)


def a_choice(space: Store, x: int, y: int) -> int:
    z = x if y > 1 else y
    space.found[0] = z
    return z + 1


def a_range(space: Store, x: int, y: int) -> int:
    z = 0
    for i in range(x, y):
        z += i
    return z


def range_of_nothing(space: Store, x: int, y: int) -> int:
    z = 5
    for i in range(x - y):
        z = i
    return z


def range_once(space: Store, x: int, y: int) -> int:
    z = y
    for i in range(z):
        z -= 1
        space.found[0] += i
    return z


def range_from(space: Store, x: int, y: int) -> int:
    z = 0
    for i in range(x, x + y):
        z += space.pending[i - x]
        x += 1
    return z


def column_loop(space: Store, x: int, y: int) -> int:
    for s in space.initial:
        space.stack[s] = x
    return y


def a_loop(space: Store, x: int, y: int) -> int:
    z = 0
    while x > 0:
        x -= 1
        z += y
    return z


def return_in_a_loop(space: Store, x: int, y: int) -> int:
    for i in range(4):
        if space.stack[i] == x:
            return i
        space.stack[i] = y
    return -1


def return_in_loops(space: Store, x: int, y: int) -> int:
    while x < 4:
        for i in range(x):
            if space.stack[i] == y:
                return i
        x += 1
        space.found[0] = x
    return 9
