"""Running the examples of a documentation page, as a reader would: top to bottom, in one namespace and one session.

A fenced block of language `python` is an example. A fenced block of language `text` right after it is what it prints; if the
example ends in an error, the error's text is part of that, without Python's traceback. An example without a `text` block may
print anything but must not fail. `<!-- not run -->` on the line above a fence keeps the block from being run.

`python -m tests.docs.examples docs/*.md` writes the outputs into the pages.
"""

from __future__ import annotations
import __future__

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from usl_core import UslError

NOT_RUN = "<!-- not run -->"
FILE = "example.py"
"""The name of the file that an example stands in, as its messages show it; lines count from the start of the block."""

_FENCE = re.compile(r"^```(\w*)\s*$")


@dataclass(frozen=True, slots=True)
class Example:
    """A `python` block. expected is the text of the `text` block after it, lines of the page from first to end; or None."""

    line: int
    source: str
    expected: str | None = None
    first: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an example printed, and the error that it ended in."""

    printed: str
    error: UslError | None


@dataclass(frozen=True, slots=True)
class _Fence:
    """A fenced block: its language, and the lines of the page between the fences, from first to end."""

    language: str
    first: int
    end: int
    run: bool


def examples(page: str) -> list[Example]:
    """The examples of a page that are to be run, in order."""
    lines = page.splitlines()
    fences = list(_fences(lines))
    found: list[Example] = []
    for position, fence in enumerate(fences):
        if fence.language != "python" or not fence.run:
            continue
        source = _text(lines, fence)
        after = fences[position + 1] if position + 1 < len(fences) else None
        if after is not None and after.language == "text" and not "".join(lines[fence.end + 1 : after.first - 1]).strip():
            found.append(Example(fence.first + 1, source, _text(lines, after), after.first, after.end))
        else:
            found.append(Example(fence.first + 1, source))
    return found


def _text(lines: list[str], fence: _Fence) -> str:
    return "".join(line + "\n" for line in lines[fence.first : fence.end])


def _fences(lines: list[str]) -> Iterator[_Fence]:
    start, language = None, ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        if start is None:
            start, language = number, match[1]
        else:
            yield _Fence(language, start + 1, number, lines[start - 1].strip() != NOT_RUN if start else True)
            start = None
    if start is not None:
        raise ValueError(f"line {start + 1}: the block is not closed")


def session(page: str) -> dict[str, Any]:
    """What the examples of a page leave behind, by name."""
    namespace: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in run(page, Path(folder), namespace):
            pass
    return namespace


def run(page: str, folder: Path, namespace: dict[str, Any] | None = None) -> Iterator[tuple[Example, Outcome]]:
    """Runs the examples of a page one after another; each stands in a file of its own below folder."""
    namespace = {} if namespace is None else namespace
    namespace["__name__"] = "example"
    future = 0
    for number, example in enumerate(examples(page)):
        place = folder / str(number)
        place.mkdir()
        file = place / FILE
        file.write_text(example.source, encoding="utf-8")
        code = compile(example.source, str(file), "exec", future, dont_inherit=True)
        future |= code.co_flags & __future__.annotations.compiler_flag  # holds to the end of the page, as in a session
        yield example, _outcome(code, folder, place, namespace)


def _outcome(code: CodeType, folder: Path, place: Path, namespace: dict[str, Any]) -> Outcome:
    out, error = io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.chdir(place):
        try:
            exec(code, namespace)
        except UslError as raised:
            error = raised
            print(raised)
    printed = "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())
    return Outcome(re.sub(rf"{re.escape(str(folder) + os.sep)}\d+{re.escape(os.sep)}", "", printed), error)


def with_outputs(page: str, printed: Mapping[int, str]) -> str:
    """The page with the text of each output block replaced; printed maps the block's first line to its text."""
    lines = page.splitlines()
    for example in reversed(examples(page)):
        if example.first in printed:
            lines[example.first : example.end] = printed[example.first].splitlines()
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> int:
    for name in names:
        path = Path(name)
        page = path.read_text(encoding="utf-8")
        printed: dict[int, str] = {}
        with tempfile.TemporaryDirectory() as folder:
            for example, outcome in run(page, Path(folder)):
                if example.expected is not None:
                    printed[example.first] = outcome.printed
                elif outcome.error is not None:
                    print(f"{name}:{example.line}: {outcome.error}", file=sys.stderr)
        path.write_text(with_outputs(page, printed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
