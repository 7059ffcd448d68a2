"""Spellings of names as the printer chooses them, and the text of a procedure with a location marked in it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from weakref import WeakKeyDictionary

from usl_core.cursors.path import GapLoc, Loc, Path, child, get, paths_of, rebuild
from usl_core.ir import nodes as ir
from usl_core.ir.printer import Printer, written
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binder, get_field, update

_GUTTER, _MARK = "  ", "> "
_OPEN, _CLOSE, _LINE = "\x01", "\x02", "\x03"


_spellings: WeakKeyDictionary[ir.Proc, Mapping[Sym, str]] = WeakKeyDictionary()


class _Naming(Printer):
    """Chooses the spelling of every name as the printer does, without the text; `changed` has those unlike their names."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: dict[Sym, str] = {}

    def bind(self, sym: Sym) -> str:
        spelling = super().bind(sym)
        if spelling != sym.name:
            self.changed[sym] = spelling
        return spelling

    def visit(self, block: ir.Block) -> None:
        for stmt in block:
            match stmt:
                case ir.Alloc(name=name) | ir.WindowStmt(name=name):
                    self.bind(name)
                case ir.For(iter=name, body=body):
                    with self.scope():
                        self.bind(name)
                        self.visit(body)
                case ir.If(body=body, orelse=orelse):
                    with self.scope():
                        self.visit(body)
                    with self.scope():
                        self.visit(orelse)
                case ir.Assign() | ir.Reduce() | ir.AssignConfig() | ir.Pass() | ir.Check() | ir.Call():
                    pass


def spellings(proc: ir.Proc) -> Mapping[Sym, str]:
    """The names of proc that are not printed as they are spelt, and how they are printed."""
    known = _spellings.get(proc)
    if known is None:
        naming = _Naming()
        for arg in proc.args:
            naming.bind(arg.name)
        naming.visit(proc.body)
        known = _spellings[proc] = naming.changed
    return known


_spellings_at: WeakKeyDictionary[ir.Proc, dict[tuple[Path, bool], Mapping[Sym, str]]] = WeakKeyDictionary()
"""By procedure, by the path of a statement and whether the expressions of it are meant."""


def spellings_at(proc: ir.Proc, path: Path) -> Mapping[Sym, str]:
    """`spellings` of what the node at path may mention or bind: found from what is visible there, whatever else is in proc."""
    length = next((n for n in range(len(path), 0, -1) if path[n - 1][0] in ("body", "orelse")), len(path))
    key = path[:length], length < len(path)
    known = _spellings_at.setdefault(proc, {})
    if key not in known:
        known[key] = _spellings_found(proc, path)
    return known[key]


def _spellings_found(proc: ir.Proc, path: Path) -> Mapping[Sym, str]:
    visible = list(_visible(proc, path))
    if len({written(sym) for sym in visible}) == len(visible):  # nothing is in the way of another
        return {sym: written(sym) for sym in visible if keyword.iskeyword(sym.name)}
    naming = _Naming()
    for sym in visible:
        naming.bind(sym)
    return naming.changed


def _visible(proc: ir.Proc, path: Path) -> Iterator[Sym]:
    """The names that are bound at the node at path, in source order, with the one that it binds itself."""
    for arg in proc.args:
        yield arg.name
    node: ir.Node = proc
    for step in path:
        field, index = step
        if field in ("body", "orelse"):
            if isinstance(node, ir.For):
                yield node.iter
            for earlier in get_field(node, field)[:index]:
                if type(earlier) in _BINDS:
                    yield earlier.name
        node = child(node, step)
    if isinstance(node, ir.StmtBase) and (name := binder(node)) is not None:
        yield name


_BINDS = frozenset({ir.Alloc, ir.WindowStmt})


def spelling(proc: ir.Proc, sym: Sym, path: Path | None = None) -> str:
    """How one name of proc is printed; path leads to a node that mentions or binds it."""
    return (spellings(proc) if path is None else spellings_at(proc, path)).get(sym, sym.name)


@lru_cache(maxsize=4096)
def names_printed_as(text: str) -> frozenset[str]:
    """The spellings of names that the printer may show as text: with a suffix for a clash, with `_` after a keyword."""
    unsuffixed = {text, _SUFFIX.sub("", text)}
    return frozenset(unsuffixed | {base[:-1] for base in unsuffixed if base.endswith("_")})


