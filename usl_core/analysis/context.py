"""What is known at a place in a procedure: what is in scope, facts about control values, and what configuration fields hold.

Facts are the assertions, `size >= 1`, positive extents, the ranges of enclosing loops, the conditions of enclosing
branches, and earlier `check`s. Reference: Reinking 2022, §3.6.1 (the control predicate).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.dataflow import Env, Value
from usl_core.analysis.dataflow import mentioned as mentioned_in
from usl_core.analysis.facts import Facts
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.formula import Formula
from usl_core.analysis.holding import Fields, Held, held_in, is_of_held
from usl_core.analysis.lower import Lowering, condition_of, form_of, truth
from usl_core.analysis.scope import Scope, extent_facts, extents_of
from usl_core.analysis.solver import Answer, holds, prove
from usl_core.cursors.path import Path
from usl_core.ir import nodes as ir
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import lazy
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, get_field, mentioned
from usl_core.ir.types import SIZE, ScalarType, TensorType


@dataclass(frozen=True)
class Context:
    """An immutable context; `enter` and `after` give those of neighbouring places."""

    scope: Scope = field(default_factory=Scope)
    known: Facts = field(default_factory=Facts)
    fields: Fields = field(default_factory=Fields)

    @property
    def facts(self) -> tuple[Formula, ...]:
        """What is known here of control values that does not depend on what fields hold."""
        return self.known.formulas

    def known_to(self, stmt: ir.Stmt) -> tuple[object, frozenset[Formula]]:
        """All that the obligations of stmt depend on: what its names are bound to and what fields hold, and the facts."""
        shown = frozenset((name, self.scope.binding(name)) for name in mentioned(stmt) if name in self.scope.buffers)
        if self.fields.asserted:
            return (shown, frozenset(self.fields.values.items())), self.hypotheses.members
        read = {name: self.fields.value(name) for name in field_use(stmt).read & self.fields.written}
        if not read:
            return shown, self.known.hypotheses.members
        held = frozenset(name for value in read.values() for name in mentioned_in(value) if isinstance(name, Held))
        return (shown, frozenset(read.items())), self._knowing(held).members

    # -- construction

    @staticmethod
    def of_proc(proc: ir.Proc) -> Context:
        """At the start of the body."""
        use = field_use(proc)
        return _at_start(proc.args, proc.preds, use.all)

    @staticmethod
    def at(proc: ir.Proc, path: Path) -> Context:
        """Just before the node at path is executed (for an expression: before its statement; for a body: inside it)."""
        ctx = Context.of_proc(proc)
        node: ir.Node = proc
        for name, position in path:
            if name in ("body", "orelse"):
                assert position is not None
                if not isinstance(node, ir.Proc):
                    assert isinstance(node, ir.StmtBase)
                    ctx = ctx.enter(node, name)
                block = get_field(node, name)
                ctx = ctx.after_all(block[:position])
                node = block[position]
            else:
                break
        return ctx

    def assume(self, facts: Iterable[Formula]) -> Context:
        """With more facts; what was known stays known."""
        new = [p for f in facts for p in fml.conjuncts(f) if p is not fml.TRUE]
        here = [f for f in new if is_of_held(f)] if self.fields.tracked else []
        if here:
            return Context(self.scope, self.known.with_more(f for f in new if f not in here), self.fields.assume(here))
        return Context(self.scope, self.known.with_more(new), self.fields) if new else self

    def enter(self, stmt: ir.Stmt, branch: str) -> Context:
        """Inside a loop's body or a branch of an if."""
        match stmt:
            case ir.For(iter=name, lo=lo, hi=hi):
                limits = _range(name, self.index(lo), self.index(hi))
                if not self.fields.tracked:
                    return Context(self.scope.inside(stmt), self.known.with_more(limits), self.fields)
                inner = self.assume(limits)
                return Context(self.scope.inside(stmt), inner.known, inner.fields.changed_by(inner, stmt, inside=True))
            case ir.If(cond=cond):
                if depends_on_data(cond):
                    return self
                return self.assume([self.truth(cond) if branch == "body" else self.falsity(cond)])
            case ir.SimpleStmt():
                raise AssertionError(f"not a statement with a body: {stmt!r}")

    def after_all(self, block: Iterable[ir.Stmt]) -> Context:
        """After several statements of one block."""
        ctx, allocs = self, list[ir.Alloc]()
        for stmt in block if self.fields.tracked else [stmt for stmt in block if isinstance(stmt, _TELLING)]:
            if isinstance(stmt, ir.Alloc):
                allocs.append(stmt)
            else:
                ctx, allocs = ctx._after_allocs(allocs).after(stmt), []
        return ctx._after_allocs(allocs)

    def _after_allocs(self, allocs: Sequence[ir.Alloc]) -> Context:
        if not allocs:
            return self
        known = self.known.knowing(f for stmt in allocs for f in extents_of(stmt))
        return Context(self.scope.with_allocs(allocs), known, self.fields)

    def after(self, stmt: ir.Stmt) -> Context:
        """After a statement of the same block: its binding, or what its `check` established."""
        if not self.fields.tracked and not isinstance(stmt, _TELLING):
            return self
        match stmt:
            case ir.Alloc():
                return self._after_allocs((stmt,))
            case ir.WindowStmt():
                return Context(self.scope.with_window(stmt), self.known.knowing(extents_of(stmt)), self.fields)
            case ir.Check(cond=cond):
                return self.assume([self.truth(cond)])
            case ir.SimpleStmt() | ir.If() | ir.For():
                return Context(self.scope, self.known, self.fields.changed_by(self, stmt))

    def walk(self, block: ir.Block) -> Iterator[tuple[Context, ir.Stmt]]:
        """The statements of block, which stands here, and all inside, in source order, each with the context before it."""
        ctx = self
        for stmt in block:
            yield ctx, stmt
            match stmt:
                case ir.For(body=body):
                    yield from ctx.enter(stmt, "body").walk(body)
                case ir.If(body=body, orelse=orelse):
                    yield from ctx.enter(stmt, "body").walk(body)
                    yield from ctx.enter(stmt, "orelse").walk(orelse)
                case ir.SimpleStmt():
                    pass
            ctx = ctx.after(stmt)

    # -- questions

    def index(self, expr: ir.Expr) -> Lin:
        """The linear form of an index expression; strides of dense buffers and of windows are resolved, and fields are read."""
        form = form_of(expr)
        if form is None:
            return self.settle(Lowering(symbolic=True).index(expr))
        return form.lin if form.steady else self.settle(form.lin)

    def index_in_range(self, expr: ir.Expr) -> tuple[Lin, Sequence[Formula]]:
        """`index`, and what is known of the clamped data in it."""
        form = form_of(expr)
        if form is not None:
            return (form.lin if form.steady else self.settle(form.lin)), ()
        lowering = Lowering(symbolic=True)
        value = self.settle(lowering.index(expr))
        return value, [self.settle_truth(r) for r in lowering.ranges]

    def truth(self, expr: ir.Expr) -> Formula:
        """The formula of a control condition, with strides and fields replaced by what is known of them."""
        found = condition_of(expr)
        return found.formula if found is not None and found.steady else self.settle_truth(truth(expr))

    def falsity(self, expr: ir.Expr) -> Formula:
        """That a condition does not hold."""
        found = condition_of(expr)
        return found.opposite if found is not None and found.steady else fml.not_(self.truth(expr))

    def settle(self, lin: Lin) -> Lin:
        """A linear form whose strides and configuration fields are those of this place."""
        if not any(isinstance(name, FieldSym) for name in affine.syms(lin)):
            return self.scope.resolve_strides(lin)
        env = self.env_of(name for name in affine.syms(lin) if isinstance(name, FieldSym))
        return affine.subst(lin, env.lins, env.strides)

    def settle_truth(self, formula: Formula) -> Formula:
        """`settle` for a formula."""
        if not any(isinstance(name, FieldSym) for name in fml.free_syms(formula)):
            return self.scope.settle_strides(formula)
        return self.env_of(name for name in fml.free_syms(formula) if isinstance(name, FieldSym)).formula(formula)

    def env_of(self, fields: Iterable[FieldSym]) -> Env:
        """What these fields hold and strides are here, to be put into forms and formulas."""
        values: dict[Sym, Value] = {name: self.fields.value(name) for name in fields}
        return Env.of(values, self.scope.known_stride)

    def prove(self, goal: Formula, extra: Iterable[Formula] = ()) -> Answer:
        """Whether goal follows from what is known here and extra."""
        more = tuple(extra)
        known = self._about(goal, *more)
        return prove(known.with_more(more) if more else known, goal)

    def holds(self, goal: Formula) -> bool:
        """Whether goal is proved here."""
        return holds(self._about(goal), goal)

    def value(self, lin: Lin) -> int | None:
        """The only number that lin can be here; None if it may be several, or that is not known."""
        if lin.is_const:
            return lin.const
        number = self._about(fml.Eq(lin)).common(lin)
        return number if number is not None and self.holds(fml.eq(lin, affine.const(number))) else None

    @lazy
    def hypotheses(self) -> Hypotheses:
        """All facts, those about what fields hold here included, indexed for `prove`."""
        here = self.fields.facts
        return Hypotheses.at((*self.facts, *here)) if here else self.known.hypotheses

    def _about(self, *formulas: Formula) -> Hypotheses:
        """The facts that say something of the names in formulas: those of fields only for formulas about these fields, unless
        a condition joins them to other names."""
        if not self.fields.may_have_changed or self.fields.asserted:
            return self.hypotheses
        return self._knowing(held_in(formulas))

    def _knowing(self, held: frozenset[Held]) -> Hypotheses:
        """The facts of control values, and those of what these variables stand for."""
        if not held:
            return self.known.hypotheses
        found = self._slices.get(held)
        if found is None:
            here = self.fields.about(held)
            found = self._slices[held] = Hypotheses.at((*self.facts, *here)) if here else self.known.hypotheses
        return found

    @lazy
    def _slices(self) -> dict[frozenset[Held], Hypotheses]:
        return {}


