"""Models in Python: `from everafter import model as m`. docs/python-models.md describes every name here."""

from everafter.model.containers import Deque, Dict, List, Set
from everafter.model.domains import Array, Int, Optional
from everafter.model.synchronization import Barrier, Channel, Condition, Event, Lock, Queue, RLock, Semaphore
from everafter.model.tasks import AsyncEvent, AsyncLock, AsyncQueue
from everafter.model.temporal import always, each, eventually, implies, leads_to, ltl, next, release, until
from everafter.model.vocabulary import PythonModel as Model
from everafter.model.vocabulary import action, atomic, cancel, choose, either, end, join, process, start, wait

__all__ = [
    "Array",
    "AsyncEvent",
    "AsyncLock",
    "AsyncQueue",
    "Barrier",
    "Channel",
    "Condition",
    "Deque",
    "Dict",
    "Event",
    "Int",
    "List",
    "Lock",
    "Model",
    "Optional",
    "Queue",
    "RLock",
    "Semaphore",
    "Set",
    "action",
    "always",
    "atomic",
    "cancel",
    "choose",
    "each",
    "either",
    "end",
    "eventually",
    "implies",
    "join",
    "leads_to",
    "ltl",
    "next",
    "process",
    "release",
    "start",
    "until",
    "wait",
]
