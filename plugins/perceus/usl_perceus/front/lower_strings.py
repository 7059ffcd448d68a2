"""Operations on strings as primitives and calls of the library."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import INDEX, VALUE
from usl_perceus.front.formats import FLOAT_KINDS, Format
from usl_perceus.front.instances import Instances
from usl_perceus.front.library import strings
from usl_perceus.front.raising import raising
from usl_perceus.front.resolve import signature
from usl_perceus.front.texts import shown

OUTSIDE, NO_CHARACTER, NO_CODE = "the index is out of range", "ord takes one character", "no character has this number"
NO_INTEGER, NO_FLOAT, NO_SEPARATOR = "the text is no integer of 64 bits", "the text is no number", "the separator is empty"


def library(instances: Instances, name: str, args: Sequence[ir.Atom], span: Span) -> ir.Call:
    """A call of a function of the library."""
    fun = strings()[name]
    return ir.Call(instances.function(fun, ()), tuple(args), instances.type(signature(fun).result, {}), span=span)


def _test(op: str, args: tuple[ir.Atom, ...], block: Block, span: Span) -> ir.Atom:
    return block.atom(ir.Prim(op, args, ir.BOOL, span=span), ir.BOOL, "test", span)


def at(instances: Instances, text: ir.Atom, index: ir.Atom, block: Block, span: Span, *, code: bool = False) -> ir.Expr:
    """`s[i]`, or its code point: negative indices count from the end; raises IndexError outside."""
    length = block.atom(ir.Prim("str_len", (text,), ir.I64, span=span), ir.I64, "length", span)
    if not (isinstance(index, ir.Lit) and isinstance(index.value, int) and index.value >= 0):
        negative = _test("lt", (index, ir.Lit(0, ir.I64)), block, span)
        back = ir.Prim("add", (index, length), ir.I64, span=span)
        index = block.atom(ir.If(negative, back, ir.Ret(index, span=span), span=span), ir.I64, "index", span)
    wide = [block.atom(ir.Prim("cast", (each,), ir.U64, span=span), ir.U64, "wide", span) for each in (index, length)]
    inside = _test("lt", (wide[0], wide[1]), block, span)
    type_ = ir.I64 if code else ir.STR
    found = ir.Prim("str_code" if code else "str_at", (text, index), type_, span=span)
    return ir.If(inside, found, raising(instances, INDEX, type_, span, OUTSIDE), span=span)


def code_of(instances: Instances, text: ir.Atom, block: Block, span: Span) -> ir.Expr:
    """`ord(s)`, which raises ValueError unless s is one character."""
    zero = ir.Lit(0, ir.I64)
    length = block.atom(ir.Prim("str_len", (text,), ir.I64, span=span), ir.I64, "length", span)
    some = _test("gt", (length, zero), block, span)
    inner = Block()
    first = inner.atom(ir.Prim("str_at", (text, zero), ir.STR, span=span), ir.STR, "first", span)
    size = inner.atom(ir.Prim("str_len", (first,), ir.I64, span=span), ir.I64, "size", span)
    whole = _test("eq", (size, length), inner, span)
    wrong = raising(instances, VALUE, ir.I64, span, NO_CHARACTER)
    found = inner.wrap(ir.If(whole, ir.Prim("str_code", (text, zero), ir.I64, span=span), wrong, span=span))
    return ir.If(some, found, raising(instances, VALUE, ir.I64, span, NO_CHARACTER), span=span)


def character(instances: Instances, code: ir.Atom, block: Block, span: Span) -> ir.Expr:
    """`chr(n)`, which raises ValueError where Unicode has no character."""
    wide = block.atom(ir.Prim("cast", (code,), ir.U64, span=span), ir.U64, "wide", span)
    low = _test("lt", (wide, ir.Lit(0xD800, ir.U64)), block, span)
    above = _test("ge", (wide, ir.Lit(0xE000, ir.U64)), block, span)
    below = _test("lt", (wide, ir.Lit(0x110000, ir.U64)), block, span)
    high = _test("and", (above, below), block, span)
    known = _test("or", (low, high), block, span)
    found = ir.Prim("str_chr", (code,), ir.STR, span=span)
    return ir.If(known, found, raising(instances, VALUE, ir.STR, span, NO_CODE), span=span)


def integer(instances: Instances, text: ir.Atom, block: Block, span: Span) -> ir.Expr:
    """`int(s)`, which raises ValueError."""
    call = library(instances, "read_int", (text,), span)
    pair = ir.Var("read", call.type)
    block.bind(pair, call, span)
    good, value = ir.Var("good", ir.BOOL), ir.Var("value", ir.I64)
    assert isinstance(pair.type, ir.DataType)
    block.open(pair, instances.datas[pair.type.name].cons[0], (good, value), span)
    return ir.If(good, ir.Ret(value, span=span), raising(instances, VALUE, ir.I64, span, NO_INTEGER), span=span)


def number(instances: Instances, text: ir.Atom, block: Block, span: Span) -> ir.Expr:
    """`float(s)`, which raises ValueError."""
    bare = block.atom(library(instances, "strip", (text,), span), ir.STR, "bare", span)
    good = block.atom(library(instances, "is_float", (bare,), span), ir.BOOL, "good", span)
    value = ir.Prim("str_float", (bare,), ir.F64, span=span)
    return ir.If(good, value, raising(instances, VALUE, ir.F64, span, NO_FLOAT), span=span)


def separated(instances: Instances, separator: ir.Atom, call: ir.Call, block: Block) -> ir.Expr:
    """`s.split(separator)`, which raises ValueError if that is empty."""
    if isinstance(separator, ir.Lit) and separator.value:
        return call
    span = call.span
    length = block.atom(ir.Prim("str_len", (separator,), ir.I64, span=span), ir.I64, "length", span)
    some = _test("gt", (length, ir.Lit(0, ir.I64)), block, span)
    return ir.If(some, call, raising(instances, VALUE, call.type, span, NO_SEPARATOR), span=span)


def formatted(instances: Instances, value: ir.Atom, shape: Format, block: Block, span: Span) -> ir.Expr:
    """`{value:shape}`"""
    text = _text(instances, value, shape, block, span)
    if shape.width == 0:
        return text
    done = block.atom(text, ir.STR, "text", span)
    width = ir.Lit(shape.width, ir.I64)
    if shape.zero:
        return library(instances, "zeros", (done, width), span)
    is_number = isinstance(value.type, ir.IntType | ir.FloatType)
    align = "<>^".index(shape.align or (">" if is_number else "<"))
    fill = ir.Lit(shape.fill.encode(), ir.STR)
    return library(instances, "padded", (done, width, fill, ir.Lit(align, ir.I64)), span)


def _text(instances: Instances, value: ir.Atom, shape: Format, block: Block, span: Span) -> ir.Expr:
    if shape.kind in FLOAT_KINDS:
        wide = value
        if value.type != ir.F64:
            wide = block.atom(ir.Prim("cast", (value,), ir.F64, span=span), ir.F64, "wide", span)
        digits = ir.Lit(6 if shape.digits is None else shape.digits, ir.I64)
        return ir.Prim("str_fixed", (wide, digits, ir.Lit(ord(shape.kind), ir.I64)), ir.STR, span=span)
    if shape.kind not in ("x", "X", "o", "b"):
        return shown(instances, value, span)
    base = ir.Lit({"o": 8, "b": 2}.get(shape.kind, 16), ir.U64)
    negative = _test("lt", (value, ir.Lit(0, value.type)), block, span)
    wide = block.atom(ir.Prim("cast", (value,), ir.U64, span=span), ir.U64, "wide", span)
    minus = ir.Prim("neg", (wide,), ir.U64, span=span)
    size = block.atom(ir.If(negative, minus, ir.Ret(wide, span=span), span=span), ir.U64, "size", span)
    return library(instances, "based", (negative, size, base, ir.Lit(65 if shape.kind == "X" else 97, ir.I64)), span)
