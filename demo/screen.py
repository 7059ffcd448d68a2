"""How the demonstration looks: headings, listings, tables and progress on a terminal, plain text elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.syntax import Syntax
from rich.table import Table


class Screen:
    """The console, and whether listings are cut short."""

    def __init__(self, *, quick: bool) -> None:
        self.console = Console(highlight=False, soft_wrap=True)
        self.quick = quick

    def heading(self, text: str) -> None:
        self.console.print()
        self.console.rule(f"[bold]{text}[/bold]", align="left")

    def say(self, text: str) -> None:
        self.console.print(text)

    def problem(self, text: str) -> None:
        self.console.print(text, style="red", markup=False)

    def listing(self, title: str, text: str, language: str, limit: int = 80) -> None:
        """A piece of code; long ones are cut in the middle, and the cut says how many lines it hides."""
        self.console.print(f"\n[bold]{title}[/bold]")
        shown = clip(text.strip("\n").splitlines(), 24 if self.quick else limit)
        if self.console.is_terminal:
            self.console.print(Syntax("\n".join(shown), language, background_color="default"))
        else:
            self.console.print("\n".join(shown), markup=False)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table whose first column is text and whose others are numbers."""
        table = Table()
        for number, column in enumerate(columns):
            table.add_column(column, justify="left" if number == 0 else "right")
        for row in rows:
            table.add_row(*row)
        self.console.print(table)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Shows that something is going on, and how long it took."""
        begin = time.perf_counter()
        with self.console.status(what):
            yield
        self.console.print(f"{what}: [green]done[/green] in {time.perf_counter() - begin:.2f} s")

    @contextmanager
    def rounds(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        """A progress bar; the function yielded is told how many rounds are done."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.console) as progress:
            task = progress.add_task(what, total=total)
            yield lambda done: progress.update(task, completed=done)


def clip(lines: Sequence[str], limit: int) -> list[str]:
    """At most about limit lines: the first two thirds and the end, with a note between."""
    if len(lines) <= limit:
        return list(lines)
    head, tail = limit * 2 // 3, limit - limit * 2 // 3 - 1
    return [*lines[:head], f"    ... {len(lines) - head - tail} more lines ...", *lines[len(lines) - tail :]]


def function_text(code: str, name: str) -> str:
    """The definition of one C function, or empty text if code has none that is laid out as the C11 backend does."""
    lines = code.splitlines()
    starts = [at for at, line in enumerate(lines) if f" {name}(" in f" {line}" and not line.startswith((" ", "\t", "/"))]
    for start in starts:
        ends = [at for at in range(start, len(lines)) if lines[at] == "}"]
        if ends:
            return "\n".join(lines[start : ends[0] + 1])
    return ""
