"""The invariant of every procedure as proof obligations: accesses in bounds, ranges ordered, extents positive, calls legal.

`check_block` proves all obligations of a block in a context; the frontend runs it on whole procedures, the primitives on
what they changed, the backend once more on everything. Reference: docs/semantics.md, "Stores, poison, refinement" and
"Aliasing".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import assert_never

from usl_core.analysis import affine, solver
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.conflict import describe_model, overlap
from usl_core.analysis.context import Context
from usl_core.analysis.dataflow import Env, Value
from usl_core.analysis.effects import Access, Kind, WindowMap, outer_stride, strides_of_actuals
from usl_core.analysis.facts import Facts
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.formula import TRUE, Formula
from usl_core.analysis.lower import Lowering, form_of, truth
from usl_core.analysis.scope import BufferInfo, shape_of
from usl_core.analysis.show import show_lin
from usl_core.analysis.solver import Proved, Refuted, Unknown, consistent
from usl_core.errors import BoundsError, Span, Undecided, counterexample
from usl_core.ir import nodes as ir
from usl_core.ir.config import FieldSym
from usl_core.ir.externs import IDX
from usl_core.ir.memo import memo_of
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, depends_on_data, mentioned, update
from usl_core.ir.types import BOOL, SIZE, ControlType, ScalarType, TensorType
from usl_core.ir.written import written_formals
from usl_core.profiling import profiled


def require(
    ctx: Context,
    goal: Formula,
    message: Callable[[], str],
    span: Span,
    *,
    extra: Sequence[Formula] = (),
    values: Iterable[Lin] = (),
    hint: str = "",
    code: str = "E300",
) -> None:
    """Prove goal in ctx, or raise with the values that refute it. What is shown on failure is only computed then.

    Raises:
        BoundsError: the goal fails for some values of sizes and iterators, which the notes show.
        Undecided: the solver could not tell.
    """
    if goal is TRUE:
        return
    match ctx.prove(goal, extra):
        case Proved():
            return
        case Refuted(model=model):
            shown = describe_model(model, [goal, *ctx.facts, *extra], values)
            notes = counterexample(shown)
            raise BoundsError(message(), span=span, notes=[*notes, *([f"hint: {hint}"] if hint else [])], code=code)
        case Unknown(reason=reason):
            raise Undecided(f"could not decide: {message()}", span=span, notes=[f"solver: {reason}"])


def check_proc_invariant(proc: ir.Proc) -> None:
    """All obligations of a procedure, its assertions' consistency included."""
    ctx = Context.of_proc(proc)
    check_assertions(proc, ctx)
    start = Context.of_proc(update(proc, preds=(), body=()))
    sizes = Facts(tuple(f for a in proc.args if a.type is SIZE for f in [fml.ge(affine.var(a.name), 1)]))
    sizes_only = Context(start.scope, sizes).assume([start.truth(p) for p in proc.preds])
    for arg in proc.args:
        if isinstance(arg.type, TensorType):
            check_extents(sizes_only, arg.type, f"formal {arg.name.name}", arg.span)
    check_block(ctx, proc.body)


@profiled("obligation", "assertions")
def check_assertions(proc: ir.Proc, ctx: Context) -> None:
    """Contradictory assertions would prove everything, so they are refused with a conflicting subset."""
    if not proc.preds:
        return
    match consistent(ctx.facts):
        case Proved():
            return
        case Refuted():
            conflict = _conflicting(proc)
            shown = "; ".join(show_expr(p) for p in conflict)
            raise BoundsError(
                f"the assertions of {proc.name} contradict each other: {shown}",
                span=conflict[0].span,
                notes=["no arguments satisfy them, so the procedure can never be called"],
                code="E301",
            )
        case Unknown(reason=reason):
            raise Undecided(f"could not decide whether the assertions of {proc.name} can hold", span=proc.span, notes=[reason])


def _conflicting(proc: ir.Proc) -> list[ir.Expr]:
    """A minimal set of assertions that cannot hold together, found by leaving out one at a time."""
    kept = list(proc.preds)
    for pred in proc.preds:
        rest = [p for p in kept if p is not pred]
        if rest and isinstance(consistent(Context.of_proc(update(proc, preds=tuple(rest))).facts), Refuted):
            kept = rest
    return kept


