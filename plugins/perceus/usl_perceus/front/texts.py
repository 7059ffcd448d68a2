"""Texts of data, as Python shows its values: for each type a function that appends the text of a value to another text."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.front.block import Block
from usl_perceus.front.instances import Instances
from usl_perceus.show import show_type


def shown(instances: Instances, value: ir.Atom, span: Span) -> ir.Expr:
    """A value of a plain type as a string; a string itself stays as it is."""
    match value.type:
        case ir.StrType():
            return ir.Ret(value, span=span)
        case ir.IntType() | ir.FloatType() | ir.BOOL:
            return ir.Prim("show", (value,), ir.STR, span=span)
        case _:
            return appended(instances, ir.Lit(b"", ir.STR), value, span)


def appended(instances: Instances, text: ir.Atom, value: ir.Atom, span: Span = NOWHERE) -> ir.Expr:
    """text, which is consumed, with that of a value that is a part of another one behind it: there strings have quotes."""
    own = instances.own("text", value.type)
    if own is not None:
        return ir.Call(own, (text, value), ir.STR, span=span)
    match value.type:
        case ir.UnitType():
            return _joined(text, ir.Lit(b"None", ir.STR), span)
        case ir.StrType():
            return _with(text, ir.Prim("str_quote", (value,), ir.STR, span=span), span)
        case ir.IntType() | ir.FloatType() | ir.BOOL:
            return _with(text, ir.Prim("show", (value,), ir.STR, span=span), span)
        case ir.DataType() | ir.ArrayType() as type_:
            return ir.Call(_of(type_, instances), (text, value), ir.STR, span=span)
        case _:
            raise AssertionError(f"{show_type(value.type)} has no text")


def _with(text: ir.Atom, piece: ir.Expr, span: Span) -> ir.Expr:
    block = Block()
    made = block.atom(piece, ir.STR, "piece", span)
    return block.wrap(_joined(text, made, span))


def _joined(text: ir.Atom, piece: ir.Atom, span: Span = NOWHERE) -> ir.Expr:
    return ir.Prim("str_concat", (text, piece), ir.STR, span=span)


def _all_appended(instances: Instances, text: ir.Atom, pieces: Sequence[str | ir.Atom]) -> ir.Expr:
    """text with several texts, literal ones and those of values, behind it."""
    block = Block()
    result: ir.Expr = ir.Ret(text)
    for piece in pieces:
        text = block.atom(result, ir.STR, "text", NOWHERE)
        if isinstance(piece, str):
            result = _joined(text, ir.Lit(piece.encode(), ir.STR))
        else:
            result = appended(instances, text, piece)
    return block.wrap(result)


def _of(type_: ir.DataType | ir.ArrayType, instances: Instances) -> str:
    """The name of the function that appends values of a type, which is made if there is none yet."""
    name = instances.texts.get(type_)
    if name is None:
        name = instances.texts[type_] = instances.fresh(f"show[{show_type(type_)}]")
        text, value = ir.Var("text", ir.STR), ir.Var("x", type_)
        if isinstance(type_, ir.ArrayType):
            body, span = _array(name, text, value, instances), NOWHERE
        else:
            decl = instances.datas[type_.name]
            branches = tuple(_branch(con, text, instances) for con in decl.cons)
            body, span = ir.Match(value, branches), decl.span
        params = (ir.Param(text), ir.Param(value, borrowed=True))
        instances.derived.append(ir.FunDef(name, params, ir.STR, body, span=span))
    return name


def _branch(con: ir.Con, text: ir.Var, instances: Instances) -> ir.Branch:
    """`Name`, `Name(x, y)`; a tuple has no name."""
    fields = tuple(ir.Var(f"x{i}", type_) for i, (_, type_) in enumerate(con.fields))
    name = "" if con.data in instances.tuples else con.name
    pieces: list[str | ir.Atom] = [f"{name}("]
    for i, field in enumerate(fields):
        pieces += [", ", field] if i else [field]
    return ir.Branch(con, fields, _all_appended(instances, text, [*pieces, ")"] if fields else [name]))


def _array(name: str, text: ir.Var, array: ir.Var, instances: Instances) -> ir.Expr:
    """`[x, y]`: a function of its own appends the elements."""
    loop = instances.fresh(f"{name}.from")
    _add_loop(loop, array.type, instances)
    block = Block()
    opened = block.atom(_joined(text, ir.Lit(b"[", ir.STR)), ir.STR, "text", NOWHERE)
    elements = block.atom(ir.Call(loop, (opened, array, ir.Lit(0, ir.I64)), ir.STR), ir.STR, "text", NOWHERE)
    return block.wrap(_joined(elements, ir.Lit(b"]", ir.STR)))


def _add_loop(name: str, type_: ir.Type, instances: Instances) -> None:
    """text with the elements from i on behind it."""
    assert isinstance(type_, ir.ArrayType)
    text, array, i = ir.Var("text", ir.STR), ir.Var("a", type_), ir.Var("i", ir.I64)
    end, item = Block(), Block()
    length = end.atom(ir.Prim("array_len", (array,), ir.I64), ir.I64, "length", NOWHERE)
    done = end.atom(ir.Prim("ge", (i, length), ir.BOOL), ir.BOOL, "done", NOWHERE)
    first = item.atom(ir.Prim("eq", (i, ir.Lit(0, ir.I64)), ir.BOOL), ir.BOOL, "first", NOWHERE)
    separated = ir.If(first, ir.Ret(text), _joined(text, ir.Lit(b", ", ir.STR)))
    before = item.atom(separated, ir.STR, "text", NOWHERE)
    element = item.atom(ir.Prim("array_get", (array, i), type_.elem), type_.elem, "x", NOWHERE)
    longer = item.atom(appended(instances, before, element), ir.STR, "text", NOWHERE)
    after = item.atom(ir.Prim("add", (i, ir.Lit(1, ir.I64)), ir.I64), ir.I64, "after", NOWHERE)
    again = item.wrap(ir.Call(name, (longer, array, after), ir.STR))
    params = (ir.Param(text), ir.Param(array, borrowed=True), ir.Param(i))
    body = end.wrap(ir.If(done, ir.Ret(text), again))
    instances.derived.append(ir.FunDef(name, params, ir.STR, body))
