"""The tables of modules at the end of docs/architecture.md: the first sentence of each module's docstring.

python tools/modules.py     # after a module came, went, or says something else
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
MARK = "## Modules\n"


def packages() -> list[Path]:
    """The folders of the core and of the plugins' packages."""
    return [ROOT / "usl_core", *sorted(path.parent for path in ROOT.glob("plugins/*/usl_*/__init__.py"))]


def folders(package: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Each folder of a package that holds modules, with these."""
    for folder in [package, *sorted(path.parent for path in package.glob("*/**/__init__.py"))]:
        modules = [path for path in sorted(folder.glob("*.py")) if not path.name.startswith("__")]
        if modules:
            yield folder, modules


def says(module: Path) -> str:
    """The first sentence of a module's docstring, in one line."""
    text = " ".join((ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "").split("\n\n")[0].split())
    found = re.match(r".*?[.!?](?=\s|$)", text)
    return (found.group() if found else text).removesuffix(".").replace("|", r"\|")


def tables() -> str:
    """All tables, each under the name of its folder."""
    parts = [MARK, "Generated from the modules' docstrings by `python tools/modules.py`.\n"]
    for package in packages():
        for folder, modules in folders(package):
            parts.append(f"### {folder.relative_to(package.parent)}\n")
            intro = says(folder / "__init__.py")
            if intro:
                parts.append(f"{intro}.\n")
            rows = "".join(f"| `{module.stem}` | {says(module)} |\n" for module in modules)
            parts.append(f"| module | |\n|---|---|\n{rows}")
    return "\n".join(parts)


def page() -> str:
    """docs/architecture.md as it should be."""
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return before + tables()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
