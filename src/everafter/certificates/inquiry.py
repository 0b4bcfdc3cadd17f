"""The whole question that a user asks of a file with verdicts, and how that of the file differs from it.

The question is the user's: the model, the conditions and the properties. What a file says of them is compared, and
nothing of it is taken over.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, assert_never

from everafter.certificates.file import CertificateError
from everafter.certificates.heading import Heading
from everafter.characters import visible_line
from everafter.choices import Fairness
from everafter.ltl.formula_text import text_of
from everafter.program.expected import Expected
from everafter.questions.property import PropertyKind
from everafter.questions.request import Request, conditions_of
from everafter.record import dataclass, replace
from everafter.stated_questions import Asked, questions
from everafter.user_model import Model

_OPTIONS: Final = {"fairness": "fair", "loses_messages": "lose_messages"}
"""The options that are called otherwise than the conditions that they set."""


class AnotherQuestionError(CertificateError):
    """The verdicts answer another question than the user's; `differences` are lines that say in what.

    `options` are those of a command that asks what was answered, each as a shell takes it.
    """

    def __init__(self, differences: Sequence[str], options: Sequence[str]) -> None:
        super().__init__(f"the certificate answers another question than yours: {'; '.join(differences)}")
        self.differences = tuple(differences)
        self.options = tuple(options)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question that a user asks of a file: a model, the conditions, and which properties the file may be about."""

    model: Model
    conditions: Mapping[str, Any]
    fairness: Fairness | None
    named: tuple[Asked, ...]
    """The properties that the user has named: the file must decide each of them."""
    stated: tuple[Asked, ...]
    """The properties that the model states: the file may decide them, named or not."""

    @classmethod
    def of(cls, model: Model, request: Request) -> Inquiry:
        """What `request` asks of `model`. Raises InputError if a formula cannot be understood."""
        judged = replace(model, program=replace(model.program, expected=request.expected))
        return cls(
            model,
            conditions_of(request, model.defines, model.program.loses_messages),
            request.fairness,
            () if request.asks_nothing else tuple(questions(judged, request)),
            tuple(questions(judged, Request())),
        )

    def asked(self, heading: Heading) -> Asked | None:
        """The user's property that `heading` has the verdict on, or None if the user has none like it."""
        key = _key(heading.kind, heading.property, heading.words)
        return next((item for item in (*self.named, *self.stated) if _key_of(item) == key), None)

    def differences(self, heading: Heading) -> Iterator[str]:
        """In what the question that `heading` says was answered differs from this one, line by line."""
        if heading.digest != self.model.tree.digest:
            yield "it is one of another model, or of this one with other definitions, included files or claims"
        yield from differing_conditions(heading.conditions, self.conditions)
        if self.asked(heading) is None:
            yield visible_line(f"it was made with {_naming(heading)}, which you do not ask for, nor the model state")

    def found(self, heading: Heading) -> Asked:
        """The user's property that `heading` has the verdict on. Raises AnotherQuestionError if it has not."""
        item, differences = self.asked(heading), tuple(self.differences(heading))
        if item is None or differences:
            raise AnotherQuestionError(differences, options_for([heading], self.stated))
        return item

    def undecided(self, headings: Sequence[Heading]) -> Iterator[Asked]:
        """The properties of this question that none of `headings` has a verdict on; those that are named come first."""
        found = {_key(heading.kind, heading.property, heading.words) for heading in headings}
        for item in {_key_of(each): each for each in (*self.named, *self.stated)}.values():
            if _key_of(item) not in found:
                yield item

    def compare(self, headings: Sequence[Heading]) -> None:
        """Raise AnotherQuestionError unless this is the question that `headings` answer."""
        differences = [line for heading in headings for line in self.differences(heading)]
        asked = Counter(map(_key_of, self.named))
        found = Counter(_key(heading.kind, heading.property, heading.words) for heading in headings)
        for item in (*self.named, *self.stated):
            key = _key_of(item)
            if asked[key] > 0 and key not in found:
                differences.append(f"it does not decide {item.name}, which you ask for")
            elif found[key] > max(asked[key], 1):  # each costs as much as an honest one, and says nothing new
                differences.append(f"it decides {item.name} {found[key]:,} times")
        if differences:
            raise AnotherQuestionError(list(dict.fromkeys(differences)), options_for(headings, self.stated))


def options_of(conditions: Mapping[str, Any]) -> list[str]:
    """The options that set `conditions`, each as a shell takes it. Values may be of any type: a file may be forged."""
    found: list[str] = []
    for name, value in conditions.items():
        option = f"--{_OPTIONS.get(name, name).replace('_', '-')}"
        if name == "defines" and isinstance(value, dict):
            found += [f"-D {shlex.quote(f'{macro}={text}')}" for macro, text in value.items()]
        elif isinstance(value, list):
            found += [f"{option} {shlex.quote(str(each))}" for each in value]
        elif value is True:
            found.append(option)
        elif value is not None and value is not False:
            found.append(f"{option} {shlex.quote(str(value))}")
    return found


def in_words(item: Asked) -> str:
    """What a property says, in full."""
    match item.kind:
        case "ltl":
            assert item.formula is not None
            return text_of(item.formula, "spin")
        case "safety":
            return ", ".join(_of_safety(item.program.expected))
        case "never":
            return f"no run is accepted by {item.name}"
        case "acceptance":
            return "no run is at accept labels again and again"
        case "progress":
            return "every endless run makes progress again and again"
        case _:
            assert_never(item.kind)


def _of_safety(expected: Expected) -> Iterator[str]:
    if expected.assertions:
        yield "no assertion fails"
    if expected.end_states:
        channels = " or with a message in a channel" if expected.empty_channels else ""
        yield f"no run stops where it must not{channels}"
    yield "no step goes wrong"


def differing_conditions(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[str]:
    """In what conditions of a file differ from the user's, by the options that set them."""
    if theirs == ours:
        return
    made, asked = options_of(theirs), options_of(ours)
    lines = [f"it was made with {option}, and you ask without" for option in made if option not in asked]
    lines += [f"it was made without {option}, and you ask with it" for option in asked if option not in made]
    yield from map(visible_line, lines or [f"its conditions: {json.dumps(theirs)}"])


def options_for(headings: Sequence[Heading], stated: Sequence[Asked] = ()) -> list[str]:
    """The options that ask what `headings` answer; what is `stated` need not be named."""
    known = set(map(_key_of, stated))
    found = [option for heading in headings for option in options_of(heading.conditions)]
    for heading in headings:
        if _key(heading.kind, heading.property, heading.words) not in known:
            found.append(_naming(heading))
    return list(dict.fromkeys(found))


def _naming(heading: Heading) -> str:
    """The option that names the property of `heading`, as a shell takes it."""
    match heading.kind:
        case "ltl":
            return f"--ltl {shlex.quote(heading.words)}"
        case "never":
            return f"--hoa {shlex.quote(f'{heading.property}.hoa')}" if heading.words else "--never FILE"
        case _:
            return f"--{heading.kind}"


def _key_of(item: Asked) -> tuple[str, str]:
    return _key(item.kind, item.name, item.words)


def _key(kind: PropertyKind, name: str, words: str) -> tuple[str, str]:
    """What tells properties apart: for safety its kind, for claims of a model their name, or else what they say."""
    match kind:
        case "ltl":
            has_meaning_in_spaces = not {"'", '"', "/"}.isdisjoint(words)  # in texts, and where comments end
            return kind, words if has_meaning_in_spaces else " ".join(words.split())
        case "never":
            return kind, words or name
        case _:
            return kind, ""
