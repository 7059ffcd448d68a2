"""Mistakes at the border to Python and C: one message each, without a traceback through the package."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from programs_messages import Maybe, adder, apply, composed, echo, missing, step

from usl_perceus import PerceusError
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program


def test_a_lone_surrogate_is_refused_as_an_argument():
    assert echo("\udc80") == "\udc80!"  # what Python makes of a byte that is no UTF-8
    with pytest.raises(PerceusError, match="argument 1 of echo: expected a str without lone surrogates, which UTF-8 cannot"):
        echo("\ud800")


def test_a_lone_surrogate_is_refused_in_a_program():
    text = '@fun\ndef main() -> str:\n    return "\\ud800"\n'
    with pytest.raises(PerceusError, match="<program>:3:12: a string has no lone surrogates") as caught:
        lower([parse_program(text, "<program>")["main"]])
    assert caught.value.code == "E712"


def test_a_closure_can_be_passed_back_to_its_own_program_only():
    halved = composed(Maybe.Nothing(), 2)
    assert composed(Maybe.Just(halved), 10)(9) == 40
    plus = adder(3)
    assert plus(4) == 7
    with pytest.raises(PerceusError, match="argument 1 of apply: expected a function of its own program"):
        apply(plus, 4)


def test_an_undefined_foreign_function_is_named_with_its_place():
    with pytest.raises(
        PerceusError, match=r"programs_messages\.py:\d+:1: no library .* C function nowhere_to_be_found"
    ) as caught:
        missing(2.0)
    assert caught.value.code == "E744"


def test_a_function_may_have_the_name_of_one_of_the_c_library():
    assert step(3) == 4


def test_an_error_at_decoration_is_shown_without_frames_of_the_package(tmp_path):
    script = tmp_path / "wrong.py"
    lines = [
        "from __future__ import annotations",
        "from usl_perceus import fun",
        "@fun",
        "def f(x: i64) -> i64:",
        "    import os",
    ]
    script.write_text("\n".join(lines))
    environment = {name: value for name, value in os.environ.items() if name != "USL_TRACEBACK"}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, env=environment)
    assert "import is not in the functional language" in done.stderr
    files = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert len(files) == 1
    assert "wrong.py" in files[0]
