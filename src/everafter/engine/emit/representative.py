"""The row that stands for all that differ from one by exchanges of processes.

represent(row)      write the least of them over it
exchange_k(row)     exchange two neighbouring elements
less(row, row)      whether a row is less than another, byte by byte
"""

from __future__ import annotations

from everafter.engine.emit.writer import TRUE, Writer
from everafter.program.layout import COUNT
from everafter.program.symmetry import ALWAYS, Exchange, NameExchange, Symmetry

DECLARATION = "declare i64 @llvm.bswap.i64(i64)"
_CHUNKS = (8, 4, 2, 1)


def representatives(symmetry: Symmetry) -> list[str]:
    """Return the text of these functions, for rows that have this `symmetry`."""
    exchanges = [_exchange(number, each) for number, each in enumerate(symmetry.exchanges)]
    return [DECLARATION, _less(), *exchanges, *_represent(symmetry)]


def _less() -> str:
    w = Writer("internal i1 @less(ptr %left, ptr %right)")
    w.do("%end = call i64 @bytes(ptr %left)")
    before = w.block
    w.label("loop")
    w.do(f"%at = phi i64 [ 0, %{before} ], [ %following, %more ]")
    w.when(w.compare("uge", "%at", "%end"), "equal")
    left, right = (w.load(w.at(row, "%at"), 8) for row in ("%left", "%right"))
    w.do("%following = add i64 %at, 8")
    w.branch(w.compare("eq", left, right), "more", "unequal")
    w.label("more")
    w.jump("loop")
    w.label("unequal")
    first, second = (w.get(f"call i64 @llvm.bswap.i64(i64 {word})") for word in (left, right))
    w.end(f"ret i1 {w.compare('ult', first, second)}")
    w.label("equal")
    w.end("ret i1 false")
    return w.text()


# One exchange


def _exchange(number: int, exchange: Exchange) -> str:
    w = Writer(f"internal void @exchange_{number}(ptr %row) noinline")
    count = w.load(w.at("%row", COUNT), 1)
    for swap in exchange.swaps:
        for one, other, size in _chunks(*swap):
            _swap(w, one, other, size)
    for renaming in exchange.renamings:
        _rename(w, renaming, count)
    w.end("ret void")
    return w.text()


def _chunks(one: int, other: int, size: int) -> list[tuple[int, int, int]]:
    """The same exchange in parts that a processor moves at once."""
    found: list[tuple[int, int, int]] = []
    while size:
        chunk = next(each for each in _CHUNKS if each <= size)
        found.append((one, other, chunk))
        one, other, size = one + chunk, other + chunk, size - chunk
    return found


def _swap(w: Writer, one: int, other: int, size: int) -> None:
    left, right = w.at("%row", one), w.at("%row", other)
    first, second = (w.get(f"load i{8 * size}, ptr {place}, align 1") for place in (left, right))
    w.do(f"store i{8 * size} {second}, ptr {left}, align 1")
    w.do(f"store i{8 * size} {first}, ptr {right}, align 1")


def _rename(w: Writer, renaming: NameExchange, count: str) -> None:
    place = w.at("%row", renaming.place)
    value = w.load(place, renaming.size)
    renamed = value
    for left, right in renaming.pairs:
        for old, new in ((left, right), (right, left)):
            renamed = w.get(f"select i1 {w.compare('eq', value, old)}, i64 {new}, i64 {renamed}")
    is_there = TRUE
    if renaming.slot != ALWAYS:
        is_there = w.compare("ult", str(renaming.slot), count)
    if renaming.length != ALWAYS:
        length = w.load(w.at("%row", renaming.length), renaming.length_size)
        is_there = w.both(is_there, w.compare("ult", str(renaming.position), length))
    if is_there != TRUE:
        renamed = w.get(f"select i1 {is_there}, i64 {renamed}, i64 {value}")
    w.store(place, renamed, renaming.size)


# All of them


def _represent(symmetry: Symmetry) -> list[str]:
    w = Writer("internal void @represent(ptr %row) noinline")
    w.do(f"%other = alloca [{symmetry.size} x i8], align 8")
    count = w.load(w.at("%row", COUNT), 1)
    w.when(w.compare("ult", count, symmetry.least), "leave")
    for prefix in symmetry.prefixes:
        _leave_in_prefix(w, prefix.slot, prefix.place, prefix.size, sorted(prefix.nodes), count)
    w.do("%size = call i64 @bytes(ptr %row)")
    if symmetry.visits:
        tables = [_visit_all(w, symmetry)]
    else:
        _sort(w, symmetry)
        tables = []
    w.label("leave")
    w.end("ret void")
    return [*tables, w.text()]


def _leave_in_prefix(w: Writer, slot: int, place: int, size: int, nodes: list[int], count: str) -> None:
    """Go to `leave` while a process still starts others."""
    alive, free = w.fresh("alive"), w.fresh("free")
    w.branch(w.compare("ult", str(slot), count), alive, free)
    w.label(alive)
    w.switch(w.load(w.at("%row", place), size), free, [(node, "leave") for node in nodes])
    w.label(free)


def _copy(w: Writer, target: str, source: str) -> None:
    w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, i64 %size, i1 false)")


def _sort(w: Writer, symmetry: Symmetry) -> None:
    """Exchange neighbours while a row becomes less."""
    w.do("%changed = alloca i64")
    w.label("again")
    w.store("%changed", 0, 8)
    for number in symmetry.round:
        kept = w.fresh("kept")
        _copy(w, "%other", "%row")
        w.do(f"call void @exchange_{number}(ptr %other)")
        w.unless(w.get("call i1 @less(ptr %other, ptr %row)"), kept)
        _copy(w, "%row", "%other")
        w.store("%changed", 1, 8)
        w.label(kept)
    w.branch(w.compare("eq", w.load("%changed", 8), 0), "leave", "again")


def _visit_all(w: Writer, symmetry: Symmetry) -> str:
    """Go through all orders; the text of the table of exchanges that lead through them."""
    visits = symmetry.visits
    _copy(w, "%other", "%row")

    def visit(number: str) -> None:
        following = w.fresh("following")
        labels = [(each, w.fresh("exchange")) for each in range(len(symmetry.exchanges))]
        chosen = w.load(w.get(f"getelementptr i8, ptr @visits, i64 {number}"), 1)
        w.switch(chosen, following, labels)
        for each, label in labels:
            w.label(label)
            w.do(f"call void @exchange_{each}(ptr %other)")
            w.jump(following)
        w.label(following)
        kept = w.fresh("kept")
        w.unless(w.get("call i1 @less(ptr %other, ptr %row)"), kept)
        _copy(w, "%row", "%other")
        w.label(kept)

    w.each(str(len(visits)), visit)
    w.jump("leave")
    listed = ", ".join(f"i8 {each}" for each in visits)
    return f"@visits = internal constant [{len(visits)} x i8] [ {listed} ]"