def check_block(ctx: Context, block: ir.Block) -> Context:
    """Prove the obligations of each statement of block; returns the context after it."""
    for stmt in block:
        # Proving others again is as fast as finding out that they are proved.
        if solver.statements_remember and isinstance(stmt, ir.For | ir.If | ir.Call):
            memo = memo_of(stmt)
            bindings, known = ctx.known_to(stmt)
            if check_block not in memo or not memo[check_block].covers(bindings, known):
                check_stmt(ctx, stmt)
                memo.setdefault(check_block, _Proved()).add(bindings, known)
        else:
            check_stmt(ctx, stmt)
        ctx = ctx.after(stmt)
    return ctx


def check_mentions(ctx: Context, block: ir.Block, names: frozenset[Sym]) -> None:
    """Prove the obligations again of what mentions one of names, in a block where all others are proved already.

    That is enough where names are bound otherwise than in the proof at hand. A condition on their strides says something else
    now, so that all is proved again for which it was known.
    """
    for position, stmt in enumerate(block):
        again = not names.isdisjoint(mentioned(stmt))
        if again and isinstance(stmt, ir.For | ir.If) and names.isdisjoint(_mentioned_in_head(stmt)):
            check_mentions(ctx.enter(stmt, "body"), stmt.body, names)
            if isinstance(stmt, ir.If):
                check_mentions(ctx.enter(stmt, "orelse"), stmt.orelse, names)
        elif again:
            check_stmt(ctx, stmt)
            if isinstance(stmt, ir.WindowStmt):  # it shows a buffer that is another now
                names |= {stmt.name}
        ctx = ctx.after(stmt)
        if again and isinstance(stmt, ir.Check):
            check_block(ctx, block[position + 1 :])
            return


def _mentioned_in_head(stmt: ir.For | ir.If) -> frozenset[Sym]:
    """The names in the range of a loop or the condition of a branch."""
    return mentioned(stmt.lo) | mentioned(stmt.hi) if isinstance(stmt, ir.For) else mentioned(stmt.cond)


class _Proved:
    """The contexts in which the obligations of one statement are proved: the facts, by what the names in it are bound to."""

    __slots__ = ("facts",)

    def __init__(self) -> None:
        self.facts: dict[object, list[frozenset[Formula]]] = {}

    def covers(self, bindings: object, known: frozenset[Formula]) -> bool:
        """Whether the obligations were proved from facts that are all known (`Context.known_to`)."""
        return any(facts <= known for facts in self.facts.get(bindings, ()))

    def add(self, bindings: object, known: frozenset[Formula]) -> None:
        self.facts.setdefault(bindings, []).append(known)


def check_stmt(ctx: Context, stmt: ir.Stmt) -> None:
    """All that must hold of a statement for it to be safe where ctx holds. Raises: BoundsError, Undecided."""
    match stmt:
        case ir.Assign(name=name, idx=idx, rhs=rhs) | ir.Reduce(name=name, idx=idx, rhs=rhs):
            check_access(ctx, name, idx, stmt.span)
            check_expr(ctx, rhs)
        case ir.AssignConfig():
            _check_config_write(ctx, stmt)
        case ir.Pass() | ir.Check():
            pass  # a `check` is on control values, which have no obligations
        case ir.If(body=body, orelse=orelse):
            check_head(ctx, stmt)
            check_block(ctx.enter(stmt, "body"), body)
            if orelse:
                check_block(ctx.enter(stmt, "orelse"), orelse)
        case ir.For(body=body):
            check_head(ctx, stmt)
            check_block(ctx.enter(stmt, "body"), body)
        case ir.Alloc(name=name, type=typ):
            check_extents(ctx, typ, f"buffer {name.name}", stmt.span)
        case ir.WindowStmt(rhs=rhs):
            check_expr(ctx, rhs)
        case ir.Call():
            check_call(ctx, stmt)
        case _:
            assert_never(stmt)


def check_head(ctx: Context, stmt: ir.For | ir.If) -> None:
    """The obligations of a loop or branch apart from its body's."""
    if isinstance(stmt, ir.For):
        _check_range(ctx, stmt, stmt.lo, stmt.hi)
    else:
        check_expr(ctx, stmt.cond)


@profiled("obligation", "configuration writes")
def _check_config_write(ctx: Context, stmt: ir.AssignConfig) -> None:
    check_expr(ctx, stmt.rhs)
    if stmt.config.fields[stmt.field].type is SIZE:
        value = ctx.index(stmt.rhs)
        name = f"{stmt.config.name}.{stmt.field}"
        message = lambda: f"{name} is a size and may be set to less than 1: {show_expr(stmt.rhs)}"  # noqa: E731
        require(ctx, fml.ge(value, 1), message, stmt.span, values=(value,), code="E311")


