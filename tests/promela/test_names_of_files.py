"""Names of files that no file can have are refused where they stand, like those of files that are not there."""

from pathlib import Path

import pytest

from everafter.cli import main
from everafter.commands.status import BAD_INPUT

LONG = "n" * 5000
"""Longer than any file system allows."""
OUTPUTS = ("--certificate", "--html", "--trace", "--checkpoint")


def test_an_included_file_with_a_name_too_long_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.pml"
    model.write_text(f'#include "{LONG}"\nactive proctype P() {{ skip }}')
    assert main(["check", str(model)]) == BAD_INPUT
    assert "model.pml:1:10: error: cannot find the included file" in capsys.readouterr().err


@pytest.mark.parametrize("option", OUTPUTS)
def test_an_output_with_a_name_too_long_is_refused_before_the_search(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.pml"
    model.write_text("active proctype P() { skip }")
    assert main(["check", str(model), "--safety", option, LONG]) == BAD_INPUT
    assert "File name too long" in capsys.readouterr().err
