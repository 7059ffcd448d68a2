"""What a statement may read, write and reduce, and what it certainly writes: symbolic sets of accesses.

A `Summary` is free of context: its free variables are those of the code. It is memoised by the identity of the node, so that
a rewrite pays for the spine it rebuilt. An `Access` stands for the set of locations `point` for all values of
`iters` that satisfy `guard`. Reference: Reinking 2022, §3.5.4-3.5.5 and §3.13; corrections: docs/semantics.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from typing import assert_never

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import Lowering
from usl_core.ir import nodes as ir
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import lazy, per_node
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, depends_on_data
from usl_core.ir.types import SIZE, ControlType, TensorType
from usl_core.profiling import profiled
from usl_core.records import dataclass


class Kind(Enum):
    """What an access does to its location."""

    READ = "read"
    WRITE = "write"
    REDUCE = "reduce"


@dataclass(frozen=True, slots=True)
class Access:
    """Accesses of one kind to one buffer: `{point | iters satisfy guard}`.

    exact means that they certainly happen (nothing depends on data); otherwise they only may. node is the statement or read
    that makes them, for messages. Windows are not resolved: buffer may be a window bound outside.
    """

    buffer: Sym
    kind: Kind
    point: tuple[Lin, ...]
    iters: tuple[Sym, ...]
    guard: tuple[Formula, ...]
    exact: bool
    node: ir.Node
    op: str | Operation = ""
    """The operation of a reduction."""

    @property
    def modifies(self) -> bool:
        """Whether it writes or reduces."""
        return self.kind is not Kind.READ


@dataclass(frozen=True)
class Summary:
    """The accesses of a piece of code in source order, and what else must be known to move it."""

    accesses: tuple[Access, ...] = ()
    checks: bool = False
    """Whether a `check` may stop it: then it does not move across effects."""
    fields: frozenset[FieldSym] = frozenset()
    """The configuration fields among the buffers of the accesses."""

    @lazy
    def by_buffer(self) -> Mapping[Sym, tuple[Access, ...]]:
        """The accesses by buffer, in source order."""
        grouped: dict[Sym, list[Access]] = {}
        for access in self.accesses:
            grouped.setdefault(access.buffer, []).append(access)
        return {name: tuple(group) for name, group in grouped.items()}

    @lazy
    def modified(self) -> frozenset[Sym]:
        """The buffers and fields that it may modify."""
        return frozenset(a.buffer for a in self.accesses if a.modifies)

    @lazy
    def config_writes(self) -> frozenset[FieldSym]:
        """The configuration fields that it may write."""
        return frozenset(f for f in self.fields if any(a.modifies for a in self.by_buffer[f]))

    @property
    def touches_config(self) -> bool:
        """Whether it reads or writes configuration."""
        return bool(self.fields)


EMPTY = Summary()


@per_node
def summary(stmt: ir.Stmt) -> Summary:
    """The effect of one statement; allocations and windows are the block's business."""
    return _of_stmt(stmt)


@profiled("analysis", "effects")
def block_summary(block: Sequence[ir.Stmt]) -> Summary:
    """The effect of a block: accesses to what it allocates are dropped, windows and strides that it binds are resolved."""
    merged = merge([summary(stmt) for stmt in block])
    allocs, named = bindings(block)
    if not allocs and not named:
        return merged
    windows = {name: window_map(rhs) for name, rhs in named.items()}
    resolved = [resolve(a, windows) for a in merged.accesses]
    kept = [a for a in resolved if a.buffer not in allocs]
    strides = strides_bound(allocs, named)
    return replace_accesses(merged, [resolve_strides(a, strides) for a in kept])


def bindings(block: Sequence[ir.Stmt]) -> tuple[dict[Sym, ir.Alloc], dict[Sym, ir.WindowExpr]]:
    """What a block allocates, and the windows that it names."""
    allocs = {stmt.name: stmt for stmt in block if isinstance(stmt, ir.Alloc)}
    return allocs, {stmt.name: stmt.rhs for stmt in block if isinstance(stmt, ir.WindowStmt)}


def strides_bound(allocs: Mapping[Sym, ir.Alloc], named: Mapping[Sym, ir.WindowExpr]) -> fml.StrideMap:
    """The strides of what a block allocates and names, expressed by what is bound outside of it."""

    def value(stride: Stride) -> Lin | None:
        if (window := named.get(stride.buffer)) is not None:
            outer = outer_stride(window, stride.dim)
            found = value(outer)
            return affine.of_atom(outer) if found is None else found
        alloc = allocs.get(stride.buffer)
        if alloc is None or not isinstance(alloc.type, TensorType):
            return None
        return affine.product([affine.const(1), *(Lowering().index(extent) for extent in alloc.type.shape[stride.dim + 1 :])])

    return value