@profiled("obligation", "ranges")
def _check_range(ctx: Context, loop: ir.For, lo: ir.Expr, hi: ir.Expr) -> None:
    low, high = ctx.index(lo), ctx.index(hi)
    require(
        ctx,
        fml.le(low, high),
        lambda: f"the range of loop {loop.iter.name} may be negative: cannot prove {show_expr(lo)} <= {show_expr(hi)}",
        loop.span,
        values=(low, high),
        hint="assert it, or use max() in the upper limit",
        code="E302",
    )


@profiled("obligation", "extents")
def check_extents(ctx: Context, typ: ScalarType | TensorType, what: str, span: Span) -> None:
    """Each extent of typ is at least 1. Raises: BoundsError, Undecided."""
    if isinstance(typ, TensorType):
        for extent in typ.shape:
            _require_extent(ctx, extent, what, span)


def _require_extent(ctx: Context, extent: ir.Expr, what: str, span: Span) -> None:
    value = ctx.index(extent)
    require(
        ctx,
        fml.ge(value, 1),
        lambda: f"an extent of {what} may be below 1: cannot prove {show_expr(extent)} >= 1",
        span,
        values=(value,),
        code="E303",
    )


def check_expr(ctx: Context, expr: ir.Expr | ir.Interval) -> None:
    """The reads, windows and clamps inside an expression."""
    match expr:
        case ir.Read(name=name, idx=idx) if idx:
            check_access(ctx, name, idx, expr.span)
            return
        case ir.WindowExpr():
            check_window(ctx, expr)
        case ir.ExternCall(fn=fn, args=args) if fn is IDX:
            lo, hi = ctx.index(args[1]), ctx.index(args[2])
            message = lambda: f"the limits of idx may be empty: cannot prove {show_expr(args[1])} < {show_expr(args[2])}"  # noqa: E731
            require(ctx, fml.lt(lo, hi), message, expr.span, values=(lo, hi), code="E304")
        case ir.UnaryMinus() | ir.BinaryOp() | ir.ExternCall() | ir.Cast() | ir.Interval():
            pass  # nothing of it by itself, but of its operands
        case ir.Read() | ir.Literal() | ir.StrideExpr() | ir.ReadConfig():
            return
    for child in child_nodes(expr):
        check_expr(ctx, child)


@profiled("obligation", "bounds")
def check_access(ctx: Context, name: Sym, idx: Sequence[ir.Expr], span: Span) -> None:
    """Every index of an element access lies within its dimension."""
    for dim, (index, extent) in enumerate(zip(idx, ctx.scope.shape(name), strict=True)):
        if form_of(index) is None:  # otherwise there are no data in it, and nothing to prove of it by itself
            check_expr(ctx, index)
        value, ranges = ctx.index_in_range(index)
        place = partial("index {} of {}".format, dim, name.name)
        _in_range(ctx, value, value, extent, place, index, ranges, span)


def _in_range(
    ctx: Context,
    low: Lin,
    high: Lin,
    extent: Lin,
    place: Callable[[], str],
    shown: ir.Expr,
    extra: Sequence[Formula],
    span: Span,
) -> None:
    where = shown.span.or_else(span)
    require(
        ctx,
        fml.ge(low),
        lambda: f"{place()} may be negative: {show_expr(shown)}",
        where,
        extra=extra,
        values=(low,),
        hint="guard the access, or assert what keeps it in bounds",
        code="E305",
    )
    require(
        ctx,
        fml.lt(high, extent),
        lambda: f"{place()} may be out of bounds: {show_expr(shown)} against an extent of {show_lin(extent)}",
        where,
        extra=extra,
        values=(high, extent),
        hint="guard the access, or assert what keeps it in bounds",
        code="E305",
    )


@profiled("obligation", "windows")
def check_window(ctx: Context, window: ir.WindowExpr) -> None:
    """Each interval has at least one element and, like each point, lies within its dimension."""
    for dim, (entry, extent) in enumerate(zip(window.idx, ctx.scope.shape(window.name), strict=True)):
        place = partial(_window_place, dim, window)
        if not isinstance(entry, ir.Interval):
            value = ctx.index(entry)
            _in_range(ctx, value, value, extent, place, entry, (), window.span)
            continue
        low, high = ctx.index(entry.lo), ctx.index(entry.hi)
        empty = partial(_empty, place, entry)
        require(ctx, fml.lt(low, high), empty, window.span, values=(low, high), code="E306")
        _in_range(ctx, low, low, extent, place, entry.lo, (), window.span)
        _in_range(ctx, low, high - 1, extent, place, entry.hi, (), window.span)


