"""Models in Python: `from everafter import model as m`. docs/python-models.md describes every name here."""

from everafter.model.containers import Deque, Dict, List, Set
from everafter.model.domains import Array, Int, Optional
from everafter.model.synchronization import Channel, Condition, Event, Lock, Queue, Semaphore
from everafter.model.temporal import always, each, eventually, implies, leads_to, ltl, next, release, until
from everafter.model.vocabulary import PythonModel as Model
from everafter.model.vocabulary import action, atomic, choose, either, end, join, process, start, wait

__all__ = [
    "Array",
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
    "Semaphore",
    "Set",
    "action",
    "always",
    "atomic",
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
