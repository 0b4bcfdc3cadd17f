"""Models in the style of practice, each in several sizes: what people write, not what shows an algorithm.

    python -m benchmarks.practice [--list] [--write FOLDER]

Statistics that are only written, temporaries, loops that print, processes started one by one, monitors that read
others' variables, hierarchical state machines, protocols with fields that nobody looks at. All of them hold. They are
asked with default options on both sides by `python -m benchmarks.compare_spin --only practice/`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

SIZES = (2, 3, 4, 5)
"""Each kind of model is written in these sizes."""
Kind = Callable[[int], str]
_KINDS: list[Kind] = []


def _kind(made: Kind) -> Kind:
    _KINDS.append(made)
    return made


def models() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each model."""
    for made in _KINDS:
        for size in SIZES:
            yield f"{made.__name__.removeprefix('_')}-{size}", made(size)


@_kind
def _statistics(n: int) -> str:
    """Workers share a lock, and count what they do."""
    return f"""
bit lock; int rounds, waits; byte busy, most; int per[{n}];
active [{n}] proctype Worker() {{
  do
  :: atomic {{ lock == 0 -> lock = 1 }}
     busy++; rounds++; per[_pid]++;
     if :: busy > most -> most = busy :: else -> waits++ fi;
     assert(busy == 1); busy--; lock = 0
  od
}}
"""


@_kind
def _temporaries(n: int) -> str:
    """Readings are scaled by a chain of temporaries before they are stored."""
    return f"""
byte level[{n}];
active [{n}] proctype Sensor() {{
  byte raw, scaled, offset, rounded;
  do
  :: if :: raw = 1 :: raw = 2 :: raw = 3 fi;
     scaled = raw * 4; offset = scaled + 2; rounded = offset / 2; rounded = rounded % 8;
     level[_pid] = rounded
  od
}}
"""


@_kind
def _printing(n: int) -> str:
    """Reports in loops."""
    return f"""
byte done;
active [{n}] proctype Reporter() {{
  byte i;
  for (i : 1 .. 10) {{ printf("reporter %d line %d\\n", _pid, i) }}
  done++; printf("reporter %d is done\\n", _pid); done <= {n}
}}
"""


@_kind
def _starting(n: int) -> str:
    """`init` starts workers one by one, and waits for them."""
    return f"""
byte finished;
proctype Worker(byte id; byte work) {{
  byte i;
  do :: i < work -> i++ :: else -> break od;
  finished++
}}
init {{
  byte k;
  do :: k < {n} -> run Worker(k, 2); k++ :: else -> break od;
  finished == {n}; assert(finished == {n})
}}
"""


@_kind
def _starting_together(n: int) -> str:
    """`init` starts workers in an atomic sequence; each hands a ticket on."""
    return f"""
chan tickets = [{n}] of {{ byte }}; byte served;
proctype Worker(byte id) {{ byte t, seen; tickets?t; seen = t + id; served++; tickets!t }}
init {{
  byte k;
  atomic {{ for (k : 1 .. {n}) {{ run Worker(k) }} tickets!7 }}
  served == {n}; tickets?eval(7)
}}
"""


@_kind
def _monitor(n: int) -> str:
    """A monitor asserts an invariant of what others write."""
    return f"""
byte used, free = {n};
active [{n}] proctype User() {{
  byte held;
  do :: atomic {{ free > 0 -> free--; used++ }} held = 1; held = 0; atomic {{ used--; free++ }} od
}}
active proctype Monitor() {{ do :: assert(used + free == {n}) od }}
"""


@_kind
def _remote_monitor(n: int) -> str:
    """An assertion reads where other processes are."""
    return f"""
byte turn;
active [{n}] proctype Station() {{
  byte log;
  do :: turn == _pid -> log = turn;
busy: log++; turn = (turn + 1) % {n} od
}}
active proctype Watch() {{ do :: assert(!(Station[0]@busy && Station[1]@busy)) od }}
"""


@_kind
def _state_machine(n: int) -> str:
    """A state machine with states inside states, and events by a channel."""
    inner = "\n".join(
        f"     :: sub == {k} -> entered++; if :: e == up -> sub = {(k + 1) % n} :: e == down -> sub = 0 :: else fi"
        for k in range(n)
    )
    return f"""
mtype = {{ up, down, power }};
mtype = {{ off, standby, running }};
chan events = [2] of {{ mtype }}; mtype state = off; byte sub; int entered, ignored;
active proctype User() {{ do :: events!up :: events!down :: events!power od }}
active proctype Machine() {{
  mtype e; mtype before;
  do
  :: events?e; before = state;
     if
     :: state == off && e == power -> state = standby
     :: state == standby && e == up -> state = running; sub = 0
     :: state == running && e == power -> state = off
     :: state == running && e != power ->
        if
{inner}
        fi
     :: else -> ignored++
     fi;
     assert(sub < {n})
  od
}}
"""


@_kind
def _client_server(n: int) -> str:
    """Requests carry a time and a sender; the time is looked at by nobody."""
    return f"""
chan request = [{n}] of {{ byte, byte }}; chan reply[{n}] = [1] of {{ byte }}; byte answered;
active [{n}] proctype Client() {{
  byte stamp, got;
  do :: request!_pid, stamp; reply[_pid]?got; stamp = (stamp + 1) % 4; got = 0 od
}}
active proctype Server() {{
  byte who, when, work;
  do :: request?who, when; work = who * 2; work = work + 1; answered++; reply[who]!work od
}}
"""


