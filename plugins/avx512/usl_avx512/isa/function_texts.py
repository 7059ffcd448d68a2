"""The C functions on registers in functions.h, on four of them in fours.h, which `python tools/functions.py` writes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("functions.h")
FOURS = Path(__file__).with_name("fours.h")


@cache
def function_texts() -> dict[str, str]:
    """The functions by name, each with a guard; none as long as the file has not been written."""
    return _sections(FILE)


@cache
def four_texts() -> dict[str, str]:
    """Those on four registers at once, which call or share tables with the one of `alone`, to stand before them."""
    return _sections(FOURS)


def alone(name: str) -> str:
    """The name of the function on one register, given that of the one on four: `usl_avx512_tan_x4_pd`."""
    return name.replace("_x4_", "_")


def _sections(file: Path) -> dict[str, str]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    sections = re.finditer(r"^#ifndef (\w+)\n#define \1\n.*?^#endif /\* \1 \*/\n", text, flags=re.MULTILINE | re.DOTALL)
    return {each[1].lower(): each[0] for each in sections}