def resolve_strides(access: Access, value: fml.StrideMap) -> Access:
    """access with strides of what a block binds expressed by what is bound outside: they may differ between iterations."""
    lins = [*access.point, *(lin for g in access.guard for lin in fml.lins(g))]
    if not any(isinstance(atom, Stride) for lin in lins for atom in affine.atoms(lin)):
        return access
    point = tuple(affine.subst(p, {}, value) for p in access.point)
    return replace(access, point=point, guard=tuple(fml.subst(g, {}, value) for g in access.guard))


def merge(parts: Sequence[Summary]) -> Summary:
    """The effect of pieces of code one after the other."""
    if len(parts) == 1:
        return parts[0]
    return Summary(
        tuple(a for p in parts for a in p.accesses),
        any(p.checks for p in parts),
        frozenset().union(*[p.fields for p in parts if p.fields]),
    )


def replace_accesses(old: Summary, accesses: Iterable[Access]) -> Summary:
    """The effect with other accesses; all else stays."""
    return Summary(tuple(accesses), old.checks, old.fields)


@per_node
@profiled("analysis", "effects")
def proc_summary(proc: ir.Proc) -> Summary:
    """The effect of a procedure's body in terms of its formals, with the configuration its assertions read."""
    asserted = [_config_reads(p) for p in proc.preds]
    return merge([*asserted, block_summary(proc.body)]) if asserted else block_summary(proc.body)


# ---- windows


@dataclass(frozen=True, slots=True)
class WindowMap:
    """How a window's coordinates map to its buffer's: per buffer dimension an offset, and whether a coordinate is added."""

    buffer: Sym
    dims: tuple[tuple[Lin, bool], ...]

    def apply(self, point: Sequence[Lin]) -> tuple[Lin, ...]:
        """The coordinates in the buffer of a point of the window."""
        coordinates = iter(point)
        return tuple(offset + next(coordinates) if ranged else offset for offset, ranged in self.dims)

    def after(self, outer: WindowMap) -> WindowMap:
        """This window of `outer`, itself a window: a map to outer's buffer."""
        inner = iter(self.dims)
        dims: list[tuple[Lin, bool]] = []
        for offset, ranged in outer.dims:
            if ranged:
                inner_offset, inner_ranged = next(inner)
                dims.append((offset + inner_offset, inner_ranged))
            else:
                dims.append((offset, False))
        return WindowMap(outer.buffer, tuple(dims))


def outer_stride(window: ir.WindowExpr, dim: int) -> Stride:
    """The stride, of what a window shows, that is the window's own in dimension dim."""
    ranged = [position for position, entry in enumerate(window.idx) if isinstance(entry, ir.Interval)]
    return Stride(window.name, ranged[dim])


def window_map(window: ir.WindowExpr) -> WindowMap:
    """Windows have no data-dependent bounds, so that their offsets are exact."""
    lowering = Lowering()
    dims = [
        (lowering.index(entry.lo), True) if isinstance(entry, ir.Interval) else (lowering.index(entry), False)
        for entry in window.idx
    ]
    return WindowMap(window.name, tuple(dims))


def resolve(access: Access, windows: Mapping[Sym, WindowMap]) -> Access:
    """access with windows replaced by the buffers they show, through any number of levels."""
    while (found := windows.get(access.buffer)) is not None:
        access = replace(access, buffer=found.buffer, point=found.apply(access.point))
    return access


# ---- extraction


