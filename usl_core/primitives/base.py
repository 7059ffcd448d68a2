"""What every operator shares: the decorator that turns its `Edit` into a Procedure, and how it fails.

An operator is `op(proc, where, ...) -> Procedure`. Its body locates, checks, and builds an `Edit`; the decorator proves the
invariant again where something changed, and records the step.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, NoReturn, ParamSpec

from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import Conflict
from usl_core.analysis.conflict import describe_model
from usl_core.analysis.context import Context
from usl_core.analysis.formula import Formula
from usl_core.analysis.solver import STATISTICS, Proved, Refuted, Unknown
from usl_core.arguments import Parameters, plain_all
from usl_core.collector import collected_later
from usl_core.cursors.cursor import BlockCursor, Cursor, GapCursor, NodeCursor
from usl_core.cursors.display import head_line
from usl_core.cursors.edit import Edit
from usl_core.deep import deeply
from usl_core.equivalence import Relation, Step
from usl_core.errors import SchedulingError, Span, Undecided, counterexample
from usl_core.ir.nodes import Proc
from usl_core.primitives.fields import shape_that_reads, unsteady_control
from usl_core.primitives.operators import as_operator, operator_name
from usl_core.primitives.repeated import call_key
from usl_core.procedure import Procedure, derive
from usl_core.profiling import profiled
from usl_core.store.calls import asked

P = ParamSpec("P")


def primitive(
    relation: Relation = Relation.EQUAL, *, control: bool = False, name: str = ""
) -> Callable[[Callable[Concatenate[Procedure, P], Edit]], Callable[Concatenate[Procedure, P], Procedure]]:
    """Makes an operator of a function that builds an Edit.

    relation is what the result is to the input, where the Edit does not say that it refines it. control says that the operator
    is proved also where bounds, conditions or indices read configuration fields that the procedure writes. name is that of the
    operator where the function is one of its variants.
    """

    def decorate(build: Callable[Concatenate[Procedure, P], Edit]) -> Callable[Concatenate[Procedure, P], Procedure]:
        operator = name or build.__name__
        variant = f"{build.__module__}.{build.__qualname__}, {relation.value}"  # operators may be several functions
        parameters = Parameters(build, operator)

        @profiled("operator", operator)
        @as_operator(operator)
        @deeply
        @functools.wraps(build)
        def apply(*given: Any, **named: Any) -> Procedure:
            given, named = plain_all(given, named)
            parameters.check(given, named)
            return on(*(given or [named.pop("proc")]), **named)

        def on(proc: Procedure, /, *args: P.args, **kwargs: P.kwargs) -> Procedure:
            call = call_key(variant, args, kwargs)
            if call is not None and (made := proc.made_by(call)) is not None:
                return made
            with collected_later():
                result = remembered(proc, *args, **kwargs)
            if call is not None:
                proc.remember(call, result)
            return result

        def remembered(proc: Procedure, *args: P.args, **kwargs: P.kwargs) -> Procedure:
            known = asked(proc, variant, build.__module__, args, kwargs)
            if known is None:
                return once(proc, *args, **kwargs)
            result = known.recalled(operator, lambda: _all_shown(args, kwargs))
            if result is None:
                result = once(proc, *args, **kwargs)
                known.keep(result)
            return result

        def once(proc: Procedure, *args: P.args, **kwargs: P.kwargs) -> Procedure:
            if not control:
                require_steady_control(proc.ir)
            refuse_aliasable(proc)
            refuse_instruction(proc, exact=relation in (Relation.EQUAL, Relation.NARROWER))
            started, before = time.perf_counter(), dict(STATISTICS.settled)
            edit = build(proc, *args, **kwargs)
            refuse_instruction(proc, exact=not edit.polluted and not edit.refines)
            require_fixed_shapes(edit.proc)
            if not control:
                require_steady_control(edit.proc)

            def step() -> Step:
                proofs = {k: n - before.get(k, 0) for k, n in STATISTICS.settled.items() if n != before.get(k, 0)}
                found = Relation.REFINES if edit.refines else relation
                return Step(
                    operator, _all_shown(args, kwargs), found, time.perf_counter() - started, proofs, edit.polluted, edit.fixed
                )

            return derive(proc, edit.proc, edit.forward, operator, step)

        return apply

    return decorate


def _all_shown(args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[str | Callable[[], str], ...]:
    return (*map(_shown, args), *(_shown(value, f"{key}=") for key, value in kwargs.items()))


def _shown(value: Any, prefix: str = "") -> str | Callable[[], str]:
    """An argument for the history. A cursor's text is made on demand: it never changes, and takes printing a procedure."""
    if isinstance(value, list | tuple):
        value = tuple(value)  # the caller may change a list
    several = value if isinstance(value, tuple) else (value,)
    return (lambda: prefix + _short(value)) if any(isinstance(each, Cursor) for each in several) else prefix + _short(value)


