"""Lines of the trusted code, without blanks, comments and docstrings: `python tools/trusted.py` prints them by part.

What is trusted is listed in docs/soundness.md. The exit status is 1 when there are more lines than BUDGET, which only a change
that says why may raise; it is lowered when code goes.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRUSTED = {
    "frontend": ("frontend",),
    "ir": ("ir",),
    "cursors/edit": tuple(f"cursors/{name}.py" for name in ("edit", "edits", "rewriting", "forward", "listmap", "path")),
    "analysis": ("analysis", "shared_z3.py"),
    "primitives": ("primitives",),
    "procedure": ("procedure.py", "equivalence.py", "assoc.py"),
    "store": ("store", "cache_folder.py"),
    "records": ("records.py",),
}
"""The parts, and the modules and packages of usl_core in each."""
CHECKED = frozenset(
    {
        "primitives/calls/rearranging.py",
        "primitives/calls/solving.py",
        "primitives/calls/unify.py",
        "primitives/composed/autofission.py",
    }
)
"""What lies in these packages and needs no trust: the unifier, whose guesses `same_meaning` compares with the block, and what
only calls operators."""
BUDGET = 17_730

_NO_CODE = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)


def code_lines(path: Path) -> int:
    """The lines of a module that hold code; a text that stands as a statement of its own is a docstring."""
    with path.open("rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    lines = {line for each in tokens if each.type not in _NO_CODE for line in range(each.start[0], each.end[0] + 1)}
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            assert node.end_lineno is not None
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def counts(root: Path = ROOT) -> dict[str, int]:
    """The lines of each part."""
    return {part: sum(code_lines(path) for name in names for path in _modules(root, name)) for part, names in TRUSTED.items()}


def _modules(root: Path, name: str) -> list[Path]:
    place = root / "usl_core" / name
    found = [place] if place.suffix else sorted(place.rglob("*.py"))
    assert found and all(path.exists() for path in found), f"{place} is trusted and does not exist"
    return [path for path in found if str(path.relative_to(root / "usl_core")) not in CHECKED]


def main() -> int:
    found = counts()
    total = sum(found.values())
    for name, lines in found.items():
        print(f"{name:14}{lines:8,}")
    print(f"{'trusted':14}{total:8,}   of at most {BUDGET:,}")
    if total > BUDGET:
        print(f"trusted code has grown beyond its budget: {total - BUDGET:,} lines too many", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
