"""Arguments for operators on statements and expressions, and for `mult_loops` and `autofission`."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.actions import At, Draft, Propose
from tests.fuzz.sites import Site, enclosing, expressions, loops, siblings, sites
from usl_core.analysis.effects import proc_summary
from usl_core.cursors.path import Loc
from usl_core.ir.combining import OPERATORS
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    BinaryOp,
    Expr,
    ExternCall,
    For,
    If,
    Literal,
    Pass,
    Proc,
    Read,
    Reduce,
    Stmt,
    WindowExpr,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import child_nodes, same, walk
from usl_core.ir.types import BOOL, COND, INDEX, SCALARS, SIZE, ScalarType, scalar_of

STATEMENT_ACTIONS: dict[str, Propose] = {}
"""By the name of the operator."""


def action(propose: Propose) -> Propose:
    STATEMENT_ACTIONS[propose.__name__] = propose
    return propose


def _pick(rng: random.Random, items: list[Any]) -> Any:
    return rng.choice(items) if items else None


def _writes(proc: Proc) -> list[Site]:
    return [site for site in sites(proc) if isinstance(site.stmt, Assign | Reduce)]


def _following(proc: Proc, site: Site) -> Stmt | None:
    block = siblings(proc, site)
    return block[site.index + 1] if site.index + 1 < len(block) else None


def _same_target(a: Stmt, b: Stmt | None) -> bool:
    if not isinstance(a, Assign | Reduce) or not isinstance(b, Assign | Reduce):
        return False
    return a.name is b.name and all(same(x, y) for x, y in zip(a.idx, b.idx, strict=True))


def _exprs(proc: Proc, site: Site) -> list[tuple[Loc, Expr]]:
    return [*expressions(proc, site)]


# ---- statements


@action
def merge_writes(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    pairs = [s for s in _writes(proc) if isinstance(_following(proc, s), Assign | Reduce)]
    aimed = [s for s in pairs if _same_target(s.stmt, _following(proc, s))]
    site = _pick(rng, aimed or pairs)
    return Draft((At(site.block(2)),)) if site else None


@action
def split_write(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    sums = [s for s in _writes(proc) if isinstance(s.stmt.rhs, BinaryOp | ExternCall)]  # type: ignore[attr-defined]
    site = _pick(rng, sums)
    return Draft((At(site.loc),)) if site else None


@action
def fold_into_reduce(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    found = [s for s in _writes(proc) if _combines_target(s.stmt) or (isinstance(s.stmt, Assign) and rng.random() < 0.03)]
    found += [s for s in sites(proc) if isinstance(s.stmt, If) and _assigns_what_it_compares(s.stmt, rng)]
    site = _pick(rng, found)
    return Draft((At(site.loc),)) if site else None


def _combines_target(stmt: Stmt) -> bool:
    """Whether it is `a = a + e` or `a = max(e, a)`, at one place."""
    if not isinstance(stmt, Assign) or not isinstance(stmt.rhs, BinaryOp | ExternCall):
        return False
    terms = [e for e in child_nodes(stmt.rhs) if isinstance(e, Read) and e.name is stmt.name]
    return any(all(same(x, y) for x, y in zip(e.idx, stmt.idx, strict=True)) for e in terms)


def _assigns_what_it_compares(branch: If, rng: random.Random) -> bool:
    return branch.cond.type is COND and (rng.random() < 0.05 or any(isinstance(s, Assign) for s in branch.body))


@action
def if_to_select(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    branches = [s for s in sites(proc) if isinstance(s.stmt, If)]
    on_data = [s for s in branches if s.stmt.cond.type is COND]  # type: ignore[attr-defined]
    site = _pick(rng, on_data if on_data and rng.random() < 0.9 else branches)
    return Draft((At(site.loc),)) if site else None


@action
def inline_assign(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    formals = {arg.name for arg in proc.args}
    assigns = [s for s in _writes(proc) if isinstance(s.stmt, Assign)]
    local = [s for s in assigns if s.stmt.name not in formals]  # type: ignore[attr-defined]
    site = _pick(rng, local if local and rng.random() < 0.9 else assigns)
    return Draft((At(site.loc),)) if site else None


@action
def lift_reduce_constant(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in _writes(proc) if _starts_a_sum(s.stmt, _following(proc, s), rng.random() < 0.05)])
    return Draft((At(site.block(2)),)) if site else None


def _starts_a_sum(first: Stmt, loop: Stmt | None, any_sum: bool) -> bool:
    """Whether loop adds products to what first sets to a literal; with any_sum, whether it is a loop at all."""
    if not isinstance(first, Assign) or not isinstance(first.rhs, Literal) or not isinstance(loop, For):
        return False
    terms = [n.rhs for n in walk(loop) if isinstance(n, Reduce) and n.name is first.name]
    return any_sum or any(isinstance(n, BinaryOp) and n.op == "*" for term in terms for n in walk(term))


@action
def insert_noop_call(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    from tests.fuzz.actions import Callee

    site = _pick(rng, sites(proc))
    if site is None:
        return None
    setter = _pick(rng, [callee for callee in callees if _sets_fields(callee)])
    if setter is not None and rng.random() < 0.7:
        return Draft((At(site.after()), Callee(setter), [_setting(proc, site, arg, rng) for arg in setter.args]))
    windows = [arg for arg in proc.args if not isinstance(arg.type, ScalarType) and hasattr(arg.type, "shape")]
    rank1 = [arg for arg in windows if len(arg.type.shape) == 1]  # type: ignore[union-attr]
    target = _pick(rng, rank1)
    if target is None:
        return None
    lo = rng.choice(("0", "0", "1"))
    hi = rng.choice((show_expr(target.type.shape[0]), f"{lo} + 1", f"{lo} + 2"))
    return Draft((At(site.after()), Callee(_prefetch(target.type.scalar)), [hi + f" - {lo}", f"{target.name.name}[{lo}:{hi}]"]))


def _sets_fields(callee: Proc) -> bool:
    """Whether a procedure takes numbers alone and may do no more than to write fields."""
    return bool(proc_summary(callee).config_writes) and not any(hasattr(arg.type, "shape") for arg in callee.args)


def _setting(proc: Proc, site: Site, formal: Arg, rng: random.Random) -> Any:
    """An argument for a formal of such a procedure: often what a call of it is given elsewhere."""
    if formal.type is BOOL:
        return rng.choice((True, False))
    if isinstance(formal.type, ScalarType):
        return rng.choice((1.0, 2.0))
    iters = [loop.iter.name for loop in enclosing(proc, site.path) if isinstance(loop, For)]
    sizes = [arg.name.name for arg in proc.args if arg.type is SIZE]
    return rng.choice((1, 3, *sizes, *sizes, *iters))


def _prefetch(scalar: ScalarType) -> Proc:
    from usl_core.procedure import proc_from_source

    scope = {} if scalar.name in SCALARS else {scalar.name: scalar}
    return proc_from_source(f"def prefetch(n: size, x: [{scalar}][n]):\n    pass\n", scope).ir


# ---- expressions


@action
def commute_expr(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    found = [loc for s in sites(proc) for loc, e in _exprs(proc, s) if isinstance(e, BinaryOp) and e.op in OPERATORS]
    return Draft(([At(loc) for loc in rng.sample(found, min(len(found), rng.choice((1, 1, 2))))],)) if found else None


@action
def left_reassociate_expr(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    nested = [
        loc
        for s in sites(proc)
        for loc, e in _exprs(proc, s)
        if isinstance(e, BinaryOp) and e.op in "+-*&|^" and isinstance(e.rhs, BinaryOp) and e.rhs.op in "+-*&|^"
    ]
    loc = _pick(rng, nested)
    return Draft((At(loc),)) if loc else None


@action
def rewrite_expr(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    found = [(loc, e) for s in sites(proc) for loc, e in _exprs(proc, s) if not isinstance(e, WindowExpr)]
    choice = _pick(rng, found)
    if choice is None:
        return None
    loc, expr = choice
    other = _pick(rng, [e for _, e in found if e.type == expr.type])
    return Draft((At(loc), _variant(expr, other, rng)))


def _variant(expr: Expr, other: Expr, rng: random.Random) -> str:
    """Text that is equal to expr, or looks as if it might be."""
    text, o = show_expr(expr), show_expr(other)
    if expr.type is BOOL:
        return rng.choice((f"{text} and {text}", f"not ({text})", f"{text} or 1 > 2", o))
    one = "1.0" if isinstance(expr.type, ScalarType) and expr.type.is_real else "1"
    general = [f"({text}) / ({o}) * ({o})", f"({text}) + 0{one[1:]} * ({one} / ({o}))"] if expr.type is not INDEX else []
    general += [f"({text}) + {one} - {one}", f"-(-({text}))", f"({text}) + ({o}) - ({o})", f"({o}) * {one}", o]
    if one == "1.0":
        general += [f"({text}) + 0.0 * (1.0 / ({text}))", f"({text}) + 0.0 * (1.0 / 0.0)"]
    if expr.type is INDEX:
        return rng.choice([*general, f"(2 * ({text})) / 2", f"min({text}, {text})", f"({text} + 4) - 4", f"max({text}, 0)"])
    if isinstance(expr, BinaryOp) and expr.op in ("+", "-", "*"):
        a, b = show_expr(expr.lhs), show_expr(expr.rhs)
        swapped = {"+": f"({b}) + ({a})", "*": f"({b}) * ({a})", "-": f"-(({b}) - ({a}))"}[expr.op]
        return rng.choice((swapped, f"({a}) {expr.op} ({b})", *general))
    if isinstance(expr, BinaryOp) and expr.op in ("&", "|", "^", "<<", ">>"):
        a, b = show_expr(expr.lhs), show_expr(expr.rhs)
        general += [f"({b}) {expr.op} ({a})", f"(({a}) {expr.op} ({b})) {expr.op} ({b})", f"({a}) {expr.op} (({b}) + 0)"]
        general += [f"({a}) * 4", f"({a}) / 4", f"({a}) * 2", f"({a}) / 2"]
        return rng.choice(general)
    half = [f"({text}) / 2.0 + 0.5 * ({text})"] if one == "1.0" else [f"3 * ({text}) - 2 * ({text})"]
    return rng.choice([*general, *half])


# ---- loops


@action
def mult_loops(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    nests = [s for s in loops(proc) if isinstance(s.stmt, For) and len(s.stmt.body) == 1 and isinstance(s.stmt.body[0], For)]
    site = _pick(rng, nests)
    return Draft((At(site.loc), "k")) if site else None


@action
def autofission(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    inner = [
        s for s in sites(proc) if len(s.path) > 1 and s.index + 1 < len(siblings(proc, s)) and not isinstance(s.stmt, Pass)
    ]
    site = _pick(rng, inner)
    return Draft((At(site.after()),), {"n_lifts": rng.choice((1, 1, 1, 2, None))}) if site else None


# ---- programs


def aimed_program(rng: random.Random) -> Proc:
    """A small program of the kinds that these operators are for: sums with a factor, temporaries, repeated writes."""
    from usl_core.procedure import proc_from_source

    typ = rng.choice(("R", "f32", "i32", "u8"))
    number = (lambda v: f"{v}.0") if typ in ("R", "f32") else str
    partial = ("1.0 / s", "1.0 / y[0]", "1.0 / 0.0") if typ in ("R", "f32") else ("7 / s",)
    c = rng.choice((f"({rng.choice(partial)})", number(3), "s", "y[0]", "y[n - 1]", "y[i]", "acc", "z[0]", "w[0]"))
    e = rng.choice(("x[i]", "x[i] * y[i]", "(x[i] + s)", number(2), "acc", "x[0] * x[i]", "t"))
    term = rng.choice((f"{c} * {e}", f"{e} * {c}", f"{c} * {e} + {c}", f"-{e}"))
    acc, decl = rng.choice((("acc", f"acc: {typ}"), ("z[1]", "pass"), ("w[0]", "pass"), ("z[n]", "pass")))
    term, where = term.replace("acc", acc), rng.choice(("n", "n", "n - 1", "4"))
    wrapped = rng.choice(("{0}", "{0}", "if i < 3:\n            {0}", "for j in seq(0, 3):\n            {0}"))
    other = rng.choice(("pass", "pass", "z[0] = x[i]", f"t = {number(2)}", f"{acc} = s", f"{acc} += x[i]", "w[1] += s"))
    last = rng.choice((f"{acc} += s", f"{acc} = {acc} + s", f"t = {acc}", f"z[2] = {acc} + t", f"{acc} = s + {acc}"))
    text = f"""def aimed(n: size, x: {typ}[n + 4], y: {typ}[n], z: {typ}[n + 3], s: {typ}):
    w = z[1:3]
    {decl}
    t: {typ}
    t = {rng.choice(("s", "y[0]", "x[0] + s"))}
    {acc} = {rng.choice((number(0), number(0), number(0), "s"))}
    for i in seq(0, {where}):
        {wrapped.format(f"{acc} += {term}")}
        {other}
    {last}
    z[0] = {rng.choice((acc, "t", f"t * {acc}"))}
"""
    return proc_from_source(text).ir


@action
def scale_accumulator(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    """A local buffer, and a factor made of scalars that are there too."""
    buffers = [s for s in sites(proc) if isinstance(s.stmt, Alloc)]
    reals = [s for s in buffers if scalar_of(s.stmt.type).is_real]  # type: ignore[attr-defined]
    site = _pick(rng, reals if reals and rng.random() < 0.95 else buffers)
    if site is None:
        return None
    scalars = [arg.name.name for arg in proc.args if isinstance(arg.type, ScalarType) and arg.type.is_real]
    scalars += [s.stmt.name.name for s in reals if isinstance(s.stmt.type, ScalarType)]  # type: ignore[attr-defined]
    names = rng.choices(scalars, k=2) if scalars else ["1.0", "0.5"]
    form = rng.choice(("exp({0})", "2.0 * exp(-{0})", "exp({0} + {1}) / 3.0", "-0.5", "exp(max({0}, {1}))", "exp({0}) * {1}"))
    return Draft((At(site.loc), form.format(*names)))
