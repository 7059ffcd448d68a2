"""What `import usl_core` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import usl_core
from usl_core import scheduling


def test_every_operator_is_a_name_of_the_package() -> None:
    exported = set(scheduling.__all__) - {"COMPOSED", "OPERATORS"}
    assert exported == {f.__name__ for f in (*scheduling.OPERATORS, *scheduling.COMPOSED)}
    for name in exported:
        assert getattr(usl_core, name) is getattr(scheduling, name)


def test_unknown_names_are_attribute_errors() -> None:
    assert not hasattr(usl_core, "divide_lop")


def test_importing_the_language_loads_no_heavy_library() -> None:
    code = (
        "import sys, usl_core\n"
        "from usl_core import proc, divide_loop\n"
        "print([m for m in ('numpy', 'cffi', 'z3', 'scipy', 'rich') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
