"""product.exploring.explore, product.exploring.decided, product.sets.is_in_set, verdict.fairly.is_fair: made of proofs/product/exploring.v, proofs/product/sets.v, proofs/verdict/fairly.v by proofs/runnable.py."""
# of 2e4ff99338319bb3aaf2f95f80149a444427e7ba08aa9246488384ce50c9618d
# mypy: ignore-errors

from typing import Any

from proofs.extraction import awaiting


def negb(b: Any) -> Any:
    if b:
        return False
    return True


def fst(p: Any) -> Any:
    x = p[0]
    return x


def snd(p: Any) -> Any:
    y = p[1]
    return y


def length(l: Any) -> Any:
    if not l:
        return 0
    l__prime = l[1:]
    return (length(l__prime) + 1)


def app(l: Any, m: Any) -> Any:
    if not l:
        return m
    a = l[0]
    l1 = l[1:]
    return (a, *app(l1, m))


def eqb(n: Any, m: Any) -> Any:
    if n == 0:
        if m == 0:
            return True
        return False
    n__prime = n - 1
    if m == 0:
        return False
    m__prime = m - 1
    return eqb(n__prime, m__prime)


def leb(n: Any, m: Any) -> Any:
    if n == 0:
        return True
    n__prime = n - 1
    if m == 0:
        return False
    m__prime = m - 1
    return leb(n__prime, m__prime)


def ltb(n: Any, m: Any) -> Any:
    return leb((n + 1), m)


def eq_dec(n: Any, m: Any) -> Any:
    if n == 0:
        if m == 0:
            return ('Left',)
        return ('Right',)
    n0 = n - 1
    if m == 0:
        return ('Right',)
    n1 = m - 1
    return eq_dec(n0, n1)


def in_dec(h: Any, a: Any, l: Any) -> Any:
    if not l:
        return ('Right',)
    y = l[0]
    l0 = l[1:]
    s = h(y)(a)
    if s[0] == 'Left':
        return ('Left',)
    return in_dec(h, a, l0)


def nth(n: Any, l: Any, default: Any) -> Any:
    if n == 0:
        if not l:
            return default
        x = l[0]
        return x
    m = n - 1
    if not l:
        return default
    t = l[1:]
    return nth(m, t, default)


def nth_error(l: Any, n: Any) -> Any:
    if n == 0:
        if not l:
            return ('None',)
        x = l[0]
        return ('Some', x)
    n0 = n - 1
    if not l:
        return ('None',)
    l0 = l[1:]
    return nth_error(l0, n0)


def rev(l: Any) -> Any:
    if not l:
        return ()
    x = l[0]
    l__prime = l[1:]
    return app(rev(l__prime), (x, *()))


def concat(l: Any) -> Any:
    if not l:
        return ()
    x = l[0]
    l0 = l[1:]
    return app(x, concat(l0))


def map(f: Any, l: Any) -> Any:
    if not l:
        return ()
    a = l[0]
    t = l[1:]
    return (f(a), *map(f, t))


def flat_map(f: Any, l: Any) -> Any:
    if not l:
        return ()
    x = l[0]
    t = l[1:]
    return app(f(x), flat_map(f, t))


def fold_left(f: Any, l: Any, a0: Any) -> Any:
    if not l:
        return a0
    b = l[0]
    t = l[1:]
    return fold_left(f, t, f(a0)(b))


def existsb(f: Any, l: Any) -> Any:
    if not l:
        return False
    a = l[0]
    l0 = l[1:]
    made__1 = f(a)
    if made__1:
        return True
    return existsb(f, l0)


def forallb(f: Any, l: Any) -> Any:
    if not l:
        return True
    a = l[0]
    l0 = l[1:]
    made__1 = f(a)
    if made__1:
        return forallb(f, l0)
    return False


def filter(f: Any, l: Any) -> Any:
    if not l:
        return ()
    x = l[0]
    l0 = l[1:]
    made__1 = f(x)
    if made__1:
        return (x, *filter(f, l0))
    return filter(f, l0)


def find(f: Any, l: Any) -> Any:
    if not l:
        return ('None',)
    x = l[0]
    tl = l[1:]
    made__1 = f(x)
    if made__1:
        return ('Some', x)
    return find(f, tl)


def nodup(decA: Any, l: Any) -> Any:
    if not l:
        return ()
    x = l[0]
    xs = l[1:]
    made__1 = in_dec(decA, x, xs)
    if made__1[0] == 'Left':
        return nodup(decA, xs)
    return (x, *nodup(decA, xs))


def seq(start: Any, len: Any) -> Any:
    if len == 0:
        return ()
    len0 = len - 1
    return (start, *seq((start + 1), len0))


def has(inside: Any, s: Any) -> Any:
    return existsb(awaiting(eqb, 1, s), inside)


def admits(inside: Any, s: Any) -> Any:
    if inside[0] == 'Some':
        part = inside[1]
        return has(part, s)
    return True


