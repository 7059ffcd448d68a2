"""Which statements become kernels, and how outer code calls them.

A statement on arrays whose sizes are known before it, and in which nothing can fail, is one kernel, with what stands before it
and is needed in it alone. Everything else is outer code, which can do all that the core can.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from usl_core import Procedure, build
from usl_core.errors import UslError
from usl_core.ir.sym import Sym
from usl_core.ir.types import I32, I64, ScalarType
from usl_soac import core
from usl_soac.core import Body, Const, Param, Statement
from usl_soac.kernel_formals import Argument, Formals
from usl_soac.kernel_uses import Uses
from usl_soac.kernel_values import NotAKernel
from usl_soac.lowering import Forms, Lowering, known
from usl_soac.lowering_arrays import ARRANGED
from usl_soac.lowering_soacs import BUILT, overwritten
from usl_soac.outer_frame import Frame
from usl_soac.scalars import CERT
from usl_soac.sizes import Term
from usl_soac.traverse import used_by_statement

KERNELS = (core.Map, core.Reduce, core.Scan, core.Concat, core.Filter, core.Hist, core.Count)
ARRANGE = (core.Slice, core.Split, core.Rearrange, core.Iota, core.Replicate, core.Index, core.Coerce, core.Compress)

FORMS = Forms(ARRANGED, BUILT, overwritten)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A statement as a procedure, for sizes of at least 1, and in general; what a call passes."""

    procedure: Procedure
    arguments: Sequence[Argument]
    general: Procedure | None
    general_arguments: Sequence[Argument]
    statements: Sequence[Statement]
    """What it computes, the last one with the results."""
    fused: Collection[Statement]
    """Those, and of those in them, that are computed where they are read."""
    is_general: bool = False
    """Whether there is the general form only, since a size is 0 for certain."""
    bounds: Mapping[Sym, bool] = field(default_factory=dict)
    """Numbers that bound the rounds of loops, and whether one of these ends by data: where one is above 2^31 - 1 the kernel
    cannot be called."""


def is_deferred(statement: Statement, uses: Uses) -> bool:
    """Whether a statement is written where its arrays are needed: it copies nothing, or computes what one place needs."""
    if isinstance(statement.value, core.Count):
        return not uses.count[statement.pattern[0].name]
    if not all(param.type.dims for param in statement.pattern):
        return False
    if isinstance(statement.value, core.Coerce):
        return bool(statement.certs)
    if isinstance(statement.value, ARRANGE):
        return True
    if isinstance(statement.value, core.Rotate):
        return uses.once(statement.pattern[0].name)
    if isinstance(statement.value, KERNELS):
        return all(uses.once(param.name) for param in statement.pattern) and _total(statement)
    return False


def region(statement: Statement, frame: Frame) -> list[Statement]:
    """A statement with those before it that nothing else needs, in order: they become one kernel."""
    wanted: set[Statement] = set()
    missing = [statement]
    while missing:
        for sym in used_by_statement(missing.pop()):
            before = frame.deferred.get(sym)
            if before is not None and sym not in frame.values and before not in wanted:
                wanted.add(before)
                missing.append(before)
    names = {sym for each in [*wanted, statement] for sym in used_by_statement(each)}
    kept = [
        each
        for each in dict.fromkeys(frame.deferred.values())
        if each in wanted and isinstance(each.value, KERNELS) and {param.name for param in each.pattern} <= names
    ]
    return [*kept, statement]


def is_total(body: Body) -> bool:
    """Whether nothing in it can fail."""
    return all(_total(each) for each in body.statements)


def _total(statement: Statement) -> bool:
    expr = statement.value
    if any(param.type.scalar is CERT for param in statement.pattern):
        return False
    match expr:
        case core.Op(op="//" | "%" | "**", args=(_, divisor)):
            return bool(statement.certs) or (isinstance(divisor, Const) and bool(divisor.value))
        case core.Call() | core.Kernel() | core.Foreign() | core.Filter():
            return False
        case core.Coerce():
            return bool(statement.certs)
        case core.Loop(condition=None, body=body):
            return is_total(body)
        case core.Loop():
            return False
        case core.If(then=then, orelse=orelse):
            return is_total(then) and is_total(orelse)
        case core.Map(function=function, sizes=sizes):
            return not sizes and is_total(function.body)
        case core.Reduce(op=op) | core.Scan(op=op) | core.Hist(op=op):
            return is_total(op.body)
        case _:
            return True


def kernel(statements: Sequence[Statement], frame: Frame, name: str) -> Kernel:
    """The kernel of statements, of which the last one has the results.

    Raises:
        NotAKernel: it cannot be one.
    """
    try:
        return _kernel(statements, frame, name)
    except UslError as error:
        raise NotAKernel(f"the kernel is refused: {error}") from None


