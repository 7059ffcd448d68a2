"""Operators and built-in operations as primitives, with the tests that make them total."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.errors import PerceusError
from usl_perceus.front import powers
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import INDEX, VALUE, ZERO_DIVISION
from usl_perceus.front.equality import equal, is_scalar
from usl_perceus.front.instances import Instances
from usl_perceus.front.lower_strings import library
from usl_perceus.front.ordering import order
from usl_perceus.front.raising import raising
from usl_perceus.front.texts import shown

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "fdiv", "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr"}
_DIVISION = {"//": "div", "%": "mod"}
BY_ZERO, OUTSIDE, NEGATIVE = "division by zero", "the index is out of range", "the length is negative"
NO_STEP = "the step of a range is zero"
"""What exceptions of operators tell."""

_COMPARISON = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def constant(value: int | float | bool | str | None, type_: ir.Type, span: Span | None = None) -> ir.Atom:
    """A literal of that type.

    Raises:
        PerceusError: it is a string that is no text.
    """
    match value:
        case bool():
            return ir.Nullary(ir.TRUE if value else ir.FALSE)
        case str():
            try:
                return ir.Lit(value.encode("utf-8", "surrogateescape"), ir.STR)
            except UnicodeEncodeError as error:
                lone = value[error.start]
                message = f"a string has no lone surrogates, which UTF-8 cannot express: {lone!r}"
                raise PerceusError(message, span=span, code="E712") from None
        case None:
            return ir.Lit(None, ir.UNIT)
        case _:
            return ir.Lit(float(value) if isinstance(type_, ir.FloatType) else value, type_)


def unary(op: str, operand: ir.Atom, type_: ir.Type, span: Span) -> ir.Expr:
    """`-` or `not`."""
    return ir.Prim("neg" if op == "-" else "not", (operand,), type_, span=span)


def binary(instances: Instances, op: str, left: ir.Atom, right: ir.Atom, type_: ir.Type, block: Block, span: Span) -> ir.Expr:
    """An operator on two values of one type."""
    if op in ("==", "!=") and not is_scalar(left.type, instances):
        same = equal(instances, left, right, span)
        return same if op == "==" else ir.Prim("not", (block.atom(same, ir.BOOL, "test", span),), ir.BOOL, span=span)
    if left.type == ir.STR:
        return _on_strings(instances, op, left, right, block, span)
    if op in _COMPARISON and (not is_scalar(left.type, instances) or instances.own("order", left.type) is not None):
        found = block.atom(order(instances, left, right, span), ir.I64, "order", span)
        return ir.Prim(_COMPARISON[op], (found, ir.Lit(0, ir.I64)), ir.BOOL, span=span)
    if op in _COMPARISON:
        return ir.Prim(_COMPARISON[op], (left, right), ir.BOOL, span=span)
    if op == "**":
        return powers.power(instances, left, right, type_, block, span)
    if op not in _DIVISION:
        return ir.Prim(_ARITHMETIC[op], (left, right), type_, span=span)
    divided = ir.Prim(_DIVISION[op], (left, right), type_, span=span)
    if isinstance(right, ir.Lit):
        return raising(instances, ZERO_DIVISION, type_, span, BY_ZERO) if right.value == 0 else divided
    test = ir.Var("zero", ir.BOOL)
    block.bind(test, ir.Prim("eq", (right, ir.Lit(0, right.type)), ir.BOOL, span=span), span)
    return ir.If(test, raising(instances, ZERO_DIVISION, type_, span, BY_ZERO), divided, span=span)


def _on_strings(instances: Instances, op: str, left: ir.Atom, right: ir.Atom, block: Block, span: Span) -> ir.Expr:
    if op == "+":
        return ir.Prim("str_concat", (left, right), ir.STR, span=span)
    if op == "*":
        return library(instances, "repeated", (left, right), span)
    pair = (right, left) if op in (">", "<=") else (left, right)
    test = ir.Prim("str_lt", pair, ir.BOOL, span=span)
    if op in ("<", ">"):
        return test
    return ir.Prim("not", (block.atom(test, ir.BOOL, "test", span),), ir.BOOL, span=span)


def counted(instances: Instances, args: Sequence[ir.Atom], block: Block, span: Span) -> ir.Expr:
    """A limit, or the number of rounds from a first number to a limit by a step, which raises ValueError for a step of 0.

    Differences are taken without signs, so that they do not overflow: (limit - first - 1) // step + 1 if first < limit.
    """
    if len(args) == 1:
        return ir.Ret(args[0], span=span)
    first, limit, step = args
    zero, one = ir.Lit(0, step.type), ir.Lit(1, ir.U64)

    def rounds(low: ir.Atom, high: ir.Atom, *, back: bool = False) -> ir.Expr:
        own = Block()
        test = own.atom(ir.Prim("lt", (low, high), ir.BOOL, span=span), ir.BOOL, "some", span)
        inner = Block()
        wide = [inner.atom(ir.Prim("cast", (x,), ir.U64, span=span), ir.U64, "wide", span) for x in (low, high, step)]
        size = inner.atom(ir.Prim("neg", (wide[2],), ir.U64, span=span), ir.U64, "size", span) if back else wide[2]
        width = inner.atom(ir.Prim("sub", (wide[1], wide[0]), ir.U64, span=span), ir.U64, "width", span)
        last = inner.atom(ir.Prim("sub", (width, one), ir.U64, span=span), ir.U64, "last", span)
        whole = inner.atom(ir.Prim("div", (last, size), ir.U64, span=span), ir.U64, "whole", span)
        some = inner.wrap(ir.Prim("add", (whole, one), ir.U64, span=span))
        return own.wrap(ir.If(test, some, ir.Ret(ir.Lit(0, ir.U64), span=span), span=span))

    signed = isinstance(step.type, ir.IntType) and step.type.signed
    if isinstance(step, ir.Lit) and isinstance(step.value, int) and step.value > 0:
        return rounds(first, limit)
    up = block.atom(ir.Prim("gt", (step, zero), ir.BOOL, span=span), ir.BOOL, "up", span)
    none = Block()
    still = none.atom(ir.Prim("eq", (step, zero), ir.BOOL, span=span), ir.BOOL, "still", span)
    down = rounds(limit, first, back=True) if signed else ir.Ret(ir.Lit(0, ir.U64), span=span)
    not_up = none.wrap(ir.If(still, raising(instances, VALUE, ir.U64, span, NO_STEP), down, span=span))
    return ir.If(up, rounds(first, limit), not_up, span=span)


def magnitude(value: ir.Atom, block: Block, span: Span) -> ir.Expr:
    """`abs(value)`; the least integer has none, and stays as it is."""
    if isinstance(value.type, ir.FloatType):
        return ir.Prim("abs", (value,), value.type, span=span)
    negative = block.atom(ir.Prim("lt", (value, ir.Lit(0, value.type)), ir.BOOL, span=span), ir.BOOL, "negative", span)
    return ir.If(negative, ir.Prim("neg", (value,), value.type, span=span), ir.Ret(value, span=span), span=span)


def extreme(instances: Instances, op: str, values: Sequence[ir.Atom], block: Block, span: Span) -> ir.Expr:
    """`min` or `max` (op is `<` or `>`): the first of the values that no later one is beyond, as in Python."""
    best, *others = values
    found: ir.Expr = ir.Ret(best, span=span)
    for value in others:
        best = block.atom(found, value.type, "best", span)
        beyond = block.atom(binary(instances, op, value, best, ir.BOOL, block, span), ir.BOOL, "test", span)
        found = ir.If(beyond, ir.Ret(value, span=span), ir.Ret(best, span=span), span=span)
    return found


def print_line(instances: Instances, values: Sequence[ir.Atom], block: Block, span: Span) -> ir.Expr:
    """Print values with spaces between them and a line end."""
    line: ir.Atom | None = None
    for value in values:
        text = block.atom(shown(instances, value, span), ir.STR, "text", span)
        if line is None:
            line = text
        else:
            spaced = _concatenated(line, ir.Lit(b" ", ir.STR), block, span)
            line = _concatenated(spaced, text, block, span)
    whole = ir.Lit(b"\n", ir.STR) if line is None else _concatenated(line, ir.Lit(b"\n", ir.STR), block, span)
    return ir.Prim("print", (whole,), ir.UNIT, span=span)


def _concatenated(left: ir.Atom, right: ir.Atom, block: Block, span: Span) -> ir.Atom:
    return block.atom(ir.Prim("str_concat", (left, right), ir.STR, span=span), ir.STR, "line", span)


# -- arrays


def make_array(instances: Instances, count: ir.Atom, value: ir.Atom, type_: ir.Type, block: Block, span: Span) -> ir.Expr:
    """`array(count, value)`, which raises IndexError where count is negative."""
    return _counted(instances, count, ir.Prim("array_make", (count, value), type_, span=span), block)


def blank_array(instances: Instances, count: ir.Atom, type_: ir.Type, block: Block, span: Span) -> ir.Expr:
    """The same without values, for a kernel that writes them all."""
    return _counted(instances, count, ir.Prim("array_blank", (count,), type_, span=span), block)


def _counted(instances: Instances, count: ir.Atom, made: ir.Prim, block: Block) -> ir.Expr:
    type_, span = made.type, made.span
    if isinstance(count, ir.Lit):
        assert isinstance(count.value, int)
        return made if count.value >= 0 else raising(instances, INDEX, type_, span, NEGATIVE)
    test = ir.Var("negative", ir.BOOL)
    block.bind(test, ir.Prim("lt", (count, ir.Lit(0, ir.I64)), ir.BOOL, span=span), span)
    return ir.If(test, raising(instances, INDEX, type_, span, NEGATIVE), made, span=span)


def array_literal(items: Sequence[ir.Atom], type_: ir.Type, block: Block, span: Span) -> ir.Expr:
    """`[a, b]`: an array of a's, with the others put in; it is unique. `[]` is static."""
    if not items:
        return ir.Prim("array_empty", (), type_, span=span)
    made: ir.Expr = ir.Prim("array_make", (ir.Lit(len(items), ir.I64), items[0]), type_, span=span)
    for position, item in enumerate(items[1:], start=1):
        array = block.atom(made, type_, "array", span)
        made = ir.Prim("array_set", (array, ir.Lit(position, ir.I64), item), type_, span=span)
    return made


def element(instances: Instances, array: ir.Atom, index: ir.Atom, type_: ir.Type, block: Block, span: Span) -> ir.Expr:
    """`a[i]`, tested."""
    test = in_range(array, index, block, span)
    found = ir.Prim("array_get", (array, index), type_, span=span)
    return ir.If(test, found, raising(instances, INDEX, type_, span, OUTSIDE), span=span)


def in_range(array: ir.Atom, index: ir.Atom, block: Block, span: Span) -> ir.Atom:
    """Whether 0 <= index < length, in one comparison: negative numbers are large ones without a sign."""
    length = block.atom(ir.Prim("array_len", (array,), ir.I64, span=span), ir.I64, "length", span)
    unsigned = block.atom(ir.Prim("cast", (index,), ir.U64, span=span), ir.U64, "index", span)
    limit = block.atom(ir.Prim("cast", (length,), ir.U64, span=span), ir.U64, "limit", span)
    return block.atom(ir.Prim("lt", (unsigned, limit), ir.BOOL, span=span), ir.BOOL, "inside", span)
