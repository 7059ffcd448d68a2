"""Finding code by pattern: what `Procedure` and cursors offer, from a procedure and a text to cursors.

The syntax is in `pattern_syntax`. Matches are counted in source order, after filtering; statements come before the expressions
in them. A bare name stands for loops of that name and, where there are none, for accesses to the variable.
"""

from __future__ import annotations

import re
from typing import Any

from usl_core.cursors.cursor import Owner, make_cursor
from usl_core.cursors.display import head_line
from usl_core.cursors.matching import Matcher
from usl_core.cursors.path import ArgLoc, Loc, NodeLoc, get
from usl_core.cursors.pattern_syntax import AllocPattern, ForPattern, Pattern, compile_pattern
from usl_core.cursors.search import Want, find_locs, match_notes, require_loc, require_locs
from usl_core.deep import deeply
from usl_core.errors import NOWHERE, ParseError, PatternError
from usl_core.ir.nodes import Arg, For
from usl_core.profiling import profiled

_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*(#\s*\d+\s*)?")


@profiled("cursor", "find")
@deeply
def find(owner: Owner, scope: Loc | None, pattern: str, many: bool = False) -> Any:
    """The first match in scope (None: the whole body), or with many the list of all; at least one, or a PatternError."""
    return _found(owner, scope, pattern, many, "any")


def _found(owner: Owner, scope: Loc | None, pattern: str, many: bool, want: Want) -> Any:
    if many:
        return [make_cursor(owner, loc) for loc in require_locs(owner.ir, scope, pattern, want)]
    return make_cursor(owner, require_loc(owner.ir, scope, pattern, want))


def _is_of_loops(pattern: Pattern) -> bool:
    """Whether the pattern, taken for one of statements, matches single loops and nothing else."""
    return bool(pattern.names) or (len(pattern.stmts) == 1 and isinstance(pattern.stmts[0], ForPattern))


@profiled("cursor", "find")
@deeply
def find_all(owner: Owner, scope: Loc | None, pattern: str, want: Want = "any") -> list[Any]:
    """All matches, maybe none."""
    return [make_cursor(owner, loc) for loc in find_locs(owner.ir, scope, pattern, want)]


@profiled("cursor", "find")
@deeply
def find_loop(owner: Owner, pattern: str, many: bool = False, scope: Loc | None = None) -> Any:
    """A loop by name (`i`, `i #2`, `i j` for the i with a j directly inside) or by pattern."""
    if _is_of_loops(compile_pattern(pattern)):
        return _found(owner, scope, pattern, many, "stmt")
    locs = require_locs(owner.ir, scope, pattern, "stmt")
    for loc in locs:
        if not (isinstance(loc, NodeLoc) and isinstance(get(owner.ir, loc.path), For)):
            notes = ["matches:", *match_notes(owner.ir, locs)]
            raise PatternError(f"the pattern {pattern!r} matches other code than loops", span=owner.ir.span, notes=notes)
    return [make_cursor(owner, loc) for loc in locs] if many else make_cursor(owner, locs[0])


def find_stmt(owner: Owner, pattern: str, many: bool = False, scope: Loc | None = None) -> Any:
    """A statement or block; a bare name is a loop's."""
    return _found(owner, scope, pattern, many, "stmt")


def find_expr(owner: Owner, pattern: str, many: bool = False, scope: Loc | None = None) -> Any:
    """An expression; a bare name is a variable's."""
    return _found(owner, scope, pattern, many, "expr")


@profiled("cursor", "find")
@deeply
def find_alloc_or_arg(owner: Owner, pattern: str, scope: Loc | None = None) -> Any:
    """The formal or allocation of a name (`x`, `x #1`, `x: _`); formals are counted first."""
    proc = owner.ir
    alloc = _alloc_pattern(pattern)
    wanted = alloc.stmts[0]
    assert isinstance(wanted, AllocPattern)
    matcher = Matcher(proc)
    formals: list[Loc] = [ArgLoc(index) for index, arg in enumerate(proc.args) if matcher.formal(wanted, arg)]
    without_count = alloc.text if alloc.count is None else alloc.text[: alloc.text.rindex("#")]
    found = formals + find_locs(proc, scope, without_count, "stmt")
    picked = found if alloc.count is None else found[alloc.count :]
    if picked:
        return make_cursor(owner, picked[0])
    if found:
        times = "once" if len(found) == 1 else f"{len(found)} times"
        raise PatternError(
            f"no match #{alloc.count} of {pattern!r} in {proc.name}: it matches {times}, counted from #0",
            span=proc.span,
            notes=["matches:", *match_notes(proc, found)],
        )
    raise PatternError(
        f"{proc.name} has no formal or allocation {wanted.name!r}",
        span=proc.span,
        notes=["there are:", *_binders(owner)],
    )


def _alloc_pattern(pattern: str) -> Pattern:
    match = _NAME.fullmatch(pattern) if isinstance(pattern, str) else None
    compiled = compile_pattern(f"{match.group(1)}: _ {match.group(2) or ''}" if match else pattern)
    if len(compiled.stmts) != 1 or not isinstance(compiled.stmts[0], AllocPattern):
        raise ParseError(f"{pattern!r} does not name a formal or allocation", notes=("hint: write 'x' or 'x: _'",))
    return compiled


def _binders(owner: Owner) -> list[str]:
    nodes = [*owner.ir.args, *(cursor.node for cursor in find_all(owner, None, "_: _", "stmt"))]
    return [f"  {_place(node)}{head_line(owner.ir, node)}" for node in nodes]


def _place(node: Arg) -> str:
    return "" if node.span is NOWHERE else f"{node.span.file}:{node.span.line}: "


__all__ = ["compile_pattern", "find", "find_all", "find_alloc_or_arg", "find_expr", "find_locs", "find_loop", "find_stmt"]
