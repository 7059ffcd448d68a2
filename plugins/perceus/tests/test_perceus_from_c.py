"""The program of the manual that calls functions from C."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

MANUAL = Path(__file__).parents[3] / "docs" / "perceus.md"


def section() -> str:
    return MANUAL.read_text(encoding="utf-8").split("## From C\n")[1].split("\n## ")[0]


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", section(), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("flag", ["-O2", "-DUSL_DEBUG"])
def test_the_manual_s_program_in_c_runs_as_it_says(tmp_path: Path, flag: str) -> None:
    (tmp_path / "sets.py").write_text(block("python"), encoding="utf-8")
    (tmp_path / "main.c").write_text(block("c"), encoding="utf-8")
    usl = [sys.executable, "-m", "usl_core.cli", "fun", "sets.py", "-o", "build"]
    subprocess.run(usl, cwd=tmp_path, check=True, capture_output=True)
    command = block("sh").replace("-O2", f"{flag} -Wall -Wextra -Werror").split()
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "prog"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(said) == 3
    for line in said:
        assert f"`{line}`" in section()
