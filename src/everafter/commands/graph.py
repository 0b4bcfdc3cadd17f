"""`everafter graph`: pictures of a model."""

from __future__ import annotations

import argparse
from pathlib import Path

from everafter.commands.command import check_writable, load_model
from everafter.commands.model_options import add_model
from everafter.commands.quantities import whole_number
from everafter.commands.status import HOLDS, Command, tell_line
from everafter.diagrams import channel_diagram, control_diagram, states
from everafter.drawing.diagram import Diagram
from everafter.drawing.dot_writer import to_dot
from everafter.drawing.picture_page import to_page
from everafter.drawing.svg import to_svg
from everafter.page.html import states_document
from everafter.page.state_map import MOST_SHOWN, map_of
from everafter.program.program import Program, program_for
from everafter.promela.propositions import proposition
from everafter.promela.units import together
from everafter.questions.limits import Limits
from everafter.questions.property import check_labels
from everafter.questions.request import Request
from everafter.source import OptionError, Place, Source, check_output
from everafter.specification import files_of
from everafter.user_model import Model

_LEGENDS = {"control": control_diagram.LEGEND, "states": states.LEGEND, "channels": channel_diagram.LEGEND}


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--of", choices=tuple(_LEGENDS), default="control", help="what to draw; control flow by default"
    )
    parser.add_argument("--format", choices=("svg", "dot", "html"), default="svg", help="how to write the picture")
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="EXPR",
        help="draw states in which this has the same value as one; may be given several times",
    )
    parser.add_argument(
        "--states",
        type=whole_number,
        metavar="N",
        help=f"look at so many states at most; {states.MOST_STATES:,} by default, {MOST_SHOWN:,} on the page of states",
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="EXPR",
        help="on the page of states, mark those in which this is true; may be given several times",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the picture here, not to the standard output")


def _run(options: argparse.Namespace) -> int:
    if (options.by or options.states is not None) and options.of != "states":
        raise OptionError("--by and --states are for pictures of states", "add --of states")
    if options.states is not None and options.states < 1:
        raise OptionError("a picture needs one state at least")
    if options.output is not None:
        check_writable(options.output, [options.model])
    is_map = options.of == "states" and options.format == "html" and not options.by
    if options.where and not is_map:
        raise OptionError("--where is for the page of states", "add --of states --format html, without --by")
    model = load_model(options.model, options)
    if options.output is not None:
        check_output(options.output, files_of(model))
    text = _map(model, options) if is_map else _picture(model, options)
    if options.output is None:
        print(text, end="")
    else:
        _write(options.output, text)
    return HOLDS


def _picture(model: Model, options: argparse.Namespace) -> str:
    return _written(_diagrams(model, options), options.format, model.name, _LEGENDS[options.of])


def _map(model: Model, options: argparse.Namespace) -> str:
    """The page of states, with the counterexamples that are found by looking at as many states."""
    most = options.states or MOST_SHOWN
    program, where = _named(model, "where", options.where)
    limits = Limits(states=most)
    wanted = (Request(engine="reference", safety=True), *(_formula(name) for name in model.formulas))
    results = [result for each in wanted for result in model.check_all(each, limits)]
    return "".join(states_document(map_of(model.name, program, most, results, where)))


def _formula(name: str) -> Request:
    return Request(engine="reference", formulas=(name,))


def _diagrams(model: Model, options: argparse.Namespace) -> list[Diagram]:
    match options.of:
        case "states":
            return [_states(model, options.by, options.states or states.MOST_STATES)]
        case "channels":
            return [channel_diagram.channel_graph(model.program)]
        case _:
            return control_diagram.control_flow(model.program)


def _states(model: Model, by: list[str], most: int) -> Diagram:
    program, named = _named(model, "by", by)
    return states.state_graph(program, named, most)


def _named(model: Model, option: str, texts: list[str]) -> tuple[Program, list[states.Named]]:
    """The expressions that an option names, and the program with what they need."""
    read = [
        (text, *proposition(model.tree, text, Place(Source(f"<{option}>", text), 1, 1, len(text)))) for text in texts
    ]
    program = program_for(model.program, together(needs for _, _, needs in read))
    check_labels(program, (expression for _, expression, _ in read))
    return program, [states.Named(text, expression) for text, expression, _ in read]


def _written(diagrams: list[Diagram], form: str, name: str, legend: str) -> str:
    match form:
        case "dot":
            return to_dot(diagrams)
        case "html":
            return to_page(diagrams, name, legend)
        case _:
            return to_svg(diagrams)


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror or error}") from error
    tell_line(f"picture written to {path}")


GRAPH = Command(_add_options, _run)