def _kernel(statements: Sequence[Statement], frame: Frame, name: str) -> Kernel:
    fused: set[Statement] = set()
    first = _lowered(statements, frame, name, True, None, clamps=False, fused=fused)
    has_sizes = any(each.kind == "size" for each in first.arguments)
    if first.is_empty:
        general = _procedure(statements, frame, f"{name}_any", I32, positive=False)
        return Kernel(*general, None, (), statements, fused, is_general=True, bounds=first.bounds)
    procedure = _procedure(statements, frame, name, None, positive=True)
    flags = (each.of.type.scalar for each in procedure[1] if each.kind == "bad" and isinstance(each.of, Param))
    if not has_sizes:
        return Kernel(*procedure, None, (), statements, fused, bounds=first.bounds)
    general = _procedure(statements, frame, f"{name}_any", next(flags, I32), positive=False)
    return Kernel(*procedure, *general, statements, fused, bounds=first.bounds)


def _procedure(
    statements: Sequence[Statement], frame: Frame, name: str, flag: ScalarType | None, positive: bool
) -> tuple[Procedure, Sequence[Argument]]:
    """flag: the type of the number that says whether tests have failed; None for the one that vectors have beside the rest."""
    first = _lowered(statements, frame, name, positive, None, clamps=False)
    clamps = False

    def built(flag: ScalarType) -> tuple[Procedure, Formals]:
        made = _lowered(statements, frame, name, positive, first, clamps=clamps, flag=flag)
        return made.builder.finish(), made

    try:
        procedure, made = built(flag or I32)
    except UslError:
        clamps = True
        procedure, made = built(flag or I32)
    if flag is None and made.bad is not None and made.is_wide:
        procedure, made = built(I64)
    return procedure, made.arguments


def _room(param: Param, statement: Statement, lowering: Lowering) -> tuple[Term, ...]:
    """The dimensions of a result; a filter has room for all rows."""
    if not isinstance(statement.value, core.Filter) or not param.type.dims:
        return lowering.dims(param.type) if param.type.dims else ()
    head = lowering.dims(lowering.formals.types[statement.value.arrays[0]])[0]
    return head, *map(lowering.term, known(param.type)[1:])


_KINDS = ("size", "room", "index", "scalar", "narrow", "array", "result", "bad")


def _lowered(
    statements: Sequence[Statement],
    frame: Frame,
    name: str,
    positive: bool,
    before: Formals | None,
    clamps: bool,
    fused: set[Statement] | None = None,
    flag: ScalarType = I32,
) -> Formals:
    """One round of building. The second one makes the formals in order: it knows from the first which there are."""
    assert frame.uses is not None and frame.program is not None
    formals = Formals(build.ProcBuilder(name), positive, frame.types, frame.terms, flag=flag)
    lowering = Lowering(frame.program, formals, frame.uses, FORMS, clamps)
    lowering.outside, lowering.checked = frame.deferred, frame.module.checked
    pattern = statements[-1].pattern
    results = [_room(param, statements[-1], lowering) for param in pattern]
    if before is not None:
        for term in sorted(before.wanted, key=lambda term: term.name is None):
            formals.extent(term)
        formals.relate()
        for argument in sorted(before.arguments, key=lambda each: _KINDS.index(each.kind)):
            match argument:
                case Argument(kind="index", of=Sym() as sym):
                    formals.index(sym)
                case Argument(kind="scalar", of=Sym() as sym):
                    formals.scalar(sym)
                case Argument(kind="scalar", of=Const() as const):
                    formals.constant(const)
                case Argument(kind="narrow", of=Term() as term):
                    formals.narrow(term)
                case Argument(kind="array", of=Sym() as sym, dims=dims):
                    formals.array(sym, dims)
                case _:
                    pass
    targets = [formals.result(param, dims) for param, dims in zip(pattern, results, strict=True)]
    if before is not None and before.bad is not None:
        bad = formals.failures()
        formals.builder.assign(bad.buffer, bad.indices, build.literal(0, flag))
    names = tuple(param.name for param in pattern)
    lowering.finals.update(names)
    if isinstance(statements[-1].value, core.Filter):
        lowering.body(Body(tuple(statements[:-1]), ()), ())
        lowering.built(statements[-1], dict(zip(names, targets, strict=True)))
    else:
        lowering.body(Body(tuple(statements), names), targets)
    if fused is not None:
        read = (each for each in dict.fromkeys(frame.deferred.values()) if each not in statements)
        fused |= lowering.fused | {each for each in read if lowering.values.keys() & {param.name for param in each.pattern}}
    return formals
