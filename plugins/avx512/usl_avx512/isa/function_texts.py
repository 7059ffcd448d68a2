"""The C functions on registers in functions.h, which `python tools/functions.py` writes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("functions.h")


@cache
def function_texts() -> dict[str, str]:
    """The functions by name, each with a guard; none as long as the file has not been written."""
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    sections = re.finditer(r"^#ifndef (\w+)\n#define \1\n.*?^#endif /\* \1 \*/\n", text, flags=re.MULTILINE | re.DOTALL)
    return {each[1].lower(): each[0] for each in sections}
