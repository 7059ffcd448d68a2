"""The syntax of patterns: Python's, with `_` for anything, compiled once per text.

    for i in _: _      for i in seq(0, 8): _      if _: _      x: _      x: f32[_] @ DRAM      x = _      x[_] = _      x += _
    x *= _             x @= max(_)                x @= _, a reduction by any operation
    f(_)               Cfg.field = _              check(_)     pass      s1 ; s2              A[_] * _    A[_:_, 0]   _
    i                  i j                        any of these followed by ` #2`, the third match

A sole `_` in brackets stands for one or more indices, in parentheses for any arguments, as a body for any statements; a name
without brackets for accesses with any indices or none. `;` separates the statements of a block: `for i in _: _ ; x = _` is a
loop and an assignment after it. A body of several statements goes on lines of its own.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from textwrap import dedent
from typing import NoReturn

from usl_core.errors import ParseError, PatternError
from usl_core.python_syntax import parse_python
from usl_core.records import dataclass

ANY = "_"


@dataclass(frozen=True, slots=True, eq=False)
class AnyPattern:
    """`_`: one statement, or one expression."""


# ---- expressions


@dataclass(frozen=True, slots=True, eq=False)
class AccessPattern:
    """`name`, `name[idx]`: a read or window. idx None: with any indices or none; a sole `_`: with any indices."""

    name: str
    idx: tuple[EntryPattern, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class SlicePattern:
    """`lo:hi` in the indices of a window."""

    lo: ExprPattern
    hi: ExprPattern


@dataclass(frozen=True, slots=True, eq=False)
class LiteralPattern:
    """A number or truth value."""

    value: bool | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class MinusPattern:
    """`-arg`."""

    arg: ExprPattern


@dataclass(frozen=True, slots=True, eq=False)
class BinaryPattern:
    """`lhs op rhs`."""

    op: str
    lhs: ExprPattern
    rhs: ExprPattern


@dataclass(frozen=True, slots=True, eq=False)
class CallPattern:
    """`name(args)`: of a procedure, an extern, a cast, or `stride`. args None: any arguments."""

    name: str
    args: tuple[ExprPattern, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class FieldPattern:
    """`config.field`."""

    config: str
    field: str


ExprPattern = AnyPattern | AccessPattern | LiteralPattern | MinusPattern | BinaryPattern | CallPattern | FieldPattern
EntryPattern = ExprPattern | SlicePattern


# ---- statements


@dataclass(frozen=True, slots=True, eq=False)
class ForPattern:
    """bounds None: any range of either mode; mode `_`: either mode."""

    name: str
    mode: str
    bounds: tuple[ExprPattern, ExprPattern] | None
    body: tuple[StmtPattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class IfPattern:
    """orelse None: with or without `else`."""

    cond: ExprPattern
    body: tuple[StmtPattern, ...]
    orelse: tuple[StmtPattern, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class AllocPattern:
    """scalar, mem `_`: any; shape None: any, a sole `_`: any of a tensor."""

    name: str
    scalar: str
    shape: tuple[ExprPattern, ...] | None
    mem: str


@dataclass(frozen=True, slots=True, eq=False)
class WritePattern:
    """`target = rhs` (an assignment or the making of a window, op "") or `target op= rhs`; op `_`: any operation."""

    target: AccessPattern
    op: str
    rhs: ExprPattern


@dataclass(frozen=True, slots=True, eq=False)
class ConfigWritePattern:
    """`Cfg.field = rhs`."""

    target: FieldPattern
    rhs: ExprPattern


@dataclass(frozen=True, slots=True, eq=False)
class PassPattern:
    """`pass`."""


StmtPattern = AnyPattern | ForPattern | IfPattern | AllocPattern | WritePattern | ConfigWritePattern | CallPattern | PassPattern


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A compiled pattern: one or more readings of the text, of which those that fit what is wanted are tried.

    names: of directly nested loops, outermost first. stmts: consecutive statements. expr: an expression. count: which match.
    """

    text: str
    names: tuple[str, ...] = ()
    stmts: tuple[StmtPattern, ...] = ()
    expr: ExprPattern | None = None
    count: int | None = None