@_kind
def _rendezvous(n: int) -> str:
    """Workers take jobs in rendezvous, and log them."""
    return f"""
chan job = [0] of {{ byte }}; chan result = [0] of {{ byte }}; int total;
active proctype Master() {{
  byte k, r;
  do :: k < {n + 2} -> job!k; result?r; total = total + r; k++ :: else -> break od
}}
active [{n}] proctype Worker() {{
  byte j, twice;
end: do :: job?j; twice = j + j; printf("job %d\\n", j); result!twice od
}}
"""


@_kind
def _bounded_buffer(n: int) -> str:
    """Producers and consumers with counters of what went through."""
    return f"""
chan buffer = [{n}] of {{ byte, byte }}; int put, got; byte last;
active [2] proctype Producer() {{ byte item; do :: item = (item + 1) % 3; buffer!item, _pid; put++ od }}
active [2] proctype Consumer() {{ byte item, from; do :: buffer?item, from; last = item; got++; item = 0 od }}
"""


@_kind
def _token_ring(n: int) -> str:
    """A token goes round; who has it works in private."""
    return f"""
chan link[{n}] = [1] of {{ byte }}; byte inside;
active [{n}] proctype Node() {{
  byte token, rounds, i;
  if :: _pid == 0 -> link[0]!1 :: else fi;
  do
  :: link[_pid]?token; inside++; assert(inside == 1);
     for (i : 1 .. 3) {{ rounds = rounds + i }}
     inside--; link[(_pid + 1) % {n}]!token; token = 0
  od
}}
"""


@_kind
def _structures(n: int) -> str:
    """Tasks are structures in an array; some of their fields are for people only."""
    return f"""
typedef Task {{ byte state; byte owner; int started; int finished }};
Task tasks[{n}]; int clock;
active [2] proctype Runner() {{
  byte i;
  do
  :: i = 0;
     do
     :: i < {n} ->
        atomic {{ if :: tasks[i].state == 0 -> tasks[i].state = 1; tasks[i].owner = _pid :: else fi }}
        if
        :: tasks[i].state == 1 && tasks[i].owner == _pid -> tasks[i].started = clock; clock++;
           tasks[i].finished = clock; tasks[i].state = 2
        :: else
        fi;
        i++
     :: else -> break
     od;
     break
  od
}}
"""


@_kind
def _retry(n: int) -> str:
    """A sender repeats what is lost, and counts how often."""
    return f"""
mtype = {{ data, ack }};
chan there = [1] of {{ mtype, bit, byte }}; chan back = [1] of {{ mtype, bit }}; int sent, lost, repeated; byte passed;
active proctype Sender() {{
  bit b, got; byte n;
  do
  :: n < {n} -> there!data, b, n; sent++;
     if
     :: back?ack, got; if :: got == b -> b = 1 - b; n++ :: else -> repeated++ fi
     :: timeout -> repeated++
     fi
  :: else -> break
  od
}}
active proctype Loss() {{ mtype m; bit b; byte n; end: do :: there?m, b, n; lost++ od }}
active proctype Receiver() {{
  bit b, want; byte n;
end: do :: there?data, b, n; if :: b == want -> want = 1 - want; passed = n :: else fi; back!ack, b od
}}
"""


@_kind
def _lights(n: int) -> str:
    """Traffic lights with a controller, phases and a display."""
    return f"""
mtype = {{ red, amber, green }};
mtype light[{n}] = red; byte shown[{n}]; byte turn; int changes;
active [{n}] proctype Light() {{
  mtype next;
  do
  :: turn == _pid -> next = green; light[_pid] = next; changes++; shown[_pid] = 3;
     next = amber; light[_pid] = next; changes++; shown[_pid] = 2;
     light[_pid] = red; shown[_pid] = 1; turn = (turn + 1) % {n}
  od
}}
active proctype Check() {{ do :: assert(!(light[0] == green && light[1] == green)) od }}
"""


@_kind
def _inlines(n: int) -> str:
    """Library calls by inlines with scratch variables of their own."""
    return f"""
byte heap[{n}]; byte sum; bit lock; int calls;
inline acquire() {{ atomic {{ lock == 0 -> lock = 1 }} calls++ }}
inline release() {{ lock = 0 }}
inline update(at, by) {{ old = heap[at]; now = old + by; now = now % 5; heap[at] = now; old = 0; now = 0 }}
active [2] proctype Thread() {{
  byte old, now, k;
  do
  :: k < {n} -> acquire(); update(k, 1 + _pid); release(); k++
  :: else -> break
  od
}}
"""


@_kind
def _elevator(n: int) -> str:
    """A lift with floors, buttons, and a door that is logged."""
    return f"""
bit called[{n}]; byte floor; bit door; int moves, opened; byte heading;
active proctype People() {{ do {" ".join(f":: called[{k}] = 1" for k in range(n))} od }}
active proctype Lift() {{
  byte target, steps;
  do
  :: target = 0; do :: target < {n} && !called[target] -> target++ :: else -> break od;
     if
     :: target == {n} -> skip
     :: else ->
        steps = 0;
        do
        :: floor < target -> floor++; moves++; steps++
        :: floor > target -> floor--; moves++; steps++
        :: else -> break
        od;
        door = 1; opened++; called[target] = 0; door = 0; heading = steps
     fi
  od
}}
"""


def main() -> int:
    """List the models, or write them into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print their names")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write each to a file")
    options = parser.parse_args()
    for name, text in models():
        if options.list or options.write is None:
            print(name)
        if options.write is not None:
            options.write.mkdir(parents=True, exist_ok=True)
            (options.write / f"{name}.pml").write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
