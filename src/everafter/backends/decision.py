"""From a question to what a backend comes to."""

from __future__ import annotations

from everafter.backends.engines import ENGINES
from everafter.questions.outcome import Outcome
from everafter.questions.plan import plan
from everafter.questions.question import Question
from everafter.questions.request import Request


def decide(question: Question, options: Request | None = None) -> Outcome:
    """Return what the backend that suits `question`, under the options `options`, comes to.

    No alarm is set while a backend decides: it looks at the time itself, and its threads must not be left behind.
    """
    with question.deadline.enforced():
        chosen = plan(question, options or Request(), ENGINES)
    return ENGINES[chosen.engine].make(chosen).decide(question)