_COUNT = re.compile(r"#\s*(\d+)\s*$")
_NAMES = re.compile(r"[A-Za-z_]\w*(\s+[A-Za-z_]\w*)*")


MOST = 1 << 40
"""No procedure has so many matches."""


def compile_pattern(text: str) -> Pattern:
    """The pattern that a text stands for. Raises ParseError if it stands for none."""
    if not isinstance(text, str):
        raise PatternError(f"a pattern is a text, got {text!r}", code="E404")
    return _compiled(text)


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Pattern:
    source, count = text, None
    match = _COUNT.search(text)
    if match is not None:
        source, count = text[: match.start()], min(int(match.group(1)), MOST)
    source = dedent(source).strip()
    words = source.split()
    if source != ANY and _NAMES.fullmatch(source) and not any(keyword.iskeyword(word) for word in words):
        expr = AccessPattern(source, None) if len(words) == 1 else None
        return Pattern(text, names=tuple(words), expr=expr, count=count)
    try:
        pieces = [source] if "\n" in source else _split_block(source)
        nodes = [node for piece in pieces for node in parse_python(piece.strip()).body]
    except SyntaxError as error:
        raise _not_a_pattern(text, error.msg) from None
    try:
        return _of_nodes(text, nodes, count)
    except _UnknownForm as error:
        raise _not_a_pattern(text, str(error)) from None


def _of_nodes(text: str, nodes: Sequence[ast.stmt], count: int | None) -> Pattern:
    if not nodes:
        raise _UnknownForm("it is empty")
    first = nodes[0]
    if len(nodes) == 1 and isinstance(first, ast.Expr):
        expr = _expr(first.value)
        as_stmt = (expr,) if isinstance(expr, AnyPattern | CallPattern) else ()
        return Pattern(text, stmts=as_stmt, expr=expr, count=count)
    return Pattern(text, stmts=_block(nodes), count=count)


def _split_block(source: str) -> list[str]:
    """The parts between `;`. Python would take what follows a one-line loop for its body."""
    return [part for part in source.split(";") if part.strip()]


class _UnknownForm(Exception):
    """A part of the text is Python but no pattern."""


def _not_a_pattern(text: str, reason: str) -> ParseError:
    hint = "hint: patterns look like code with `_` for anything: 'for i in _: _', 'x[_] += _', 'A[_] * _', 'i j', 'x: _'"
    return ParseError(f"{text!r} is not a pattern: {reason}", notes=(hint,))


def _refuse(node: ast.AST) -> NoReturn:
    raise _UnknownForm(f"`{ast.unparse(node).splitlines()[0]}` is no statement or expression of the object language")


def _block(nodes: Sequence[ast.stmt]) -> tuple[StmtPattern, ...]:
    return tuple([_stmt(node) for node in nodes])


def _stmt(node: ast.stmt) -> StmtPattern:
    match node:
        case ast.For(target=ast.Name(id=name), iter=iter_, body=body, orelse=[]):
            mode, bounds = _range(iter_)
            return ForPattern(name, mode, bounds, _block(body))
        case ast.If(test=test, body=body, orelse=orelse):
            return IfPattern(_expr(test), _block(body), _block(orelse) if orelse else None)
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
            return _alloc(name, annotation)
        case ast.Assign(targets=[ast.Attribute() as target], value=value):
            return ConfigWritePattern(_field(target), _expr(value))
        case ast.Assign(targets=[target], value=value):
            return WritePattern(_target(target), "", _expr(value))
        case ast.AugAssign(
            target=target, op=ast.Add() | ast.Mult() | ast.BitAnd() | ast.BitOr() | ast.BitXor() as op, value=value
        ):
            return WritePattern(_target(target), _BINARY[type(op)], _expr(value))
        case ast.AugAssign(target=target, op=ast.MatMult(), value=ast.Name(id="_")):
            return WritePattern(_target(target), ANY, AnyPattern())
        case ast.AugAssign(target=target, op=ast.MatMult(), value=ast.Call(func=ast.Name(id=name), args=[value], keywords=[])):
            return WritePattern(_target(target), name, _expr(value))
        case ast.Expr(value=value):
            expr = _expr(value)
            if isinstance(expr, AnyPattern | CallPattern):
                return expr
            _refuse(node)
        case ast.Pass():
            return PassPattern()
        case _:
            _refuse(node)


