"""Models as users have them: read from a text, checked, simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from everafter.certificates.file import CertificateError, writing
from everafter.check import check
from everafter.choices import Fairness, ReductionWish, StoreKind
from everafter.model.vocabulary import PythonModel
from everafter.program.program import Program  # noqa: F401 # likewise
from everafter.promela.units import ModelTree as Tree  # noqa: F401 # likewise
from everafter.questions.limits import Limits, Observer, unobserved
from everafter.questions.property import Understood  # noqa: F401 # types of inherited fields, which guard needs here
from everafter.questions.request import Request, definitions
from everafter.record import dataclass, replace
from everafter.report.presenter import simulation
from everafter.source import Diagnostic, InputError, OptionError, Source, check_output, read_source  # noqa: F401 # likewise
from everafter.specification import Specification, files_of, understood, understood_class
from everafter.verdict.random_run import Simulation, simulated
from everafter.verdict.result import Result
from everafter.verdict.state_space import StateSpace


@dataclass(frozen=True, slots=True)
class Model(Specification):
    """A model that has been read and understood."""

    def _repr_html_(self) -> str:
        """What a notebook shows: what is stated, and the control flow of the processes."""
        from everafter.report.model_html import model_html  # noqa: PLC0415 # only notebooks draw models

        return model_html(self.name, self.program, list(self.formulas))

    def check(
        self,
        formula: str | None = None,
        *,
        fairness: Fairness | None = None,
        algorithm: str | None = None,
        engine: str | None = None,
        reduction: ReductionWish = "static",
        threads: int | None = None,
        store: StoreKind | None = None,
        cluster: str | None = None,
        limits: Limits | None = None,
        observer: Observer = unobserved,
        certificate: str | Path | None = None,
    ) -> Result:
        """The verdict on one formula, or the name of one; without it, on safety. It is true exactly if that holds.

        What shows it to be right is written to the file `certificate`, for `everafter.certify`.
        """
        asked = Request(
            safety=formula is None,
            formulas=() if formula is None else (formula,),
            fairness=fairness,
            algorithm=algorithm,
            engine=engine,
            reduction=reduction,
            threads=threads,
            store=store,
            cluster=cluster,
        )
        return self.check_all(asked, limits, observer, certificate)[0]

    def check_all(
        self,
        request: Request | None = None,
        limits: Limits | None = None,
        observer: Observer = unobserved,
        certificate: str | Path | None = None,
    ) -> list[Result]:
        """The verdict on everything that `request` asks for, or on everything the model states, within `limits`.

        The `observer` is told how far a search has come.

        What shows them to be right is written to the file `certificate`; raises CertificateError if that fails.
        """
        asked = request or Request()
        if certificate is None:
            return check(self, asked, limits, observer)
        check_output(certificate, files_of(self))
        with writing(certificate) as writer:
            results = check(self, asked, limits, observer, certificate=writer)
            writer.finish()
        if writer.failed is not None:
            raise CertificateError(f"no certificate was written to {certificate}: {writer.failed}")
        return results

    def states(self, limit: int | None = None) -> StateSpace:
        """The reachable states with their steps, breadth-first, each computed when it is wanted; at most `limit`."""
        return StateSpace(self.program, limit)


# From a text to a model


def load(
    path: str | Path,
    defines: Mapping[str, object] | None = None,
    *,
    loses_messages: bool = False,
    never: str | Path | None = None,
    include: Sequence[str | Path] = (),
) -> Model:
    """Read a model from a file, or from the standard input if that is `-`, and a never claim from another.

    `include` names folders in which included files are looked for. A file of Python may be followed by the name of the
    class, `model.py:Name`; `defines` are then constants of its models. Raises InputError with every mistake in the
    texts.
    """
    if ".py" in str(path):
        from everafter.pymodel.python_file import file_and_class, model_class  # noqa: PLC0415 # it loads the parser of Python

        if (python := file_and_class(path)) is not None:
            if never is not None or loses_messages:
                raise OptionError("a never claim and lost messages are of models in Promela")
            told = definitions(defines)
            return understood_class(Model, model_class(*python, told), str(path), told)
    appended = [read_source(never)] if never is not None else []
    folders = [Path(folder) for folder in ([include] if isinstance(include, str) else include)]
    return understood(Model, read_source(path), definitions(defines), loses_messages, appended, folders)


def model_of(model: type[PythonModel] | Model | str | Path, defines: Mapping[str, object] | None = None) -> Model:
    """Return what `model` is: a class of Python, a model that was read, or a file, read with `defines`."""
    if isinstance(model, Model) or (isinstance(model, type) and defines):
        if defines:
            raise OptionError("defines are given where a file is read", "everafter.load(path, defines)")
        assert isinstance(model, Model)
        return model
    if isinstance(model, type):
        return understood_class(Model, model, model.__name__, {})
    return load(model, defines)


class Results(tuple[Result, ...]):
    """Results of one check, in order: true exactly if everything holds."""

    def __bool__(self) -> bool:
        return all(tuple(self))

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Results: {', '.join(f'{each.property} {each.verdict}' for each in self)}>"

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self)


def check_model(
    model: type[PythonModel] | Model | str | Path,
    *formulas: str,
    defines: Mapping[str, object] | None = None,
    limits: Limits | None = None,
    certificate: str | Path | None = None,
    **asked: Any,
) -> Results:
    """The verdicts on `formulas`, or their names, or on all that `model` states: true exactly if everything holds.

    The model is a class of Python, a file read with `defines`, or a `Model`. `asked` is what a `Request` has besides;
    `limits` and `certificate` are those of `Model.check_all`.
    """
    request = Request(formulas=formulas, **asked)
    return Results(model_of(model, defines).check_all(request, limits, certificate=certificate))


def parse(text: str, defines: Mapping[str, object] | None = None, *, loses_messages: bool = False) -> Model:
    """Read a model from a `text`, with the macros `defines`; `loses_messages`: full channels lose them.

    Raises InputError with every mistake in it.
    """
    return understood(Model, Source("<model>", text), definitions(defines), loses_messages)


def simulate(model: Model, *, seed: int = 0, steps: int = 1000) -> Simulation:
    """One run of `model`, of at most `steps` random steps. Another `seed` gives another run. Raises OptionError."""
    if steps < 0:
        raise OptionError(f"steps of simulate is a number from 0 on, not {steps}")
    return replace(simulated(model.program, seed, steps), presenter=simulation)
