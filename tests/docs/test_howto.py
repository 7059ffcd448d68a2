"""The recipes of docs/howto.md: their files are written, their commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from usl_core import probe

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto.md"
_FILE = re.compile(r"^`([\w.]+)`[^\n]*:\n\n(?:<!-- not run -->\n)?```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)


def recipe(title: str) -> tuple[dict[str, str], str]:
    """The files and the commands of a section; files of earlier sections are there too."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")
    section = rest.partition("\n## ")[0]
    commands = re.search(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert commands is not None
    return dict(_FILE.findall(before + section)), commands[1]


@pytest.mark.parametrize(("title", "needs"), [("Link a kernel into a program", "cc"), ("Build with CMake", "cmake")])
def test_a_recipe_works_as_it_stands(title: str, needs: str, tmp_path: Path) -> None:
    pytest.importorskip("usl_c11", reason="usl_c11 is not installed")
    if probe.program(needs) is None or probe.program("cc") is None:
        pytest.skip(f"{needs} is not installed")
    files, commands = recipe(title)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["sh", "-e", "-c", commands],
        cwd=tmp_path,
        env=os.environ | {"PATH": found},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == "2 4 6 8"