_TELLING = (ir.Alloc, ir.WindowStmt, ir.Check)
"""What says something of the statements after it, where there is no configuration."""


@lru_cache(maxsize=4096)
def _range(name: Sym, low: Lin, high: Lin) -> tuple[Formula, ...]:
    """`low <= name < high`, the same objects each time that the loop is entered."""
    index = affine.var(name)
    return tuple(f for f in (fml.le(low, index), fml.lt(index, high)) if f is not fml.TRUE)


@lru_cache(maxsize=64)
def _at_start(args: tuple[ir.Arg, ...], preds: tuple[ir.Expr, ...], fields: frozenset[FieldSym]) -> Context:
    """At the start of the body of procedures with this head: one object for all versions that share it."""
    facts: list[Formula] = []
    for arg in args:
        if arg.type is SIZE:
            facts.append(fml.ge(affine.var(arg.name), 1))
        elif isinstance(arg.type, ScalarType | TensorType):
            facts += extent_facts(arg.type)
    facts += [fml.ge(affine.var(f), 1) for f in sorted(fields) if f.declared.type is SIZE]
    known = Facts(tuple(dict.fromkeys(facts)))
    ctx = Context(Scope.of_formals(args), known, Fields(tracked=bool(fields)))
    return ctx.assume([ctx.truth(p) for p in preds])
