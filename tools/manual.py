"""Writes docs/operators.md from the operators' docstrings, and docs/avx512.md from the plugin's instructions.

`--check` only says whether they are current.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

from usl_core.scheduling import LIBRARY, OPERATORS

PAGE = Path(__file__).parent.parent / "docs" / "operators.md"
INSTRUCTIONS_PAGE = PAGE.with_name("avx512.md")
INSTRUCTIONS_HEAD = """# AVX-512 instructions

Generated from `usl_avx512` by `python tools/manual.py`. The body says what an instruction computes, and is what `replace`
matches; `from usl_avx512 import NAME` gets it. Buffers in `AVX512` and `AVX512_YMM` are registers, the others are in memory.
"""
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


def instructions() -> str:
    """The page of the AVX-512 instructions: what each computes, its C text and the CPU feature it needs."""
    from usl_avx512 import kernels_f32, kernels_f64, kernels_int

    parts = [INSTRUCTIONS_HEAD]
    for title, module in (("f32", kernels_f32), ("f64", kernels_f64), ("Integers", kernels_int)):
        parts.append(f"\n## {title}\n")
        for each in sorted(module.INSTRUCTIONS, key=lambda p: p.name()):
            template = each.ir.instr
            assert template is not None
            body = "\n".join(line for line in str(each).splitlines() if not line.startswith("@"))
            text = textwrap.indent(f"{body}\n\n# C: {template.template}", "    ")
            parts.append(f"\n### {each.name()}\n\nNeeds {', '.join(template.features)}.\n\n{text}\n")
    return "".join(parts)


def main() -> int:
    pages = {PAGE: manual(), INSTRUCTIONS_PAGE: instructions()}
    if "--check" not in sys.argv[1:]:
        for page, text in pages.items():
            page.write_text(text, encoding="utf-8")
        return 0
    stale = [page for page, text in pages.items() if not page.exists() or page.read_text(encoding="utf-8") != text]
    for page in stale:
        print(f"docs/{page.name} is out of date: run python tools/manual.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
