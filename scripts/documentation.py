"""What the documentation site makes of the code: pages of reference, and links that lead out of docs/.

A hook of MkDocs; `mkdocs build` and `mkdocs serve` read it (mkdocs.yml).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.structure.files import File, Files

from everafter import cli, public

ROOT = Path(__file__).parents[1]
_LINK_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+([^)#]+)(?:#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are generated."""
    files.append(File.generated(config, "reference/options.md", content=options_page()))
    files.append(File.generated(config, "reference/names.md", content=names_page()))
    worker = (ROOT / "scripts/iframe-worker.js").read_text("utf-8")
    files.append(File.generated(config, "javascripts/iframe-worker.js", content=worker))
    files.append(File.generated(config, "examples.md", content=(ROOT / "examples/README.md").read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Name the files that lie outside docs/, for the site cannot link to them."""
    if page.file.src_uri.startswith("decisions/"):
        return markdown
    return _LINK_OUTSIDE.sub(_named, markdown)


def _named(link: re.Match[str]) -> str:
    text, path = link.groups()
    if path.rstrip("/") == "examples/README.md":
        return f"[{text}](examples.md)"
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"


def options_page() -> str:
    """Every command with every option, as `--help` has it."""
    commands = next(
        a
        for a in cli.parser(cli.COMMANDS, [word.name for word in cli.COMMANDS])._actions
        if isinstance(a, argparse._SubParsersAction)
    )
    purposes = {choice.dest: choice.help for choice in commands._choices_actions}
    parts = ["# Every option\n\nWhat `everafter COMMAND --help` says, for every command.\n"]
    for name, parser in commands.choices.items():
        parts.append(f"## everafter {name}\n\n{_sentence(str(purposes[name]))}\n\n| option | meaning |\n|---|---|")
        parts += [f"| {_spelled(action)} | {_cell(action.help or '')} |" for action in parser._actions]
        parts.append("")
    return "\n".join(parts)


def _spelled(action: argparse.Action) -> str:
    value = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    if isinstance(value, tuple):
        value = " ".join(value)
    if action.choices is not None and action.metavar is None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if not action.option_strings:
        return f"`{_cell(value)}`"
    takes_value = action.nargs != 0
    return ", ".join(f"`{option}{' ' + _cell(value) if takes_value else ''}`" for option in action.option_strings)


def _cell(text: str) -> str:
    return text.replace("%%", "%").replace("|", "\\|")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def names_page() -> str:
    """Every public name with its docstring; the searches and formulas have pages of their own."""
    parts = ["# Every public name\n\n`import everafter` offers these; [From Python](../api.md) shows them at work.\n"]
    for name in sorted(public.__all__, key=str.lower):
        value = getattr(public, name)
        if value is public.model:
            parts.append(f"::: {value.__name__}\n")
        elif not isinstance(value, ModuleType):
            parts.append(f"::: {value.__module__}.{value.__qualname__}\n")
    return "\n".join(parts)
