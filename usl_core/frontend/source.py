"""Source text with positions: from Python's syntax tree to spans with absolute lines and columns."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from usl_core.errors import ParseError, Span
from usl_core.python_syntax import parse_python


class Source:
    """Text of a file from line `first` on; `shift` lines were put before it to make it parse.

    Spans count characters from 1, where Python's syntax tree counts bytes from 0.
    """

    def __init__(self, file: str, lines: Sequence[str], first: int = 1, shift: int = 0) -> None:
        self.file = file
        self.lines = lines
        self.first = first
        self.shift = shift

    def span(self, node: ast.AST) -> Span:
        """Where a node of Python's tree stands in the file."""
        line, end = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]  # every node we ask has a place
        column, end_column = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        position = line - self.shift - 1
        if end == line and 0 <= position < len(self.lines) and (text := self.lines[position]).isascii():  # as nearly all are
            line, width = position + self.first, len(text)
            return Span(self.file, line, min(column, width) + 1, line, min(end_column, width) + 1)
        return self.place(line, column, end, end_column)

    def place(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """A place of the parsed text as one in the file: lines and columns from 1."""
        offset = self.first - 1 - self.shift
        start = self._characters(line, column)
        end = self._characters(end_line, end_column)
        return Span(self.file, line + offset, start, end_line + offset, end)

    def _characters(self, line: int, column: int) -> int:
        position = line - self.shift - 1
        text = self.lines[position] if 0 <= position < len(self.lines) else ""
        if text.isascii():
            return min(column, len(text)) + 1
        return len(text.encode()[:column].decode(errors="replace")) + 1

    def head(self, node: ast.AST) -> Span:
        """The first line of a compound statement, without its body."""
        whole = self.span(node)
        text = self.lines[whole.line - self.first].split("#")[0].rstrip()
        return Span(self.file, whole.line, whole.column, whole.line, max(len(text) + 1, whole.column + 1))

    def text(self, node: ast.expr) -> str:
        """The characters of an expression that stands on one line."""
        span = self.span(node)
        return self.lines[span.line - self.first][span.column - 1 : span.end_column - 1]


MOST_TEXTS = 10_000
"""Texts whose lines are kept for messages; the oldest go."""

_registered: dict[str, None] = {}
"""The names of texts in angle brackets; Python calls the code of `exec` `<string>` too, but its text is not there."""


def name_of(text: str) -> str:
    """A file name for a text that has none: another for each text, so that no message shows a line of another one."""
    return f"<string {sha256(text.encode(errors='replace')).hexdigest()[:12]}>"


def register(text: str, file: str) -> None:
    """Let messages show the lines of a text that is not in a file (its name is in angle brackets)."""
    if file.startswith("<"):
        _registered[file] = None
        if len(_registered) > MOST_TEXTS:
            oldest = next(iter(_registered))
            del _registered[oldest]
            linecache.cache.pop(oldest, None)
        linecache.cache[file] = (len(text), None, [line + "\n" for line in text.splitlines()], file)


def parse_text(text: str, file: str, mode: str = "exec") -> tuple[Source, Any]:
    """The syntax tree of a text, with its Source.

    Raises:
        ParseError: it is not Python syntax.
    """
    register(text, file)
    source = Source(file, text.splitlines())
    return source, _parse(text, source, mode)


def parse_definition(thing: Callable[..., Any] | type) -> tuple[Source, Any]:
    """The syntax tree of the `def` or `class` statement that made thing, read from its file.

    Raises:
        ParseError: the text cannot be found.
    """
    try:
        file = inspect.getsourcefile(thing) or inspect.getfile(thing)
        if file in _registered:
            raise OSError
        lines, first = inspect.getsourcelines(thing)
    except (OSError, TypeError):
        name = getattr(thing, "__name__", repr(thing))
        raise ParseError(
            f"the source text of {name} is not available",
            notes=("hint: define it in a file, or give its text to proc_from_source",),
        ) from None
    text = "".join(lines)
    shift = int(lines[0][:1].isspace())
    source = Source(file, [line.rstrip("\r\n") for line in lines], max(first, 1), shift)
    # An indented definition is wrapped rather than dedented, so that columns stay those of the file.
    tree = _parse("if 1:\n" + text if shift else text, source, "exec")
    return source, tree.body[0].body[0] if shift else tree.body[0]


def python_tree(text: str, mode: str = "exec") -> Any:
    """`ast.parse`, also of text that is indented more than the 100 times that Python's tokenizer allows.

    The block at that depth is parsed by itself, under an `if` on the line before it, and put where a `pass` took its place.
    """
    try:
        return parse_python(text, mode)
    except IndentationError as error:
        if "too many levels" not in error.msg:
            raise
        lines = re.split(r"\r\n?|\n", text)
        first, last = _block_around(lines, error.lineno or 1)
    indent = lines[first][: _width(lines[first])]
    inner = "\n" * (first - 1) + "\n".join(["if 1:", *lines[first:last]])
    tree = python_tree("\n".join([*lines[:first], indent + "pass", *[""] * (last - first - 1), *lines[last:]]))
    for node in ast.walk(tree):
        for block in (getattr(node, field, None) for field in ("body", "orelse")):
            match block:
                case [ast.Pass(lineno=line)] if line == first + 1:
                    block[:] = python_tree(inner).body[0].body
                    return tree
    raise AssertionError("the `pass` is in the tree")


def _block_around(lines: Sequence[str], number: int) -> tuple[int, int]:
    """The block, from line to line, of the statement whose body starts at a line, counted from 1."""

    def inside(line: int) -> bool:
        return not lines[line].strip() or _width(lines[line]) >= width

    head = first = next(line for line in reversed(range(number - 1)) if 0 < _width(lines[line]) < _width(lines[number - 1]))
    width, last = _width(lines[head]), head + 1
    while inside(first - 1):
        first -= 1
    while last < len(lines) and inside(last):
        last += 1
    return next(line for line in range(first, head + 1) if lines[line].strip()), last


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _parse(text: str, source: Source, mode: str) -> Any:
    try:
        return python_tree(text, mode)
    except SyntaxError as error:
        line = error.lineno or 1
        position = min(line - source.shift, len(source.lines)) - 1
        column = error.offset or len(source.lines[position] if source.lines else "") + 1  # no offset: at the end
        end_line, end_column = error.end_lineno or line, error.end_offset or column
        base = source.first - 1 - source.shift
        span = Span(source.file, line + base, column, end_line + base, max(end_column, column + 1))
        raise ParseError(f"not Python syntax: {error.msg}", span=span) from None
    except (ValueError, MemoryError) as error:
        reason = str(error) or "it is nested too deeply for Python's parser; builders may nest more"
        raise ParseError(f"cannot be parsed: {reason}", span=Span(source.file, source.first, 1, source.first, 2)) from None