def _window_place(dim: int, window: ir.WindowExpr) -> str:
    return f"dimension {dim} of window {show_expr(window)}"


def _empty(place: Callable[[], str], entry: ir.Interval) -> str:
    return f"{place()} may be empty: cannot prove {show_expr(entry.lo)} < {show_expr(entry.hi)}"


# ---- calls


@profiled("obligation", "calls")
def check_call(ctx: Context, call: ir.Call) -> None:
    """Sizes, shapes, assertions and disjointness of a call."""
    for arg in call.args:
        _check_place(call, arg)
        check_expr(ctx, arg)
    env = argument_values(ctx, call)
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        _check_argument(ctx, call, formal, actual, env)
    check_preconditions(ctx, call, call.proc.preds, env)
    check_disjoint(ctx, call)


def check_preconditions(ctx: Context, call: ir.Call, preds: Iterable[ir.Expr], env: Env) -> None:
    """Some of the callee's assertions, with its control formals replaced by the `argument_values` env."""
    for pred in preds:
        goal = _at_call(ctx, truth(pred), env)
        message = partial(_broken, call, pred)
        hint = "assert what it needs in the caller, or call it where a condition of an `if` makes it hold"
        require(ctx, goal, message, call.span, values=env.lins.values(), hint=hint, code="E310")


def _broken(call: ir.Call, pred: ir.Expr) -> str:
    return f"call of {call.proc.name} may break its assertion {show_expr(pred)}"


def _at_call(ctx: Context, f: Formula, env: Env) -> Formula:
    """A formula about the callee's formals and configuration fields, as one about the place of the call."""
    fields = Env.of({name: ctx.fields.value(name) for name in fml.free_syms(f) if isinstance(name, FieldSym)})
    return fml.subst(f, {**env.lins, **fields.lins}, env.strides, {**env.bools, **fields.bools})


def _check_place(call: ir.Call, arg: ir.Expr) -> None:
    """An argument names one place, whatever the data are: the callee may change these while it uses the place."""
    if depends_on_data(arg):
        raise BoundsError(
            f"an argument of {call.proc.name} depends on data through idx: {show_expr(arg)}",
            span=arg.span.or_else(call.span),
            notes=["hint: copy the element into a scalar before the call, and back after it if it is written"],
            code="E316",
        )


def argument_values(ctx: Context, call: ir.Call) -> Env:
    """What the callee's control formals, and the strides of its buffers, stand for."""
    strides = strides_of_actuals(call.proc, call.args)

    def resolved(atom: Stride) -> Lin | None:
        found = strides(atom)
        return None if found is None else ctx.scope.resolve_strides(found)

    values: dict[Sym, Value] = {}
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if isinstance(formal.type, ControlType):
            values[formal.name] = ctx.truth(actual) if formal.type is BOOL else ctx.index(actual)
    return Env.of(values, resolved)


def _check_argument(ctx: Context, call: ir.Call, formal: ir.Arg, actual: ir.Expr, env: Env) -> None:
    name, callee = formal.name.name, call.proc.name
    if formal.type is SIZE:
        value = env.lins[formal.name]
        require(
            ctx, fml.ge(value, 1), lambda: f"size {name} of {callee} may be below 1: {show_expr(actual)}", call.span,
            values=(value,), code="E311",
        )  # fmt: skip
    if not isinstance(formal.type, TensorType):
        _check_scalar(call, formal, actual)
        return
    assert isinstance(actual, ir.Read | ir.WindowExpr) and isinstance(actual.type, TensorType)
    if not formal.type.window:
        require(
            ctx, dense_layout(ctx, actual), lambda: f"argument {name} of {callee} is dense, and {show_expr(actual)} may not be",
            actual.span.or_else(call.span),
            hint=f"declare it as a window, [{formal.type.scalar}][...], or pass whole rows", code="E313",
        )  # fmt: skip
    for dim, (want, have) in enumerate(zip(formal.type.shape, shape_of(actual.type), strict=True)):
        form = form_of(want)
        lin = form.lin if form is not None and form.steady else Lowering().index(want)
        wanted = affine.subst(lin, env.lins, env.strides)
        message = partial(_differing, f"extent {dim} of argument {name} of {callee}", have, wanted)
        require(ctx, fml.eq(ctx.scope.resolve_strides(have), wanted), message, call.span, values=(have, wanted), code="E314")


