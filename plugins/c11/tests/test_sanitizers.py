"""Generated code under the undefined-behaviour sanitizer: the random programs once more, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from c11_compile import require

HERE = Path(__file__).parent


def test_random_integer_programs_have_no_undefined_behaviour() -> None:
    require("gcc")
    flags = "-fsanitize=undefined -fno-sanitize-recover=all -w"  # instrumented code draws warnings of its own
    environment = {**os.environ, "CC": "gcc", "C11_TEST_FLAGS": flags, "C11_TEST_EXAMPLES": "3"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=7"]
    answer = subprocess.run(
        [*command, str(HERE / "test_integer_programs.py")], env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-3000:]