@dataclass
class _Builder:
    accesses: list[Access] = field(default_factory=list)
    read: set[tuple[Sym, tuple[Lin, ...]]] = field(default_factory=set)
    """What was read: an element that an expression reads again is no other access."""

    def add(self, name: Sym, kind: Kind, idx: Sequence[ir.Expr], node: ir.Node, op: str | Operation = "") -> None:
        lowering = Lowering()
        for index in idx:
            self.reads(index)
        point = tuple(lowering.index(index) for index in idx)
        exact = not lowering.unknowns
        if kind is Kind.READ and exact:
            if (name, point) in self.read:
                return
            self.read.add((name, point))
        self.accesses.append(Access(name, kind, point, tuple(lowering.unknowns), tuple(lowering.ranges), exact, node, op))

    def field(self, name: FieldSym, kind: Kind, node: ir.Node) -> None:
        """An access to a configuration field: a location without coordinates."""
        self.accesses.append(Access(name, kind, (), (), (), True, node))

    def reads(self, expr: ir.Expr | ir.Interval) -> None:
        """The data that evaluating expr reads, and the configuration fields."""
        match expr:
            case ir.Read(name=name, idx=idx, type=typ):
                if isinstance(typ, ControlType | TensorType):
                    return
                self.add(name, Kind.READ, idx, expr)
            case ir.ReadConfig(config=config, field=name):
                self.field(config.sym(name), Kind.READ, expr)
            case ir.Literal() | ir.StrideExpr():
                return
            case ir.UnaryMinus() | ir.BinaryOp() | ir.ExternCall() | ir.Cast() | ir.WindowExpr() | ir.Interval():
                for child in child_nodes(expr):
                    self.reads(child)

    def done(self, *, checks: bool = False) -> Summary:
        fields = frozenset(a.buffer for a in self.accesses if isinstance(a.buffer, FieldSym))
        return Summary(tuple(self.accesses), checks, fields)


def _config_reads(expr: ir.Expr) -> Summary:
    builder = _Builder()
    builder.reads(expr)
    return builder.done()


def _of_stmt(stmt: ir.Stmt) -> Summary:
    builder = _Builder()
    match stmt:
        case ir.Assign(name=name, idx=idx, rhs=rhs):
            builder.reads(rhs)
            builder.add(name, Kind.WRITE, idx, stmt)
            return builder.done()
        case ir.Reduce(name=name, idx=idx, rhs=rhs, op=op):
            builder.reads(rhs)
            builder.add(name, Kind.REDUCE, idx, stmt, op)
            return builder.done()
        case ir.AssignConfig(config=config, field=name, rhs=rhs):
            builder.reads(rhs)
            builder.field(config.sym(name), Kind.WRITE, stmt)
            return builder.done()
        case ir.Pass() | ir.Alloc() | ir.WindowStmt():
            return EMPTY  # extents and bounds of windows read neither data nor configuration
        case ir.Check(cond=cond):
            builder.reads(cond)
            return builder.done(checks=True)
        case ir.If():
            return _of_if(stmt)
        case ir.For(iter=name, lo=lo, hi=hi, body=body):
            builder.reads(lo)
            builder.reads(hi)
            return merge([builder.done(), under_loop(block_summary(body), name, lo, hi)])
        case ir.Call(proc=proc):
            return call_effect(stmt, proc_summary(proc).accesses)
        case _:
            assert_never(stmt)


def under_loop(body: Summary, name: Sym, lo: ir.Expr, hi: ir.Expr) -> Summary:
    """The union of body over `lo <= name < hi`."""
    lowering = Lowering()
    index = affine.var(name)
    limits = (fml.le(lowering.index(lo), index), fml.lt(index, lowering.index(hi)))
    bound = (name, *lowering.unknowns)
    exact = not lowering.unknowns
    return replace_accesses(
        body,
        [replace(a, iters=(*a.iters, *bound), guard=(*a.guard, *limits), exact=a.exact and exact) for a in body.accesses],
    )


def under_condition(body: Summary, cond: Formula | None) -> Summary:
    """body under a control condition, or (None) under one that depends on data: then nothing is certain."""
    if cond is None:
        return replace_accesses(body, [replace(a, exact=False) for a in body.accesses])
    return replace_accesses(body, [replace(a, guard=(*a.guard, cond)) for a in body.accesses])


def _of_if(stmt: ir.If) -> Summary:
    builder = _Builder()
    builder.reads(stmt.cond)
    then, other = block_summary(stmt.body), block_summary(stmt.orelse)
    if depends_on_data(stmt.cond):
        return merge([builder.done(), under_condition(then, None), under_condition(other, None)])
    lowering = Lowering()
    cond = lowering.truth(stmt.cond)
    if lowering.unknowns:  # reads configuration: certain in neither branch
        return merge([builder.done(), under_condition(then, None), under_condition(other, None)])
    return merge([builder.done(), under_condition(then, cond), under_condition(other, fml.not_(cond))])