def _check_scalar(call: ir.Call, formal: ir.Arg, actual: ir.Expr) -> None:
    """A number or field is no location, and has one value during the call."""
    if not isinstance(formal.type, ScalarType) or not isinstance(actual, ir.Literal | ir.ReadConfig):
        return
    reason = ""
    if formal.name in written_formals(call.proc):
        found = "a literal" if isinstance(actual, ir.Literal) else "a field"
        reason = f"writes its argument {formal.name.name}, so {found} cannot stand for it"
    elif isinstance(actual, ir.ReadConfig) and actual.config.sym(actual.field) in field_use(call.proc).written:
        reason = f"writes {show_expr(actual)}, so that cannot be its argument {formal.name.name}"
    if reason:
        raise BoundsError(
            f"{call.proc.name} {reason}",
            span=actual.span.or_else(call.span),
            notes=["hint: pass a scalar buffer"],
            code="E312",
        )


def _differing(what: str, have: Lin, wanted: Lin) -> str:
    return f"{what} may differ: cannot prove {show_lin(have)} == {show_lin(wanted)}"


def dense_layout(ctx: Context, actual: ir.Read | ir.WindowExpr) -> Formula:
    """That the elements of a buffer or window lie as those of a buffer of its shape do, the last dimension contiguous."""
    if isinstance(actual, ir.Read) and not _is_window(ctx, actual):
        return TRUE
    assert isinstance(actual.type, TensorType)
    shape = shape_of(actual.type)
    dims = range(len(shape))
    strides = [outer_stride(actual, dim) if isinstance(actual, ir.WindowExpr) else Stride(actual.name, dim) for dim in dims]
    return fml.and_(
        fml.eq(ctx.scope.resolve_strides(affine.of_atom(stride)), affine.product([affine.const(1), *shape[dim + 1 :]]))
        for dim, stride in enumerate(strides)
    )


def _is_window(ctx: Context, actual: ir.Read) -> bool:
    info: BufferInfo = ctx.scope.buffers[actual.name]
    return isinstance(info.type, TensorType) and info.type.window


@profiled("obligation", "disjoint arguments")
def check_disjoint(ctx: Context, call: ir.Call) -> None:
    """Buffers that the callee modifies overlap no other argument, unless it declares that they may."""
    places = [
        (formal, actual)
        for formal, actual in zip(call.proc.args, call.args, strict=True)
        if not isinstance(formal.type, ControlType) and not isinstance(actual, ir.Literal | ir.ReadConfig)
    ]
    buffers = {ctx.scope.root(actual.name) for _, actual in places if isinstance(actual, ir.Read | ir.WindowExpr)}
    if len(buffers) == len(places):  # each argument is of a buffer of its own
        return
    maps = [(formal, ctx.scope.argument_map(actual), actual) for formal, actual in places]
    modified = written_formals(call.proc)
    for position, (formal, place, actual) in enumerate(maps):
        for other, other_place, other_actual in maps[position + 1 :]:
            if place.buffer is not other_place.buffer or not (formal.name in modified or other.name in modified):
                continue
            if {formal.name.name, other.name.name} <= set(call.proc.aliasable):
                continue
            region, other_region = _region(ctx, place, actual), _region(ctx, other_place, other_actual)
            found = overlap(ctx.facts, region, other_region)
            if found is not None:
                names = f"{formal.name.name} and {other.name.name}"
                raise BoundsError(
                    f"arguments {names} of {call.proc.name} may overlap, and it writes one of them",
                    span=call.span,
                    notes=[f"both may touch {place.buffer.name}", *counterexample(found)],
                    code="E315",
                )


def _region(ctx: Context, place: WindowMap, actual: ir.Expr) -> Access:
    """All locations of a buffer argument."""
    extents = shape_of(actual.type) if isinstance(actual.type, TensorType) else ()
    iters = tuple(Sym(f"d{dim}") for dim in range(len(extents)))
    guard: list[Formula] = []
    for name, extent in zip(iters, extents, strict=True):
        guard += [fml.ge(affine.var(name)), fml.lt(affine.var(name), ctx.scope.resolve_strides(extent))]
    point = place.apply([affine.var(name) for name in iters])
    return Access(place.buffer, Kind.WRITE, point, iters, tuple(guard), True, actual)
