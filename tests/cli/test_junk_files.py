"""Files of any kind, given to each command: one message that names the file, no traceback, and nothing is written."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.fuzz.junk_texts import damaged
from usl_core.cli.main import cli

HEAD = "from __future__ import annotations\nfrom usl_core import DRAM, proc\n"
COMMANDS = {
    "compile": ["compile", "odd.py"],
    "history": ["history", "odd.py:f"],
    "verify": ["verify", "odd.py"],
    "profile": ["profile", "odd.py"],
}
ODD = {
    "null byte": b"x = 1\n\0",
    "no text": b"\x80\xff\xfe",
    "half a surrogate": b"x = '\\ud800'\nraise ValueError(x)\n",
    "interrupt": b"raise KeyboardInterrupt\n",
    "exit": b"raise SystemExit(3)\n",
    "exit with success": b"import sys\nsys.exit()\n",
    "exception of its own": b"class E(BaseException):\n    def __str__(self): return 5\nraise E\n",
    "endless recursion": b"def f(): f()\nf()\n",
    "a group": b"raise ExceptionGroup('both', [ValueError('a'), TypeError('b')])\n",
}


def outcome(command: str, folder: Path, text: bytes, monkeypatch: pytest.MonkeyPatch) -> Result:
    """What a command says to a file with this text, after which nothing but the file must be there."""
    (folder / "odd.py").write_bytes(text)
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(cli, COMMANDS[command])
    assert "Traceback" not in result.output
    assert "internal error" not in result.output
    return result


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_an_odd_file_is_one_message(command: str, text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = outcome(command, tmp_path, text, monkeypatch)
    assert result.exit_code == 1
    assert "odd.py" in result.output or text == ODD["interrupt"]
    assert [path.name for path in tmp_path.iterdir()] == ["odd.py"]


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_procedure_is_one_message(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (HEAD + damaged(random.Random(seed))).encode(errors="surrogatepass")
    result = outcome("profile", tmp_path, text, monkeypatch)
    assert result.exit_code == 0 or "odd.py" in result.output