def _range(node: ast.expr) -> tuple[str, tuple[ExprPattern, ExprPattern] | None]:
    match node:
        case ast.Name(id="_"):
            return ANY, None
        case ast.Call(func=ast.Name(id=("seq" | "par" | "_") as mode), args=[ast.Name(id="_")], keywords=[]):
            return mode, None
        case ast.Call(func=ast.Name(id=("seq" | "par" | "_") as mode), args=[lo, hi], keywords=[]):
            return mode, (_expr(lo), _expr(hi))
        case _:
            raise _UnknownForm(f"`{ast.unparse(node)}` is no range; write `_`, `seq(lo, hi)` or `par(lo, hi)`")


def _alloc(name: str, annotation: ast.expr) -> AllocPattern:
    mem = ANY
    match annotation:
        case ast.BinOp(left=left, op=ast.MatMult(), right=ast.Name(id=mem)):
            annotation = left
        case _:
            pass
    match annotation:
        case ast.Name(id=scalar):
            return AllocPattern(name, scalar, None if scalar == ANY else (), mem)
        case ast.Subscript(value=ast.Name(id=scalar), slice=shape):
            entries = _entries(shape)
            if any(isinstance(entry, SlicePattern) for entry in entries):
                _refuse(annotation)
            return AllocPattern(name, scalar, entries, mem)  # type: ignore[arg-type]  # no slices, as just checked
        case _:
            _refuse(annotation)


def _target(node: ast.expr) -> AccessPattern:
    match node:
        case ast.Name(id=name):
            return AccessPattern(name, None)
        case ast.Subscript(value=ast.Name(id=name), slice=idx):
            return AccessPattern(name, _entries(idx))
        case _:
            _refuse(node)


def _field(node: ast.Attribute) -> FieldPattern:
    if not isinstance(node.value, ast.Name):
        _refuse(node)
    return FieldPattern(node.value.id, node.attr)


def _entries(node: ast.expr) -> tuple[EntryPattern, ...]:
    return tuple([_entry(entry) for entry in (node.elts if isinstance(node, ast.Tuple) else [node])])


def _entry(node: ast.expr) -> EntryPattern:
    if isinstance(node, ast.Slice):
        lo, hi = node.lower, node.upper
        return SlicePattern(AnyPattern() if lo is None else _expr(lo), AnyPattern() if hi is None else _expr(hi))
    return _expr(node)


_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "and",
    ast.Or: "or",
}


def _expr(node: ast.expr) -> ExprPattern:
    match node:
        case ast.Name(id="_"):
            return AnyPattern()
        case ast.Name() | ast.Subscript():
            return _target(node)
        case ast.Constant(value=value):
            return LiteralPattern(_value(node, value))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return LiteralPattern(Fraction(-1) * _value(node, value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return MinusPattern(_expr(operand))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _expr(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return BinaryPattern(_BINARY[type(op)], _expr(left), _expr(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _BINARY:
            return BinaryPattern(_BINARY[type(op)], _expr(left), _expr(right))
        case ast.BoolOp(op=op, values=values):
            result = _expr(values[0])
            for operand in values[1:]:
                result = BinaryPattern(_BINARY[type(op)], result, _expr(operand))
            return result
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id="_")], keywords=[]):
            return CallPattern(name, None)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return CallPattern(name, tuple([_expr(arg) for arg in args]))
        case ast.Attribute():
            return _field(node)
        case _:
            _refuse(node)


def _value(node: ast.expr, value: object) -> bool | Fraction:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if not isfinite(value):
            raise _UnknownForm(f"the number {ast.unparse(node)} is too large")
        return Fraction(repr(value))  # the number as written, not the binary fraction next to it
    _refuse(node)
