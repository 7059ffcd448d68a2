"""Writes what is generated from the code: docs/operators.md and docs/api.md from docstrings, docs/avx512.md from the plugin's
instructions, and usl_core/scheduling.pyi, which type checkers read.

`--check` only says whether they are current.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # it is run as a script

from tools import api
from tools.docstrings import described, signature
from usl_core import Procedure
from usl_core.scheduling import COMPOSED, OPERATORS, homes
from usl_stdlib import LIBRARY

PAGE = Path(__file__).parent.parent / "docs" / "operators.md"
STUB = PAGE.parent.parent / "usl_core" / "scheduling.pyi"
STUB_HEAD = '''"""Generated from the files of `usl_core.primitives` by `python tools/manual.py`."""

from collections.abc import Callable
from typing import Any

'''
INSTRUCTIONS_PAGE = PAGE.with_name("avx512.md")
INSTRUCTIONS_HEAD = """# AVX-512 instructions

Generated from `usl_avx512` by `python tools/manual.py`. The body says what an instruction computes, and is what `replace`
matches; `from usl_avx512 import NAME` gets it, `print(NAME)` shows it. Buffers in `AVX512`, its parts `AVX512_YMM` and
`AVX512_XMM`, in `AVX512_MASK` (truth values, a bit for each lane), and in `AVX2` are registers, the others are in memory. A
masked form (`mask_`) works on the lanes below n and leaves the others as they are; `maskz_` clears
them. Lanes that a body sets to a variable which it never wrote are undefined. Where the forms
for several types are alike, the body is that of the first, and the table has the types and the numbers of lanes of all.

`usl_avx512.isa.for_lanes(32)` are all that work on 32 lanes, for `vectorize`, which finds those that a loop needs, converts
between its types and keeps narrow ones in parts of registers. There are 8, 16, 32 and 64 lanes: take as many of the widest
type of a loop as fill 512 bits. `for_lanes(64, cpu_features())` adds what this processor has beyond AVX512F, BW and VL.
`isa.instructions("floats")` are all that one table of the package holds; `isa.TABLES` names the tables: {tables}.

exp, log and their like are instructions too (`mm512_exp_ps`): [Functions in vectors](functions.md).
"""
HEAD = """# Operators

Generated from the docstrings by `python tools/manual.py`. Every operator is `op(proc, where, ...) -> Procedure`: it
never changes its input, and raises `SchedulingError` where its check fails (`Undecided` where the solver could not tell).
`where` is a cursor of this procedure or of one it was made from, or a pattern. After the edit the operator proves again
that accesses are in bounds and calls legal wherever something changed. A cursor to what was deleted becomes invalid.

"""

LIBRARY_HEAD = """
## Schedule library

These are in the package `usl-stdlib`: `from usl_stdlib import vectorize`.
"""


def manual() -> str:
    """The whole page."""
    index = " · ".join(f"[{op.__name__}](#{op.__name__})" for op in (*OPERATORS, *COMPOSED, *LIBRARY))
    parts = [HEAD, index, "\n", *map(entry, (*OPERATORS, *COMPOSED)), LIBRARY_HEAD, *map(entry, LIBRARY)]
    return "\n".join(parts)


def stub() -> str:
    """The operators by name, as type checkers know them."""
    lines = sorted(f"from {home} import {name} as {name}\n" for name, home in homes().items())
    return f"""{STUB_HEAD}{"".join(lines)}
OPERATORS: tuple[Callable[..., Any], ...]
COMPOSED: tuple[Callable[..., Any], ...]

def homes() -> dict[str, str]: ...
def operator(name: str) -> Callable[..., Any] | None: ...
"""


def entry(operator: Callable[..., object]) -> str:
    """The heading, the signature and the docstring of one operator."""
    head = signature(operator).replace("-> Edit", "-> Procedure")  # the decorator makes one of the other
    return f"\n### {operator.__name__}\n\n{head}\n\n{described(operator)}\n"


def instructions() -> str:
    """The page of the AVX-512 instructions: what each computes, its C text and the CPU features it needs."""
    from usl_avx512 import isa, kernels_int

    sections = [(title, isa.instructions(table)) for table, title in isa.TABLES.items()]
    sections.append(("u16 and u32, for the box blur", kernels_int.INSTRUCTIONS))
    tables = ", ".join(f'"{table}"' for table in isa.TABLES)
    parts = [INSTRUCTIONS_HEAD.replace("{tables}", tables)]
    for title, each in sections:
        parts.append(f"\n## {title}\n")
        parts += map(instruction_entry, alike(each))
    return "".join(parts)


def instruction_entry(group: Sequence[Procedure]) -> str:
    """Instructions that are alike: the body of the first, the C text of each."""
    first = group[0]
    head = f"\n### {first.name()}\n\n{textwrap.indent(body_of(first), '    ')}\n\n"
    if len(group) == 1:
        return f"{head}    # C: {template_of(first)}\n    # needs {features_of(first)}\n"
    rows = [f"| `{p.name()}` | {lanes_of(p)} | `{template_of(p)}` | {features_of(p)} |\n" for p in group]
    return f"{head}| | lanes | C | needs |\n|---|---|---|---|\n{''.join(rows)}"


def alike(instructions: Iterable[Procedure]) -> Iterable[list[Procedure]]:
    """Groups of instructions that differ in types, numbers of lanes and widths of registers only, in the order of the first."""
    groups: dict[str, list[Procedure]] = {}
    for each in instructions:
        groups.setdefault(_form(each), []).append(each)
    return groups.values()


_TYPE = r"(?:[uif]|ep[ui])\d+|bf16|p[sd]"


def _form(instruction: Procedure) -> str:
    """The text of an instruction without its types, numbers of lanes and widths of registers."""
    name = instruction.name()
    stem = re.sub(rf"^mm\d*_|(?:_(?:{_TYPE}))+$", "", re.sub(r"(cast|select)\d+_", r"\1_", name))
    text = body_of(instruction).replace(name, stem)
    text = re.sub(rf"\b(?:{_TYPE})\b", "TYPE", re.sub(r"\bAVX512_[XY]MM\b", "AVX512", text))
    lanes = lanes_of(instruction).partition(" x ")[2] or "0"
    return re.sub(rf"\b(?:\d\d+|{lanes}|{int(lanes) - 1}|{int(lanes) // 2})\b(?!\.)", "NUMBER", text)


def lanes_of(instruction: Procedure) -> str:
    """`f32 x 16`: the type and the number of lanes of the first operand that is not a scalar; empty if there is none."""
    found = re.search(r"\[(\w+)\]\[(\d+)\]", str(instruction).partition("def ")[2])
    return f"{found[1]} x {found[2]}" if found else ""


def body_of(instruction: Procedure) -> str:
    return "\n".join(line for line in str(instruction).splitlines() if not line.startswith("@"))


def template_of(instruction: Procedure) -> str:
    assert instruction.ir.instr is not None
    return instruction.ir.instr.template


def features_of(instruction: Procedure) -> str:
    assert instruction.ir.instr is not None
    return ", ".join(instruction.ir.instr.features)


def main() -> int:
    pages = {PAGE: manual(), api.PAGE: api.page(), INSTRUCTIONS_PAGE: instructions(), STUB: stub()}
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
