"""A small random generator of well-typed procedures (bounds are not respected), made through the builders."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from usl_core.frontend import build as b
from usl_core.frontend import operators
from usl_core.ir.combining import operations
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.externs import ABS, BITS, CLAMP, FLOOR, FROM_BITS, MAX, MIN, POW, RELU, SELECT, SQRT, Extern
from usl_core.ir.memory import DRAM, Memory
from usl_core.ir.nodes import Expr, Proc, UnaryMinus
from usl_core.ir.types import BOOL, F32, I8, INDEX, U16, Kind, R, ScalarType, TensorType

BF32 = ScalarType("bf32", Kind.FLOAT, 32)
"""A type that only a plugin knows."""
SCALARS = (F32, R, I8, U16, BF32)
NAMES = ("i", "x", "i_1", "f32")
CFG = Config("Cfg", {"rows": ConfigField("rows", INDEX), "on": ConfigField("on", BOOL), "scale": ConfigField("scale", F32)})
MIX = Extern("mix", 3, lambda types: types[0])
"""An extern that mixes types freely."""


class Scratch(Memory):
    name = "Scratch"


def callee() -> Proc:
    builder = b.ProcBuilder("callee")
    n, flag = builder.size("n"), builder.bool_("flag")
    x, s = builder.tensor("x", F32, (n, 4), window=True), builder.scalar("s", F32)
    with builder.if_(flag):
        builder.assign(x, (0, 0), s)
    return builder.typed_ir()


CALLEE = callee()


class Generator:
    """Draws from a hypothesis `data` function; buffers and control values in scope are tracked by hand."""

    def __init__(self, draw: Callable[..., Any]) -> None:
        self._draw = draw
        self.builder = b.ProcBuilder("generated")
        self.ints: list[Expr] = []
        self.bools: list[Expr] = []
        self.buffers: list[b.Buffer] = []

    def choose(self, *options: Any) -> Any:
        return self._draw(st.sampled_from(options))

    def number(self, lo: int, hi: int) -> int:
        value = self._draw(st.integers(lo, hi))
        assert isinstance(value, int)
        return value

    def name(self) -> str:
        return str(self.choose(*NAMES))

    # ---- control expressions

    def index(self, depth: int = 2, *, idx: bool = False, stride: bool = False, fixed: bool = False) -> Expr:
        """An index expression; fixed: it gives a buffer or a window its shape, so it reads no configuration."""
        more = {"config": not fixed, "idx": idx and bool(self.of_type(I8)), "stride": stride}
        leaves = ["literal", "read", *(leaf for leaf, allowed in more.items() if allowed)]
        kind = self.choose(*leaves) if depth == 0 else self.choose(*leaves, "+", "-", "*", "/", "%", "neg", "min")
        if kind in ("+", "-"):
            sides = [self.index(depth - 1, idx=idx, fixed=fixed) for _ in range(2)]
            return operators.arithmetic(str(kind), *sides)
        if kind == "*":
            sides = [self.index(depth - 1, idx=idx, fixed=fixed), b.literal(self.number(-3, 3), INDEX)]
            return b.mul(*(sides if self.choose(True, False) else sides[::-1]))
        if kind in ("/", "%"):
            return operators.arithmetic(
                str(kind), self.index(depth - 1, idx=idx, fixed=fixed), b.literal(self.number(1, 5) * int(self.choose(1, -1)))
            )
        if kind == "neg":
            return operators.unary_minus(self.index(depth - 1, idx=idx, fixed=fixed))
        if kind == "min":
            sides = [self.index(depth - 1, idx=idx, fixed=fixed) for _ in range(2)]
            return b.extern(self.choose(MIN, MAX), *sides)
        if kind == "config":
            return b.read_config(CFG, "rows")
        if kind == "idx":
            return b.idx(self.data(I8, 1), self.index(0), self.index(0))
        if kind == "stride":
            tensors = [buffer for buffer in self.buffers if buffer.binding.rank]
            return b.stride(self.choose(*tensors), 0) if tensors else b.literal(1, INDEX)
        return self.choose(*self.ints) if kind == "read" and self.ints else b.literal(self.number(-4, 9), INDEX)

    def cond(self, depth: int = 2, *, data: bool = False) -> Expr:
        if depth == 0:
            options = [*self.bools, b.read_config(CFG, "on"), b.literal(True)]
            return self.choose(*options) if self.choose(True, False) else b.le(self.index(1, stride=True), self.index(1))
        match self.choose("and", "or", "not", "<", "==", "data" if data else "leaf"):
            case "and" | "or" as op:
                return operators.logical(str(op), self.cond(depth - 1, data=data), self.cond(depth - 1, data=data))
            case "not":
                return b.not_(self.cond(0))
            case "<":
                op = str(self.choose("<", "<=", ">", ">=", "==", "!="))
                return operators.compare(op, self.index(depth), self.index(depth))
            case "==":
                return b.eq(self.cond(0), self.cond(depth - 1))
            case "data":
                typ = self.choose(*SCALARS)
                return operators.compare(str(self.choose("<", ">=", "==")), self.data(typ, depth), self.data(typ, depth))
            case _:
                return self.cond(0)

    # ---- data expressions

    def of_type(self, typ: ScalarType) -> list[b.Buffer]:
        return [buffer for buffer in self.buffers if buffer.binding.scalar == typ]

    def indices(self, buffer: b.Buffer) -> list[Expr]:
        return [self.index(1, idx=True) for _ in range(buffer.binding.rank)]

    def data_literal(self, typ: ScalarType) -> Expr:
        if typ.is_int:
            return b.literal(self.number(max(-5, typ.int_range()[0]), 9), typ)
        return b.literal(Fraction(self.number(-9, 99), int(self.choose(1, 8, 10))), typ)

    def data(self, typ: ScalarType, depth: int = 2) -> Expr:
        if depth == 0:
            found = self.of_type(typ)
            if found and self.choose(True, False):
                buffer = self.choose(*found)
                return b.read(buffer, *[self.index(0) for _ in range(buffer.binding.rank)])
            return self.data_literal(typ)
        ops = ["+", "-", "*", "/", *(["%", "&", "|", "^", "<<", ">>"] if typ.is_int else [])]
        match self.choose("leaf", "op", "neg", "cast", "index", "select", "extern", "mix", "scale" if typ is F32 else "leaf"):
            case "op":
                return operators.arithmetic(str(self.choose(*ops)), self.data(typ, depth - 1), self.data(typ, depth - 1))
            case "neg" if typ.is_int and self.choose(True, False):
                return operators.inversion(self.data(typ, depth - 1))
            case "neg":
                return UnaryMinus(arg := self.data(typ, depth - 1), type=arg.type)
            case "cast":
                return b.cast(typ, self.data(self.choose(*SCALARS), depth - 1))
            case "index":
                return b.cast(typ, self.index(depth - 1, idx=True))
            case "select":
                other = self.choose(*SCALARS)
                tested, results = ([self.data(t, depth - 1) for _ in range(2)] for t in (other, typ))
                return b.extern(SELECT, *tested, *results)
            case "extern":
                fn = self.choose(MIN, MAX, ABS, RELU, CLAMP, *([] if typ.is_int else [SQRT, FLOOR, POW]))
                return b.extern(fn, *[self.data(typ, depth - 1) for _ in range(fn.arity)])
            case "mix" if typ is F32 and self.choose(True, False):
                return b.extern(FROM_BITS, b.extern(BITS, self.data(F32, depth - 1)))
            case "mix":
                return b.extern(MIX, self.data(typ, depth - 1), self.index(1), self.data(self.choose(*SCALARS), depth - 1))
            case "scale":
                return b.read_config(CFG, "scale")
            case _:
                return self.data(typ, 0)

    # ---- statements

    def block(self, depth: int) -> None:
        ints, buffers = list(self.ints), list(self.buffers)
        for _ in range(self.number(1, 3)):
            self.stmt(depth)
        self.ints, self.buffers = ints, buffers

    def stmt(self, depth: int) -> None:
        simple = ("assign", "reduce", "alloc", "window", "check", "pass", "config", "call")
        match self.choose(*simple) if depth == 0 else self.choose(*simple, "for", "if", "if"):
            case "assign" | "reduce" as kind:
                self.write(reduces=kind == "reduce")
            case "alloc":
                shape = [self.index(1, fixed=True) for _ in range(self.number(0, 2))]
                self.buffers.append(self.builder.alloc(self.name(), self.choose(*SCALARS), shape, self.choose(DRAM, Scratch)))
            case "window":
                tensors = [buffer for buffer in self.buffers if buffer.binding.rank]
                if tensors:
                    self.window(self.choose(*tensors))
            case "check":
                self.builder.check(self.cond())
            case "config":
                field = str(self.choose("rows", "on", "scale"))
                values: dict[str, Callable[[], Expr]] = {
                    "rows": lambda: self.index(stride=True),
                    "on": self.cond,
                    "scale": lambda: self.data(F32),
                }
                self.builder.assign_config(CFG, field, values[field]())
            case "call":
                self.call()
            case "for":
                with self.builder.for_(self.name(), self.index(), self.index(), parallel=bool(self.choose(True, False))) as i:
                    self.ints.append(i)
                    self.block(depth - 1)
                self.ints = [e for e in self.ints if e is not i]
            case "if":
                with self.builder.if_(self.cond(data=True)):
                    self.block(depth - 1)
                if self.choose(True, False):
                    with self.builder.else_():
                        self.block(depth - 1)
            case _:
                self.builder.pass_()

    def write(self, *, reduces: bool) -> None:
        """An assignment or a reduction."""
        if self.buffers:
            buffer = self.choose(*self.buffers)
            indices, value = self.indices(buffer), self.data(buffer.binding.scalar)
            if reduces:
                self.builder.reduce(buffer, indices, value, self.choose(*operations(buffer.binding.scalar)))
            else:
                self.builder.assign(buffer, indices, value)

    def window(self, buffer: b.Buffer) -> None:
        entries: list[Any] = [self.index(1, fixed=True) for _ in range(buffer.binding.rank)]
        ends = [self.index(1, fixed=True) for _ in range(3)]
        entries[0] = self.choose((ends[0], ends[1]), slice(None, ends[2]))
        self.buffers.append(self.builder.window(self.name(), buffer, *entries))

    def call(self) -> None:
        pairs = [buffer for buffer in self.of_type(F32) if buffer.binding.rank == 2]
        if not pairs:
            return
        buffer = self.choose(*pairs)
        assert isinstance(buffer.binding.type, TensorType)
        view = b.window(buffer, slice(None, 3), (0, 4)) if self.choose(True, False) else buffer
        scalar = self.choose(b.literal(Fraction(1, 2)), b.read(buffer, 0, 1))
        self.builder.call(CALLEE, self.index(stride=True), self.cond(), view, scalar)

    def procedure(self) -> Proc:
        builder = self.builder
        self.ints = [builder.size("n"), builder.index("k")]
        self.bools = [builder.bool_("flag")]
        self.buffers = [
            builder.tensor("A", F32, (self.ints[0], 4)),
            builder.tensor("B", self.choose(*SCALARS), (self.ints[0],), Scratch, window=True),
            builder.scalar("q", I8),
        ]
        for _ in range(self.number(0, 2)):
            builder.require(self.cond())
        self.block(2)
        return builder.typed_ir()


@st.composite
def procedures(draw: Callable[..., Any]) -> Proc:
    """Well-typed procedures; accesses may be out of bounds."""
    return Generator(draw).procedure()