_SUFFIX = re.compile(r"_\d+\Z")


class _MarkingPrinter(Printer):
    """Puts control characters around the nodes to mark: around expressions and formals, and before statements' lines."""

    def __init__(self, marked: Iterable[ir.Node], gap: str | None = None) -> None:
        super().__init__()
        self.marked = set(marked)
        self.gap = gap

    def stmt(self, stmt: ir.Stmt, indent: str = "") -> list[str]:
        lines = super().stmt(stmt, indent)
        return self._mark_lines(lines, indent) if stmt in self.marked else lines

    def _if(self, stmt: ir.If, indent: str, word: str) -> list[str]:
        lines = super()._if(stmt, indent, word)
        return self._mark_lines(lines, indent) if word == "elif" and stmt in self.marked else lines

    def _mark_lines(self, lines: list[str], indent: str) -> list[str]:
        if self.gap is None:
            return [line if line.startswith(_LINE) else _LINE + line for line in lines]
        place = f"{_LINE}{indent}..."
        return [place, *lines] if self.gap == "before" else [*lines, place]

    def expr(self, expr: ir.Expr, determined: bool = True, above: int = 0) -> str:
        text = super().expr(expr, determined, above)
        return f"{_OPEN}{text}{_CLOSE}" if expr in self.marked else text

    def entry(self, entry: ir.Expr | ir.Interval) -> str:
        text = super().entry(entry)
        return f"{_OPEN}{text}{_CLOSE}" if isinstance(entry, ir.Interval) and entry in self.marked else text

    def formal(self, arg: ir.Arg) -> str:
        text = super().formal(arg)
        return f"{_OPEN}{text}{_CLOSE}" if arg in self.marked else text


def show_marked(proc: ir.Proc, loc: Loc) -> str:
    """The text of proc with loc marked: `>` before its lines, a caret line below an expression, `...` for a gap."""
    paths = paths_of(loc)
    # A node object may stand in several places; fresh copies make the marked ones unique.
    copy = rebuild(proc, {path: lambda node: update(node) for path in paths if path})
    marked = [get(copy, path) for path in paths]
    printer = _MarkingPrinter(marked, loc.side if isinstance(loc, GapLoc) else None)
    lines: list[str] = []
    for line in printer.proc(copy).split("\n"):
        lines += _render_line(line)
    return "\n".join(lines)


def _render_line(line: str) -> list[str]:
    gutter = _MARK if line.startswith(_LINE) else _GUTTER
    line = line.lstrip(_LINE)
    if _OPEN not in line:
        return [gutter + line]
    start = line.index(_OPEN)
    end = line.index(_CLOSE) - 1
    plain = line.replace(_OPEN, "").replace(_CLOSE, "")
    return [_MARK + plain, " " * (len(_MARK) + start) + "^" * max(1, end - start)]


def head_line(proc: ir.Proc, node: ir.Node, path: Path | None = None) -> str:
    """The first line of a statement of proc, or the text of an expression, under the procedure's spellings.

    path is where the node is: given that, the rest of the procedure is not looked at.
    """
    printer = _HeadPrinter(spellings(proc) if path is None else spellings_at(proc, path))
    match node:
        case ir.StmtBase():
            return printer.stmt(node)[0]
        case ir.Arg():
            return printer.formal(node)
        case ir.Interval():
            return printer.entry(node)
        case ir.ExprBase():
            return printer.expr(node)
        case ir.Proc(name=name):
            return f"def {name}"


class _HeadPrinter(Printer):
    """Prints under given spellings, at binders too, and leaves out what is inside loops and ifs."""

    def __init__(self, changed: Mapping[Sym, str]) -> None:
        super().__init__()
        self.changed = changed

    def name(self, sym: Sym) -> str:
        return self.changed.get(sym, sym.name)

    def bind(self, sym: Sym) -> str:
        # A fresh binding of a name would be renamed; the spelling it has is the one to show.
        return self.name(sym)

    def block(self, block: Iterable[ir.Stmt], indent: str = "") -> list[str]:
        return []