def follow(inside: Any, way: Any, out: Any, arrived: Any, queue: Any) -> Any:
    if not out:
        return (arrived, queue)
    e = out[0]
    rest = out[1:]
    def made__1() -> Any:
        made__2 = negb(has(arrived, e[2]))
        if made__2:
            return admits(inside, e[2])
        return False
    made__3 = made__1()
    if made__3:
        return follow(inside, way, rest, (e[2], *arrived), app(queue, ((e[2], app(way, (e, *()))), *())))
    return follow(inside, way, rest, arrived, queue)


def look_for(edges: Any, targets: Any, inside: Any, many: Any, arrived: Any, queue: Any) -> Any:
    if many == 0:
        return ('None',)
    fewer = many - 1
    if not queue:
        return ('None',)
    p = queue[0]
    rest = queue[1:]
    node = p[0]
    way = p[1]
    made__1 = has(targets, node)
    if made__1:
        return ('Some', way)
    made__2 = follow(inside, way, edges(node), arrived, rest)
    arrived0 = made__2[0]
    queue0 = made__2[1]
    return look_for(edges, targets, inside, fewer, arrived0, queue0)


def path(size: Any, edges: Any, targets: Any, inside: Any, start: Any) -> Any:
    made__1 = look_for(edges, targets, inside, (size + 1), (start, *()), ((start, ()), *()))
    if made__1[0] == 'Some':
        way = made__1[1]
        return way
    return ()


def targets_inside(edges: Any, inside: Any, s: Any) -> Any:
    def made__1(e: Any) -> Any:
        target = e[2]
        return target
    return filter(awaiting(has, 1, inside), map(made__1, edges(s)))


def has_cycle(edges: Any, inside: Any, members: Any) -> Any:
    made__1 = ltb((0 + 1), length(members))
    if made__1:
        return True
    def made__2(node: Any) -> Any:
        return existsb(awaiting(has, 1, members), targets_inside(edges, inside, node))
    return existsb(made__2, members)


def components(edges: Any, strongly_connected_components: Any, inside: Any) -> Any:
    return filter(awaiting(has_cycle, 1, edges, inside), strongly_connected_components(awaiting(targets_inside, 1, edges, inside))(inside))


def inner(edges: Any, component: Any) -> Any:
    def made__1(e: Any) -> Any:
        return has(component, e[2])
    return filter(made__1, flat_map(edges, component))


def able_in(able: Any, s: Any) -> Any:
    made__1 = able(s)
    if made__1[0] == 'Some':
        can = made__1[1]
        return can
    return ()


def treats_fairly(able: Any, kind: Any, p: Any, e: Any) -> Any:
    made__1 = has(e[3], p)
    if made__1:
        return True
    if kind[0] == 'Weak':
        made__2 = able(e[1])
        if made__2[0] == 'Some':
            can = made__2[1]
            return negb(has(can, p))
        return False
    return False


def wanting(able: Any, component: Any) -> Any:
    return nodup(awaiting(eq_dec, 2), flat_map(awaiting(able_in, 1, able), component))


def starved(edges: Any, able: Any, kind: Any, component: Any) -> Any:
    def made__1(p: Any) -> Any:
        return negb(existsb(awaiting(treats_fairly, 1, able, kind, p), inner(edges, component)))
    return filter(made__1, wanting(able, component))


def way_to(size: Any, edges: Any, start: Any, targets: Any, inside: Any) -> Any:
    return path(size, edges, targets, inside, start)


def arrival(start: Any, way: Any) -> Any:
    made__1 = rev(way)
    if not made__1:
        return start
    e = made__1[0]
    target = e[2]
    return target


def with_fair_edge(size: Any, edges: Any, able: Any, kind: Any, component: Any, start: Any, cycle: Any, p: Any) -> Any:
    made__1 = find(awaiting(treats_fairly, 1, able, kind, p), inner(edges, component))
    if made__1[0] == 'Some':
        fair = made__1[1]
        return app(cycle, app(way_to(size, edges, arrival(start, cycle), (fair[1], *()), ('Some', component)), (fair, *())))
    return cycle


def some_edge(edges: Any, component: Any, start: Any, cycle: Any) -> Any:
    if not cycle:
        def made__1(e: Any) -> Any:
            return has(component, e[2])
        made__2 = find(made__1, edges(start))
        if made__2[0] == 'Some':
            e = made__2[1]
            return (e, *())
        return cycle
    return cycle


def fair_cycle(size: Any, edges: Any, able: Any, accepting: Any, kind: Any, component: Any, start: Any) -> Any:
    first = way_to(size, edges, start, filter(accepting, component), ('Some', component))
    cycle = some_edge(edges, component, start, fold_left(awaiting(with_fair_edge, 2, size, edges, able, kind, component, start), wanting(able, component), first))
    return app(cycle, way_to(size, edges, arrival(start, cycle), (start, *()), ('Some', component)))


def fair_lasso(size: Any, edges: Any, able: Any, accepting: Any, kind: Any, component: Any) -> Any:
    entry = way_to(size, edges, 0, component, ('None',))
    return (entry, fair_cycle(size, edges, able, accepting, kind, component, arrival(0, entry)))


