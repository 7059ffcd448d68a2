"""What can be named at a place: the buffers and windows in scope, their shapes and strides, and the loops around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.effects import Access, WindowMap, argument_map, outer_stride, resolve, resolve_strides, window_map
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import index_lin
from usl_core.ir import nodes as ir
from usl_core.ir.memo import per_node
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType, TensorType
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class BufferInfo:
    """A buffer or window in scope: its type, memory, and for a named window the expression that defines it."""

    type: ScalarType | TensorType
    mem: MemoryClass
    window: ir.WindowExpr | None = None
    is_formal: bool = False
    depth: int = 0
    """How many loops enclose its binding."""


@dataclass(frozen=True)
class Scope:
    """The buffers and windows that can be named at a place, and the loops around it, outermost first."""

    buffers: Mapping[Sym, BufferInfo] = field(default_factory=dict)
    windows: Mapping[Sym, WindowMap] = field(default_factory=dict)
    loops: tuple[ir.For, ...] = ()

    @staticmethod
    def of_formals(args: Iterable[ir.Arg]) -> Scope:
        """At the start of a body."""
        data = ((arg, arg.type) for arg in args if isinstance(arg.type, ScalarType | TensorType))
        return Scope({arg.name: BufferInfo(typ, arg.mem or DRAM, is_formal=True) for arg, typ in data})

    def inside(self, loop: ir.For) -> Scope:
        """In the body of a loop."""
        return Scope(self.buffers, self.windows, (*self.loops, loop))

    def with_allocs(self, allocs: Sequence[ir.Alloc]) -> Scope:
        """After several allocations: the map of buffers is copied once for all."""
        depth = len(self.loops)
        infos = {stmt.name: BufferInfo(stmt.type, stmt.mem, depth=depth) for stmt in allocs}
        return replace(self, buffers={**self.buffers, **infos})

    def with_window(self, stmt: ir.WindowStmt) -> Scope:
        """After a window is named."""
        name, rhs = stmt.name, stmt.rhs
        assert isinstance(rhs.type, TensorType)
        info = BufferInfo(rhs.type, self.buffers[rhs.name].mem, window=rhs, depth=len(self.loops))
        return Scope({**self.buffers, name: info}, {**self.windows, name: window_map(rhs)}, self.loops)

    def binding(self, name: Sym) -> object:
        """What a name is bound to: equal where it means the same."""
        info = self.buffers[name]
        return info.type if info.window is None else (info.window, self.binding(info.window.name))

    # -- shapes and strides

    def shape(self, name: Sym) -> tuple[Lin, ...]:
        """The extents of a buffer or window; empty for a scalar."""
        return shape_of(self.buffers[name].type)

    def stride(self, name: Sym, dim: int) -> Lin:
        """The distance in elements between neighbours of dimension dim."""
        info = self.buffers.get(name)
        if info is None or not isinstance(info.type, TensorType):
            return affine.of_atom(Stride(name, dim))
        if info.window is not None:
            outer = outer_stride(info.window, dim)
            return self.stride(outer.buffer, outer.dim)
        if info.type.window:
            return affine.of_atom(Stride(name, dim))
        return affine.product([affine.const(1), *self.shape(name)[dim + 1 :]])

    def known_stride(self, stride: Stride) -> Lin | None:
        """What is known of a stride; None if that is only its name."""
        value = self.stride(stride.buffer, stride.dim)
        ((atom, c),) = value.terms.items() if len(value.terms) == 1 else ((None, 0),)
        return None if atom == stride and c == 1 else value

    def settle_strides(self, formula: Formula) -> Formula:
        """The formula with strides replaced by what is known of them."""
        return fml.subst(formula, {}, self.known_stride)

    def resolve_strides(self, lin: Lin) -> Lin:
        """The form with strides replaced by what is known of them."""
        return affine.subst(lin, {}, self.known_stride)

    # -- windows

    def resolve(self, access: Access) -> Access:
        """access in terms of allocations and formals instead of windows, with strides replaced by what is known of them."""
        return resolve_strides(resolve(access, self.windows), self.known_stride)

    def resolve_all(self, accesses: Iterable[Access]) -> tuple[Access, ...]:
        """`resolve` of each."""
        return tuple(map(self.resolve, accesses))

    def root(self, name: Sym) -> Sym:
        """The allocation or formal that name shows."""
        while name in self.windows:
            name = self.windows[name].buffer
        return name

    def argument_map(self, actual: ir.Expr) -> WindowMap:
        """A buffer argument as a map to an allocation or formal."""
        found = argument_map(actual)
        while found.buffer in self.windows:
            found = found.after(self.windows[found.buffer])
        return found


def shape_of(typ: ScalarType | TensorType) -> tuple[Lin, ...]:
    """The extents of a type as forms; none for a scalar."""
    return tuple(index_lin(e) for e in typ.shape) if isinstance(typ, TensorType) else ()


@per_node
def extents_of(stmt: ir.Alloc | ir.WindowStmt) -> list[Formula]:
    """What is known of the extents of a buffer or window once it is bound."""
    typ = stmt.type if isinstance(stmt, ir.Alloc) else stmt.rhs.type
    assert isinstance(typ, ScalarType | TensorType)
    return extent_facts(typ)


def extent_facts(typ: ScalarType | TensorType) -> list[Formula]:
    """Extents are at least 1: the frontend proves it where the buffer is bound."""
    facts = [fml.ge(extent, 1) for extent in shape_of(typ)]
    return [fact for fact in facts if fact is not fml.TRUE]
