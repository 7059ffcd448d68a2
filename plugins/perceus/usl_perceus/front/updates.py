"""Changes of an element of an array, or of the content of a cell, in place: `set`, `swap`, `take`, `modify`, `append`, `pop`,
`truncate`.

`swap` and `modify` move the old value out before they move the new one in, so that a row of an array of arrays, or an array in
a cell, has no reference from there while it is changed. What `take` leaves is the empty value of the type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.errors import PerceusError
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import INDEX
from usl_perceus.front.instances import Instances
from usl_perceus.front.lower_operators import OUTSIDE, in_range
from usl_perceus.front.raising import raising

NO_EMPTY = "take leaves an empty value behind, and functions and threads have none: use swap"


@dataclass(frozen=True, slots=True)
class Updates:
    """One change of owner, an array or a cell. args: the index, for an array, and the new value; type: of the result."""

    instances: Instances
    owner: ir.Atom
    args: Sequence[ir.Atom]
    type: ir.Type
    span: Span

    def change(self, name: str, block: Block) -> ir.Expr:
        """`set`, `swap` or `take`; of arrays also `append`, `pop` and `truncate`."""
        elem = self._elem()
        if name == "append":
            return self._prim("array_append", (self.owner, *self.args), self.owner.type)
        if name == "pop":
            return self._pop(block)
        if name == "truncate":
            return self._truncate(block)
        args = tuple(self.args)
        if name == "take":
            left = empty(self.instances, elem, block, self.span)
            if left is None:
                raise PerceusError(NO_EMPTY, span=self.span, code="E723")
            args = (*args, left)
        if isinstance(self.owner.type, ir.RefType):
            return self._prim("ref_swap", (self.owner, *args), elem)
        if name == "set":
            return self._inside(self._prim("array_set", (self.owner, *args), self.owner.type), block)
        inner = Block()
        array = self._named(self._prim("array_own", (self.owner,), self.owner.type), "array", inner)
        old = self._named(self._prim("array_swap", (array, *args), elem), "old", inner)
        con = self.instances.tuple_con(self.type)
        return self._inside(inner.wrap(ir.MakeCon(con, (array, old), span=self.span)), block)

    def _pop(self, block: Block) -> ir.Expr:
        """The array without its last element, and that element."""
        length = block.atom(self._prim("array_len", (self.owner,), ir.I64), ir.I64, "length", self.span)
        some = block.atom(ir.Prim("gt", (length, ir.Lit(0, ir.I64)), ir.BOOL, span=self.span), ir.BOOL, "some", self.span)
        inner = Block()
        last = inner.atom(ir.Prim("sub", (length, ir.Lit(1, ir.I64)), ir.I64, span=self.span), ir.I64, "last", self.span)
        array = self._named(self._prim("array_own", (self.owner,), self.owner.type), "array", inner)
        old = self._named(self._prim("array_take", (array, last), self._elem()), "old", inner)
        rest = self._named(self._prim("array_cut", (array,), self.owner.type), "rest", inner)
        made = inner.wrap(ir.MakeCon(self.instances.tuple_con(self.type), (rest, old), span=self.span))
        outside = raising(self.instances, INDEX, self.type, self.span, "the array is empty")
        return ir.If(some, made, outside, span=self.span)

    def _truncate(self, block: Block) -> ir.Expr:
        """The first elements, after the test that there are so many."""
        (count,) = self.args
        length = block.atom(self._prim("array_len", (self.owner,), ir.I64), ir.I64, "length", self.span)
        tests = (("ge", ir.Lit(0, ir.I64)), ("le", length))
        low, high = (
            block.atom(ir.Prim(op, (count, end), ir.BOOL, span=self.span), ir.BOOL, "inside", self.span) for op, end in tests
        )
        inside = block.atom(ir.Prim("and", (low, high), ir.BOOL, span=self.span), ir.BOOL, "inside", self.span)
        outside = raising(self.instances, INDEX, self.type, self.span, "the array has not so many elements")
        return ir.If(inside, self._prim("array_front", (self.owner, count), self.owner.type), outside, span=self.span)

    def modify(self, changed: Callable[[ir.Var], ir.Expr], block: Block) -> ir.Expr:
        """changed makes the new value of the old one."""
        if isinstance(self.owner.type, ir.RefType):
            return self._modify_cell(changed, block)
        elem = self._elem()
        inner, old = Block(), ir.Var("old", elem)
        array = self._named(self._prim("array_own", (self.owner,), self.owner.type), "array", inner)
        inner.bind(old, self._prim("array_take", (array, *self.args), elem), self.span)
        new = self._named(changed(old), "new", inner)
        return self._inside(inner.wrap(self._prim("array_put", (array, *self.args, new), self.owner.type)), block)

    def _modify_cell(self, changed: Callable[[ir.Var], ir.Expr], block: Block) -> ir.Expr:
        """The cell holds the empty value meanwhile, or keeps the old one where there is none. It gets the old one back if an
        exception comes."""
        elem = self._elem()
        old, new, exception = ir.Var("old", elem), ir.Var("new", elem), ir.Var("exception", ir.EXN)
        left = empty(self.instances, elem, block, self.span)
        get = self._prim("ref_get", (self.owner,), elem)
        block.bind(old, get if left is None else self._prim("ref_swap", (self.owner, left), elem), self.span)
        back = Block()
        if left is not None:
            self._named(self._prim("ref_set", (self.owner, old), ir.UNIT), "restored", back)
        handler = back.wrap(ir.Raise(exception, ir.UNIT, span=self.span))
        update = self._prim("ref_set", (self.owner, new), ir.UNIT)
        return ir.TryLet(new, changed(old), update, exception, handler, span=self.span)

    def _elem(self) -> ir.Type:
        assert isinstance(self.owner.type, ir.ArrayType | ir.RefType)
        return self.owner.type.elem

    def _prim(self, op: str, args: tuple[ir.Atom, ...], type_: ir.Type) -> ir.Prim:
        return ir.Prim(op, args, type_, span=self.span)

    def _named(self, value: ir.Expr, name: str, block: Block) -> ir.Var:
        var = ir.Var(name, value.type if isinstance(value, ir.Prim) else self._elem())
        block.bind(var, value, self.span)
        return var

    def _inside(self, change: ir.Expr, block: Block) -> ir.Expr:
        """The change, after the test of the index."""
        test = in_range(self.owner, self.args[0], block, self.span)
        outside = raising(self.instances, INDEX, self.type, self.span, OUTSIDE)
        return ir.If(test, change, outside, span=self.span)


def empty(
    instances: Instances, type_: ir.Type, block: Block, span: Span, inside: frozenset[str] = frozenset()
) -> ir.Atom | None:
    """The empty value of a type: 0, "", an array without elements; of a data type the first constructor without fields, else
    the first whose fields have empty values; None if there is none. inside: data types that it is to be a part of."""
    match type_:
        case ir.IntType():
            return ir.Lit(0, type_)
        case ir.FloatType():
            return ir.Lit(0.0, type_)
        case ir.StrType():
            return ir.Lit(b"", type_)
        case ir.UnitType():
            return ir.Lit(None, type_)
        case ir.ArrayType():
            return block.atom(ir.Prim("array_empty", (), type_, span=span), type_, "empty", span)
        case ir.RefType(elem=elem):
            content = empty(instances, elem, block, span, inside)
            made = None if content is None else ir.Prim("ref_new", (content,), type_, span=span)
            return None if made is None else block.atom(made, type_, "empty", span)
        case ir.DataType(name=name) if name not in inside and type_ not in (ir.EXN, ir.ANY):
            decl = instances.datas[name]
            for con in sorted(decl.cons, key=lambda con: len(con.fields) > 0):
                if not con.fields and decl.layout is not ir.Layout.VALUE:
                    return ir.Nullary(con)
                fields = [empty(instances, field, block, span, inside | {name}) for _, field in con.fields]
                if None not in fields:
                    args = tuple(field for field in fields if field is not None)
                    return block.atom(ir.MakeCon(con, args, span=span), type_, "empty", span)
            return None
        case _:
            return None
