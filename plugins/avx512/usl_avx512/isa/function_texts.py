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
    found = re.findall(r"^#ifndef USL_AVX512_\w+\n.*?^#endif\n", text, flags=re.MULTILINE | re.DOTALL)
    return {
        name[1]: each for each in found if (name := re.search(r"^static inline \w+ (usl_avx512_\w+)\(", each, re.MULTILINE))
    }
