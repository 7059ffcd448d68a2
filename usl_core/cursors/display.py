"""Spellings of names as the printer chooses them, and the text of a procedure with a location marked in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, Loc, NodeLoc, Path, anchor_path, get, rebuild, stmt_path
from usl_core.ir.nodes import Arg, Expr, If, Interval, Node, Proc, Stmt
from usl_core.ir.printer import INDENT, Printer
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update

_GUTTER, _MARK = "  ", "> "
_OPEN, _CLOSE, _LINE = "\x01", "\x02", "\x03"


class _NamingPrinter(Printer):
    """Remembers the spelling of every name, also those whose scope has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.spellings: dict[Sym, str] = {}

    def bind(self, sym: Sym) -> str:
        spelling = self.spellings[sym] = super().bind(sym)
        return spelling


_spellings: WeakKeyDictionary[Proc, Mapping[Sym, str]] = WeakKeyDictionary()


def spellings(proc: Proc) -> Mapping[Sym, str]:
    """How each name of proc is printed."""
    known = _spellings.get(proc)
    if known is None:
        printer = _NamingPrinter()
        printer.proc(proc)
        known = _spellings[proc] = printer.spellings
    return known


def spelling(proc: Proc, sym: Sym) -> str:
    """How one name of proc is printed."""
    return spellings(proc).get(sym, sym.name)


class _MarkingPrinter(Printer):
    """Puts control characters around the nodes to mark: around expressions and formals, and before statements' lines."""

    def __init__(self, marked: Iterable[Node], gap: str | None = None) -> None:
        super().__init__()
        self.marked = set(marked)
        self.gap = gap

    def stmt(self, stmt: Stmt, indent: str = "") -> list[str]:
        lines = super().stmt(stmt, indent)
        return self._mark_lines(lines, indent) if stmt in self.marked else lines

    def _if(self, stmt: If, indent: str, word: str) -> list[str]:
        lines = super()._if(stmt, indent, word)
        return self._mark_lines(lines, indent) if word == "elif" and stmt in self.marked else lines

    def _mark_lines(self, lines: list[str], indent: str) -> list[str]:
        if self.gap is None:
            return [line if line.startswith(_LINE) else _LINE + line for line in lines]
        place = f"{_LINE}{indent}..."
        return [place, *lines] if self.gap == "before" else [*lines, place]

    def expr(self, expr: Expr, determined: bool = True, above: int = 0) -> str:
        text = super().expr(expr, determined, above)
        return f"{_OPEN}{text}{_CLOSE}" if expr in self.marked else text

    def entry(self, entry: Expr | Interval) -> str:
        text = super().entry(entry)
        return f"{_OPEN}{text}{_CLOSE}" if isinstance(entry, Interval) and entry in self.marked else text

    def formal(self, arg: Arg) -> str:
        text = super().formal(arg)
        return f"{_OPEN}{text}{_CLOSE}" if arg in self.marked else text


def show_marked(proc: Proc, loc: Loc) -> str:
    """The text of proc with loc marked: `>` before its lines, a caret line below an expression, `...` for a gap."""
    paths = _marked_paths(loc)
    # A node object may stand in several places; fresh copies make the marked ones unique.
    copy = rebuild(proc, {path: lambda node: update(node) for path in paths if path})
    marked = [get(copy, path) for path in paths]
    printer = _MarkingPrinter(marked, loc.side if isinstance(loc, GapLoc) else None)
    lines: list[str] = []
    for line in printer.proc(copy).split("\n"):
        lines += _render_line(line)
    return "\n".join(lines)


def _marked_paths(loc: Loc) -> list[Path]:
    match loc:
        case NodeLoc(path):
            return [path]
        case BlockLoc(lo=lo, hi=hi):
            return [stmt_path(loc, offset) for offset in range(hi - lo)]
        case GapLoc():
            return [anchor_path(loc)]
        case ArgLoc(index):
            return [(("args", index),)]
        case Dead():
            return []


def _render_line(line: str) -> list[str]:
    gutter = _MARK if line.startswith(_LINE) else _GUTTER
    line = line.lstrip(_LINE)
    if _OPEN not in line:
        return [gutter + line]
    start = line.index(_OPEN)
    end = line.index(_CLOSE) - 1
    plain = line.replace(_OPEN, "").replace(_CLOSE, "")
    return [_MARK + plain, " " * (len(_MARK) + start) + "^" * max(1, end - start)]


def head_line(proc: Proc, node: Node) -> str:
    """The first line of a statement of proc, or the text of an expression, under the procedure's spellings."""
    printer = Printer(spellings(proc))
    match node:
        case Stmt():
            # A fresh binding of a name would be renamed; the spelling it has is the one to show.
            return _HeadPrinter(spellings(proc)).stmt(node)[0]
        case Arg():
            return _HeadPrinter(spellings(proc)).formal(node)
        case Interval():
            return printer.entry(node)
        case Expr():
            return printer.expr(node)
        case Proc(name=name):
            return f"def {name}"
        case _:
            return f"{INDENT}{node}"


class _HeadPrinter(Printer):
    """Prints under given spellings, at binders too, and leaves out what is inside loops and ifs."""

    def bind(self, sym: Sym) -> str:
        return self.names.get(sym) or super().bind(sym)

    def block(self, block: Iterable[Stmt], indent: str = "") -> list[str]:
        return []
