"""Texts as Python's syntax trees, without Python's warnings: what is odd in a text is ours to refuse, at its place."""

from __future__ import annotations

import ast
import threading
import warnings
from typing import Any

_lock = threading.Lock()
"""Two threads that silence warnings at once would leave them silent."""


def parse_python(text: str, mode: str = "exec") -> Any:
    """`ast.parse`, which would print `<unknown>:2: SyntaxWarning: invalid decimal literal` beside our message.

    Raises:
        SyntaxError: text is not Python.
    """
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode=mode)