def _short(value: Any) -> str:
    """An argument as the history shows it: one line."""
    match value:
        case Procedure():
            text = value.name()
        case type():
            text = value.__name__
        case tuple() | list():
            text = f"[{', '.join(map(_short, value))}]"
        case NodeCursor():
            text = head_line(value.owner.ir, value.node, value.path)
        case BlockCursor():
            text = f"{head_line(value.owner.ir, value[0].node, value[0].path)} ... ({len(value)} statements)"
        case GapCursor() if isinstance(anchor := value.anchor(), NodeCursor):
            text = f"{value.loc.side} {_short(anchor)}"
        case Cursor():
            text = type(value).__name__
        case _:
            text = repr(value)
    first = text.strip().splitlines()[0] if text.strip() else ""
    return first if len(first) <= 60 else first[:57] + "..."


def require_steady_control(proc: Proc) -> None:
    """No bound, condition or index reads a field that proc writes: the operator may evaluate it at another time."""
    found = unsteady_control(proc)
    if found is not None:
        shown = f"{found.config.name}.{found.field}"
        why = "when the field is read decides what runs, and the operator may change that"
        message = f"a loop bound, condition or index reads {shown}, which {proc.name} writes"
        refuse(message, found.span.or_else(proc.span), [why, "hint: pass the value as an argument"], code="E420")


def require_fixed_shapes(proc: Proc) -> None:
    """The shapes of buffers and windows read no configuration, which may change while they are in use."""
    found = shape_that_reads(proc)
    if found is not None:
        shown = f"{found.config.name}.{found.field}"
        message = f"the extent of a buffer or the bounds of a window would read {shown}"
        refuse(message, found.span.or_else(proc.span), code="E420")


def refuse_aliasable(proc: Procedure) -> None:
    """The analysis takes different formals for different buffers."""
    if proc.ir.aliasable and operator_name() != "rename":
        message = f"the formals {', '.join(proc.ir.aliasable)} of {proc.name()} may overlap, so it cannot be rewritten"
        hint = "hint: schedule a procedure without `aliasable`, and declare the instruction from the result"
        refuse(message, proc.ir.span, [hint], code="E421")


def refuse_instruction(proc: Procedure, *, exact: bool) -> None:
    """The C text of an instruction does what its body said, for the same formals and to the same registers at the end."""
    if proc.is_instr() and not exact:
        hint = "hint: declare another instruction, or rewrite the procedure and make it one with make_instr"
        refuse(f"{proc.name()} is an instruction, whose C text does not change along", proc.ir.span, [hint], code="E422")


def edit_of(proc: Procedure) -> Edit:
    """No change yet to proc, by the operator that runs."""
    return Edit.of(proc.ir, operator_name())


# ---- failing


def refuse(message: str, span: Span | None = None, notes: Sequence[str] = (), code: str = "E400") -> NoReturn:
    """Raise the refusal of the operator that runs."""
    raise SchedulingError(f"{operator_name()}: {message}", span=span, notes=notes, code=code)


def require(condition: bool, message: str, span: Span | None = None, code: str = "E404") -> None:
    """An argument is as the operator needs it, or it refuses."""
    if not condition:
        refuse(message, span, code=code)


def require_no(conflict: Conflict | None, message: str, span: Span | None = None) -> None:
    """A condition of `usl_core.analysis.conditions` holds, or the operator refuses and shows the conflict."""
    if conflict is not None:
        refuse(message, span or conflict.span(), conflict.notes(), code="E411")


@profiled("obligation", "operator's condition")
def require_proved(
    ctx: Context,
    goal: Formula,
    message: str,
    span: Span | None = None,
    *,
    values: Sequence[Lin] = (),
    hint: str = "",
    assume: str = "",
    extra: Sequence[Formula] = (),
) -> None:
    """goal holds in ctx, or the operator refuses with values that break it.

    The message proposes to assert assume, if anything can be assumed (a goal on constants is just false), or else hint.

    Raises:
        SchedulingError: the goal is refuted. Undecided: the solver could not tell.
    """
    match ctx.prove(goal, extra):
        case Proved():
            return
        case Refuted(model=model):
            shown = describe_model(model, [goal, *ctx.facts, *extra], values)
            notes = counterexample(shown)
            ways = [*([f"assert {assume}"] if assume and set(fml.free_syms(goal)) else []), *([hint] if hint else [])]
            refuse(message, span, [*notes, *([f"hint: {', or '.join(ways)}"] if ways else [])], code="E412")
        case Unknown(reason=reason):
            raise Undecided(f"{operator_name()}: could not decide: {message}", span=span, notes=[f"solver: {reason}"])
