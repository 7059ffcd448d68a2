"""What mypy says when there is a new kind of statement and of expression: `python tools/new_kinds.py`, or `make new-kinds`.

In a copy of the sources the unions `Stmt` and `Expr` get one more member each. Printed are the number of errors, how many
of the matches over nodes are among them, and which are not: they treat the rest alike by a base class, or are about few kinds.
That no match has a default is a test of the suite (tests/test_closed_types.py).
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import get_args

from usl_core.ir.nodes import Expr, Stmt

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [
    "usl_core",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "plugins").glob("*/usl_*") if path.suffix == ""),
]
NEW = '''@dataclass(frozen=True, slots=True, eq=False)
class New{kind}({kind}Base):
    """A new kind."""


{kind} ='''
CLOSED = {kind.__name__ for kind in (*get_args(Stmt), *get_args(Expr))}


def matches(path: Path) -> Iterator[tuple[int, int]]:
    """The first and last line of each `match` on one node."""
    for match in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(match, ast.Match) and not any(isinstance(case.pattern, ast.MatchSequence) for case in match.cases):
            classes = [each.cls for each in ast.walk(match) if isinstance(each, ast.MatchClass)]
            names = {each.id for each in classes if isinstance(each, ast.Name)}
            if names & CLOSED and match.end_lineno is not None:
                yield match.lineno, match.end_lineno


def with_new_kinds(root: Path) -> None:
    """Adds the two kinds to the copy at root."""
    nodes = root / "usl_core" / "ir" / "nodes.py"
    text = nodes.read_text(encoding="utf-8")
    for kind in ("Expr", "Stmt"):
        text = re.sub(rf"^{kind} =(.*)$", rf"{NEW.format(kind=kind)}\1 | New{kind}", text, flags=re.MULTILINE)
    nodes.write_text(text, encoding="utf-8")


def errors(root: Path) -> dict[str, set[int]]:
    """The lines by file that mypy complains about."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *PACKAGES]
    output = subprocess.run(command, cwd=root, capture_output=True, text=True).stdout
    found: dict[str, set[int]] = {}
    for file, line in re.findall(r"^(\S+?):(\d+): error:", output, re.MULTILINE):
        found.setdefault(file, set()).add(int(line))
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "copy"
        copytree(ROOT, root, ignore=ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "bench", "docs"))
        before = errors(root)
        with_new_kinds(root)
        after = errors(root)
    found = {file: lines - before.get(file, set()) for file, lines in after.items()}
    named, others = 0, []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            file = str(path.relative_to(ROOT))
            for first, last in matches(path) if "perceus" not in file else ():
                if any(first <= line <= last for line in found.get(file, ())):
                    named += 1
                else:
                    others.append(f"{file}:{first}")
    print(f"{sum(map(len, found.values()))} errors, in {named} of {named + len(others)} matches over nodes; the others:")
    print(*(f"  {place}" for place in others), sep="\n")


if __name__ == "__main__":
    main()