def look(edges: Any, able: Any, accepting: Any, kind: Any, found: Any, pending: Any) -> Any:
    if not found:
        return ('Inr', pending)
    component = found[0]
    others = found[1:]
    made__1 = negb(existsb(accepting, component))
    if made__1:
        return look(edges, able, accepting, kind, others, pending)
    made__2 = starved(edges, able, kind, component)
    if not made__2:
        return ('Inl', component)
    n = made__2[0]
    l = made__2[1:]
    if kind[0] == 'Weak':
        return look(edges, able, accepting, kind, others, pending)
    def made__3(s: Any) -> Any:
        return negb(existsb(awaiting(has, 1, able_in(able, s)), (n, *l)))
    return look(edges, able, accepting, kind, others, (filter(made__3, component), *pending))


def rounds(size: Any, edges: Any, able: Any, accepting: Any, strongly_connected_components: Any, kind: Any, many: Any, pending: Any) -> Any:
    if many == 0:
        if not pending:
            return ('Nothing',)
        return ('Unfinished',)
    fewer = many - 1
    if not pending:
        return ('Nothing',)
    inside = pending[0]
    rest = pending[1:]
    made__1 = look(edges, able, accepting, kind, components(edges, strongly_connected_components, inside), rest)
    if made__1[0] == 'Inl':
        component = made__1[1]
        lasso = fair_lasso(size, edges, able, accepting, kind, component)
        return ('Answer', fst(lasso), snd(lasso))
    others = made__1[1]
    return rounds(size, edges, able, accepting, strongly_connected_components, kind, fewer, others)


def fair_run(size: Any, edges: Any, able: Any, accepting: Any, strongly_connected_components: Any, kind: Any) -> Any:
    return rounds(size, edges, able, accepting, strongly_connected_components, kind, (size + 1), (seq(0, size), *()))


def place(same: Any, met: Any, s: Any) -> Any:
    if not met:
        return 0
    t = met[0]
    rest = met[1:]
    made__1 = same(s)(t)
    if made__1[0] == 'Left':
        return 0
    return (place(same, rest, s) + 1)


def joined(same: Any, met: Any, s: Any) -> Any:
    made__1 = in_dec(same, s, met)
    if made__1[0] == 'Left':
        return met
    return app(met, (s, *()))


def numbered(same: Any, source: Any, met: Any, out: Any) -> Any:
    if not out:
        return (met, ())
    p = out[0]
    rest = out[1:]
    who = p[0]
    t = p[1]
    more = joined(same, met, t)
    made__1 = numbered(same, source, more, rest)
    all = made__1[0]
    listed = made__1[1]
    return (all, (('Build_edge', source, place(same, more, t), who), *listed))


def explore(same: Any, steps: Any, many: Any, met: Any, done: Any) -> Any:
    made__1 = nth_error(met, length(done))
    if made__1[0] == 'Some':
        s = made__1[1]
        if many == 0:
            return ('None',)
        fewer = many - 1
        made__2 = numbered(same, length(done), met, steps(s))
        more = made__2[0]
        out = made__2[1]
        return explore(same, steps, fewer, more, app(done, (out, *())))
    return ('Some', (met, done))


def out_of(done: Any, n: Any) -> Any:
    return nth(n, done, ())


def decided(initial: Any, able: Any, accepting: Any, strongly_connected_components: Any, kind: Any, met: Any, done: Any) -> Any:
    def made__1(n: Any) -> Any:
        return able(nth(n, met, initial))
    def made__2(n: Any) -> Any:
        return accepting(nth(n, met, initial))
    return fair_run(length(met), awaiting(out_of, 1, done), made__1, made__2, strongly_connected_components, kind)


def is_unable(able: Any, p: Any, e: Any) -> Any:
    made__1 = able(e[1])
    if made__1[0] == 'Some':
        can = made__1[1]
        return negb(has(can, p))
    return False


def is_in_set(able: Any, accepting: Any, set: Any, e: Any) -> Any:
    if set == 0:
        return accepting(e[1])
    p = set - 1
    made__1 = has(e[3], p)
    if made__1:
        return True
    return is_unable(able, p, e)


def outside(able: Any, cycle: Any) -> Any:
    if not cycle:
        return ()
    e = cycle[0]
    rest = cycle[1:]
    made__1 = able(e[1])
    if made__1[0] == 'Some':
        can = made__1[1]
        return (can, *outside(able, rest))
    return outside(able, rest)


def always(able_there: Any) -> Any:
    if not able_there:
        return ()
    first = able_there[0]
    others = able_there[1:]
    def made__1(p: Any) -> Any:
        def made__2(can: Any) -> Any:
            return has(can, p)
        return forallb(made__2, others)
    return filter(made__1, first)


def is_fair(able: Any, kind: Any, cycle: Any) -> Any:
    def made__1(e: Any) -> Any:
        movers = e[3]
        return movers
    moved = flat_map(made__1, cycle)
    def made__2() -> Any:
        if kind[0] == 'Weak':
            return always(outside(able, cycle))
        return concat(outside(able, cycle))
    wanting0 = made__2()
    return forallb(awaiting(has, 1, moved), wanting0)