def call_effect(call: ir.Call, inside: Iterable[Access]) -> Summary:
    """The callee's effect with formals replaced by the arguments (docs/semantics.md, calls), as far as inside goes."""
    proc, args = call.proc, call.args
    builder = _Builder()
    env: dict[Sym, Lin] = {}
    bools: dict[Sym, Formula] = {}
    windows: dict[Sym, WindowMap] = {}
    constants: set[Sym] = set()
    lowering = Lowering()
    for formal, actual in zip(proc.args, args, strict=True):
        if isinstance(formal.type, ControlType):
            builder.reads(actual)
            if formal.type is SIZE or formal.type.name == "index":
                env[formal.name] = lowering.index(actual)
            else:
                bools[formal.name] = lowering.truth(actual)
        elif isinstance(actual, ir.Literal | ir.ReadConfig):
            builder.reads(actual)
            constants.add(formal.name)
        else:
            for child in child_nodes(actual):
                builder.reads(child)
            windows[formal.name] = argument_map(actual, lowering)
    body = proc_summary(proc)
    strides = strides_of_actuals(proc, args)
    accesses = [_in_caller(fresh(a), env, bools, windows, strides, call) for a in inside if a.buffer not in constants]
    if lowering.unknowns:  # an argument reads configuration: what depends on it is only known to maybe happen
        unknowns = tuple(lowering.unknowns)
        accesses = [replace(a, iters=(*a.iters, *unknowns), exact=False) for a in accesses]
    own = builder.done()
    return Summary((*own.accesses, *accesses), body.checks, own.fields | body.fields)


def argument_map(actual: ir.Expr, lowering: Lowering | None = None) -> WindowMap:
    """The buffer argument of a call as a map from the formal's coordinates to the actual's; its unknowns go into lowering."""
    lowering = lowering or Lowering()
    match actual:
        case ir.WindowExpr():
            return window_map(actual)
        case ir.Read(name=name, type=TensorType(shape=shape)):
            return WindowMap(name, tuple((affine.ZERO, True) for _ in shape))
        case ir.Read(name=name, idx=idx):
            return WindowMap(name, tuple((lowering.index(i), False) for i in idx))
        case ir.Literal() | ir.UnaryMinus() | ir.BinaryOp() | ir.ExternCall() | ir.Cast() | ir.StrideExpr() | ir.ReadConfig():
            raise AssertionError(f"not a buffer argument: {actual!r}")


def _in_caller(
    access: Access,
    env: Mapping[Sym, Lin],
    bools: Mapping[Sym, Formula],
    windows: Mapping[Sym, WindowMap],
    strides: fml.StrideMap,
    call: ir.Call,
) -> Access:
    point = tuple(affine.subst(p, env, strides) for p in access.point)
    guard = tuple(fml.subst(g, env, strides, bools) for g in access.guard)
    is_field = isinstance(access.buffer, FieldSym)
    found = WindowMap(access.buffer, ()) if is_field else windows[access.buffer]  # a field is the same one everywhere
    return Access(found.buffer, access.kind, found.apply(point), access.iters, guard, access.exact, call, access.op)


def strides_of_actuals(proc: ir.Proc, args: Sequence[ir.Expr]) -> fml.StrideMap:
    """A formal's strides as those of the buffer that is passed: they may differ from one call to the next."""
    actuals = {formal.name: actual for formal, actual in zip(proc.args, args, strict=True)}

    def stride(atom: Stride) -> Lin | None:
        actual = actuals.get(atom.buffer)
        if isinstance(actual, ir.WindowExpr):
            return affine.of_atom(outer_stride(actual, atom.dim))
        return affine.of_atom(Stride(actual.name, atom.dim)) if isinstance(actual, ir.Read) else None

    return stride


def fresh(access: Access) -> Access:
    """access with its bound names renamed, to be compared with another instance of the same code."""
    return access if not access.iters else rename(access, {i: affine.var(i.copy()) for i in access.iters})


def rename(access: Access, env: Mapping[Sym, Lin]) -> Access:
    """access with variables replaced; bound ones must be replaced by variables."""
    iters = []
    for name in access.iters:
        if name in env:
            ((atom, _),) = env[name].terms.items()
            assert isinstance(atom, Sym)
            iters.append(atom)
        else:
            iters.append(name)
    return replace(
        access,
        iters=tuple(iters),
        point=tuple(affine.subst(p, env) for p in access.point),
        guard=tuple(fml.subst(g, env) for g in access.guard),
    )


def reads_of(expr: ir.Expr) -> tuple[Access, ...]:
    """The data read by evaluating an expression."""
    builder = _Builder()
    builder.reads(expr)
    return tuple(builder.accesses)
