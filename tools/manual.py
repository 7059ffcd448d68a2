"""Writes docs/operators.md from the operators' docstrings; `--check` only says whether it is current."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

from usl_core.scheduling import LIBRARY, OPERATORS

PAGE = Path(__file__).parent.parent / "docs" / "operators.md"
HEAD = """# Operators

Generated from the docstrings by `python tools/manual.py`. Every operator is `op(proc, where, ...) -> Procedure`: it
never changes its input, and raises `SchedulingError` where its check fails (`Undecided` where the solver could not tell).
`where` is a cursor of this procedure or of one it was made from, or a pattern. After the edit the operator proves again
that accesses are in bounds and calls legal wherever something changed. A cursor to what was deleted becomes invalid.

"""


def manual() -> str:
    """The whole page."""
    index = " · ".join(f"[{op.__name__}](#{op.__name__})" for op in (*OPERATORS, *LIBRARY))
    parts = [HEAD, index, "\n", *map(entry, OPERATORS), "\n## Schedule library\n", *map(entry, LIBRARY)]
    return "\n".join(parts)


def entry(operator: Callable[..., object]) -> str:
    """The heading, the signature and the docstring of one operator."""
    signature = str(inspect.signature(operator)).replace("'", "").replace("Procedure, /", "Procedure")
    text = textwrap.indent(inspect.getdoc(operator) or "", "    ")
    return f"\n### {operator.__name__}\n\n    {operator.__name__}{signature}\n\n{text}\n"


def main() -> int:
    text = manual()
    if "--check" in sys.argv[1:]:
        current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        if not current:
            print("docs/operators.md is out of date: run python tools/manual.py", file=sys.stderr)
        return 0 if current else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
