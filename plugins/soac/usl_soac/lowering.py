"""The body of a kernel: statements of the core as loops of the object language.

Arrays whose elements are looked at once are computed there (`kernel_values.py`); results are written where they end up; what is
left are local buffers. What may fail, or has sizes that the caller cannot know, is no kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from usl_core import build
from usl_core.ir.nodes import Expr, Literal
from usl_core.ir.sym import Sym
from usl_core.ir.types import I32, I64
from usl_soac import core, truths
from usl_soac.choices import compares_reals, where
from usl_soac.core import Atom, Body, Const, Lambda, Param, Program, Statement, Type
from usl_soac.kernel_formals import Formals, as_scalar, reading
from usl_soac.kernel_ops import chosen, condition, constant, control, data, data_type, is_choice, operation
from usl_soac.kernel_uses import Uses
from usl_soac.kernel_values import Arr, Kept, NotAKernel, Outside, Scalar, Sources, Target, Value, further
from usl_soac.lazy_maps import SPECULATED, is_elementwise, is_little, is_total_operation, read_whole
from usl_soac.scalars import BOOL
from usl_soac.siblings import together
from usl_soac.size_terms import defined
from usl_soac.sizes import Term, literal, substitute
from usl_soac.sizes import name as name_term

REDUCTIONS = {"+": "+", "*": "*", "min": "min", "max": "max"}
"""The operators that `x op= e` has."""


@dataclass(frozen=True, slots=True)
class Forms:
    """How expressions are lowered: those that are computed where they are used, and those that write targets."""

    arranged: Mapping[type[object], Callable[[Any, Any, Statement], Sequence[Value]]]
    built: Mapping[type[object], Callable[[Any, Any, Sequence[Target]], None]]
    overwritten: Callable[[Any, Any], Value]


class Lowering:
    """One kernel while it is built."""

    def __init__(self, program: Program, formals: Formals, uses: Uses, forms: Forms, clamps: bool) -> None:
        self.forms = forms
        self.program = program
        self.formals = formals
        self.b = formals.builder
        self.uses = uses
        self.clamps = clamps
        self.values: dict[Sym, Value] = {}
        self.in_place: set[Sym] = set()
        """Parts of concatenations that are written as such."""
        self.terms: dict[Sym, Term] = {}
        """What sizes of functions that are called stand for."""
        self.read_whole: set[Statement] = set()
        """Maps all of whose results one other function over arrays reads, row by row."""
        self.own: dict[Sym, Target] = {}
        """Where the arrays are that a loop has for itself."""
        self.overwriting: set[Statement] = set()
        """Updates whose array nothing needs after them."""
        self.needed_later: set[Sym] = set()
        """Numbers to be kept when they are found, as the arrays that they are from are overwritten."""
        self.kept_rows: dict[Sym, Kept] = {}
        """Rows that stand among others."""
        self.fused: set[Statement] = set()
        """What is computed where it is read."""
        self.finals: set[Sym] = set()
        """Results of the kernel, which only its caller reads."""
        self.checked = True
        """Whether tests are made."""
        self._calling: list[str] = []
        self.outside: Mapping[Sym, Statement] = {}
        """Statements before the kernel that arrange arrays, to be done in it."""
        self.alive: Expr | None = None
        """Whether a lane does what it computes, where lanes go on together although some have ended."""

    # -- names

    def value(self, atom: Atom) -> Value:
        """What an atom stands for."""
        if isinstance(atom, Const):
            is_number = not isinstance(atom.value, float) or math.isfinite(atom.value)
            return constant(atom) if is_number else self.formals.constant(atom)
        if atom not in self.values:
            self.values[atom] = self._from_outside(atom)
        return self.values[atom]

    def _from_outside(self, sym: Sym) -> Value:
        if sym in self.outside:
            statement = self.outside[sym]
            try:
                self._lazily_from_outside(statement)
                if sym not in self.values:
                    values = self.arranged(statement)
                    self.values.update({param.name: value for param, value in zip(statement.pattern, values, strict=True)})
                return self.values[sym]
            except NotAKernel:
                pass  # the caller makes the array
        typ = self.formals.types.get(sym)
        if typ is None:
            raise NotAKernel(f"{sym.name} is not known outside")
        if typ.dims:
            return self.formals.array(sym, self.dims(typ))
        size = self.formals.terms.get(sym, name_term(sym))
        if typ == Type(I64) and (number := self.formals.size(size)) is not None:
            return self._size(size, number)
        formals = self.formals
        outside = Outside(lambda: formals.scalar(sym), lambda: formals.index(sym), lambda ends: formals.bound(sym, ends))
        return Scalar(typ.scalar, outside=outside)

    def scalar(self, atom: Atom) -> Scalar:
        """A scalar."""
        value = self.value(atom)
        if not isinstance(value, Scalar):
            raise NotAKernel("an array stands where a scalar should")
        return value

    def array(self, sym: Sym) -> Arr:
        """An array."""
        value = self.value(sym)
        if not isinstance(value, Arr):
            raise NotAKernel("a scalar stands where an array should")
        return value

    def sources(self, arrays: Sequence[Sym]) -> Sources:
        """What a function over arrays reads."""
        for each in arrays:
            if each in self.outside and each not in self.values and each not in self.kept_rows:
                self._lazily_from_outside(self.outside[each])
        kept = [self.kept_rows[each] for each in arrays if each in self.kept_rows]
        if not kept:
            return Sources([self.array(each) for each in arrays])
        if len(kept) < len(arrays) or any(each.flags is not kept[0].flags for each in kept):
            raise NotAKernel("rows that a filter keeps are read beside others")
        return Sources([each.rows for each in kept], kept[0].flags, kept[0].dims[0], all(each.is_total for each in kept))

    def _lazily_from_outside(self, statement: Statement) -> None:
        """What stands before the kernel, and is computed where it is read; if it cannot be, the caller makes the array."""
        with suppress(NotAKernel):
            if isinstance(statement.value, core.Compress):
                self.compress(statement)
            elif isinstance(statement.value, core.Map) and is_elementwise(statement.value):
                self.lazy_map(statement, statement.value)

    def term(self, term: Term) -> Term:
        """A size in terms of names outside."""
        return substitute(substitute(term, self.terms), self.formals.terms)

    def dims(self, typ: Type) -> tuple[Term, ...]:
        """The dimensions of a type in terms of names outside."""
        return tuple(map(self.term, known(typ)))

    def rounds(self, term: Term) -> Expr:
        """A dimension as the end of a loop, or in an index."""
        if not term.names() <= self.formals.types.keys():
            raise NotAKernel(f"the size {term} is known inside only")
        return self.formals.extent(term)[0]

    def local(self, name: str, scalar: Any, dims: Sequence[Term] = ()) -> Target:
        """A buffer of the kernel's own."""
        for dim in dims:
            self.rounds(dim)
        extents = [self.formals.extent(dim)[1] for dim in dims]
        return Target(self.b.alloc(self.formals.spelling(name), data_type(scalar), extents))

    # -- writing values

    def store(self, target: Target, value: Value) -> None:
        """Writes a value, an array element by element."""
        if isinstance(value, Arr):
            with self.b.for_(self.formals.spelling("j"), 0, self.rounds(value.dims[0])) as j:
                self.store(target.inside(j), value.row(j))
            return
        if value.type is not BOOL:
            self.b.assign(target.buffer, target.indices, data(value))
            return
        test = condition(value)
        yes, no = (build.literal(each, data_type(BOOL)) for each in (1, 0))
        if isinstance(test, Literal):
            self.b.assign(target.buffer, target.indices, yes if test.value else no)
        elif (either := chosen(test, yes, no)) is not None:
            self.b.assign(target.buffer, target.indices, either)
        else:
            with self.b.if_(test):
                self.b.assign(target.buffer, target.indices, yes)
            with self.b.else_():
                self.b.assign(target.buffer, target.indices, no)

    def kept(self, name: str, value: Value) -> Value:
        """The value in a buffer of its own, so that it is computed once and stays."""
        if isinstance(value, Arr):
            target = self.local(name, value.scalar, value.dims)
            self.store(target, value)
            return reading(value.scalar, value.dims, target)
        if value.narrow is not None:
            target = self.local(name, I32)
            self.b.assign(target.buffer, (), value.narrow())
            return Scalar(
                value.type, build.cast(value.type, build.read(target.buffer)), narrow=partial(build.read, target.buffer)
            )
        target = self.local(name, value.type)
        self.store(target, value)
        return as_scalar(value.type, build.read(target.buffer))

    def bind(self, param: Param, value: Value) -> None:
        """Gives a name its value; one that is computed and needed more than once is kept."""
        if isinstance(value, Scalar) and value.data is not None and self.uses.is_wide_key(param.name):
            value = replace(value, narrow=None)  # vectors have as many lanes of i64 as of what is found
        if param.name in self.needed_later or (not value.is_plain and not self.uses.once(param.name)):
            value = self.kept(param.name.name, value)
        self.values[param.name] = value

    # -- bodies and statements

    def body(self, body: Body, targets: Sequence[Target | None]) -> list[Value | None]:
        """The statements of a body. Results with a target are written there, and None is returned for them."""
        body = together(body, self._length)
        bound = {param.name for each in body.statements for param in each.pattern}
        wanted = {
            atom: target
            for atom, target in zip(body.results, targets, strict=True)
            if target is not None and isinstance(atom, Sym) and atom in bound and (atom in self.finals or self.uses.once(atom))
        }
        direct = dict(wanted)
        self._place_parts(body, direct)
        self.read_whole |= read_whole(body, self.uses)
        for statement in body.statements:
            self.statement(statement, direct)
        results: list[Value | None] = []
        for atom, target in zip(body.results, targets, strict=True):
            if target is None:
                results.append(self.value(atom))
                continue
            if atom not in wanted or atom in direct:
                self.store(target, self.value(atom))
            results.append(None)
        return results

    def _length(self, array: Sym, typ: Type | None) -> Term | None:
        """How many rows an array has, which may be made only later, and is of this type then."""
        value = self.values.get(array)
        if isinstance(value, Arr):
            return value.dims[0]
        return self.term(typ.dims[0]) if typ is not None and typ.dims[0] is not None else None

    def _place_parts(self, body: Body, direct: dict[Sym, Target]) -> None:
        """The parts of a concatenation that has a target are written there, if nothing else needs them."""
        made = {param.name: each for each in body.statements for param in each.pattern}
        for statement in reversed(body.statements):
            if not isinstance(statement.value, core.Concat) or statement.pattern[0].name not in direct:
                continue
            target, before = direct[statement.pattern[0].name], None
            for array in statement.value.arrays:
                part = made.get(array)
                if part is None:
                    break  # how much comes before the next one is found out when this one is
                if self.uses.once(array) and isinstance(part.value, self.placed) and not self._is_lazy(part, direct):
                    direct[array] = target if before is None else target.behind(before)
                    self.in_place.add(array)
                (dim, *_) = next(self.dims(param.type) for param in part.pattern if param.name == array)
                rounds = self.rounds(dim)
                before = rounds if before is None else further(before, rounds)

    placed = (core.Map, core.Scan, core.Concat)
    """What can be written as a part of a larger array."""

    def statement(self, statement: Statement, direct: dict[Sym, Target]) -> None:
        """One statement. What has a target in `direct` and is built is written there, and taken out of it."""
        expr = statement.value
        if isinstance(expr, core.Assert):
            self.test(expr)
            return
        if isinstance(expr, core.Call):
            targets = [direct.pop(param.name, None) for param in statement.pattern]
            for param, found in zip(statement.pattern, self.called(expr, targets), strict=True):
                if found is not None:
                    self.bind(param, found)
            return
        if type(expr) in self.forms.built:
            if isinstance(expr, core.Map) and self._is_lazy(statement, direct):
                self.lazy_map(statement, expr)
                return
            if (
                isinstance(expr, core.Map)
                and statement in self.read_whole
                and not {p.name for p in statement.pattern} & direct.keys()
            ):
                self.rows_of(statement, expr)
                return
            if isinstance(expr, core.If) and (values := self.either(expr)) is not None:
                for param, value in zip(statement.pattern, values, strict=True):
                    self.bind(param, value)
                return
            if statement in self.overwriting and isinstance(expr, core.Update):
                self.own[statement.pattern[0].name] = self.own[expr.array]
                self.values[statement.pattern[0].name] = self.forms.overwritten(self, expr)
                return
            self.built(statement, direct)
            return
        if isinstance(expr, core.Compress):
            self.compress(statement)
            return
        if isinstance(expr, core.Count) and self._is_size_only(statement.pattern[0].name):
            return
        if len(statement.pattern) == 1 and statement.pattern[0].type == Type(I64):
            size = defined(expr, self.terms)
            if size is not None:
                self.terms[statement.pattern[0].name] = self.term(size)
        for param, value in zip(statement.pattern, self.arranged(statement), strict=True):
            self.bind(param, self._sized(param.name, value))

    def _is_size_only(self, sym: Sym) -> bool:
        """Whether only types mention it."""
        return not self.uses.count[sym] and sym not in self.finals

    def _sized(self, sym: Sym, value: Value) -> Value:
        """The value of a name that is a size, of which more is known."""
        if sym in self.terms and isinstance(value, Scalar) and value.narrow is None and self.formals.fits_i32(self.terms[sym]):
            return replace(value, narrow=partial(self.formals.narrow, self.terms[sym]))
        return value

    def test(self, expr: core.Assert) -> None:
        """A test that fails is noted; what comes after it goes on with indices in bounds, and its results are not used.

        A number that is 0 or 1 is combined by `|`, which vectors have, and which nothing can wrap. Of integers that is a
        branch, which costs least in scalar code, and which `if_to_select` makes a choice; of real numbers it is one already, as
        that operator does not say what becomes of NaN.
        """
        holds = condition(self.scalar(expr.condition))
        if not self.checked or (isinstance(holds, Literal) and holds.value):
            return
        bad = self.formals.failures()
        failed, passed = (build.literal(each, self.formals.flag) for each in (1, 0))
        noted = where(holds, passed, failed) if compares_reals(holds) else None
        if noted is not None and self.alive is not None:
            noted = where(self.alive, noted, passed)
        if noted is not None:
            self.b.reduce(bad.buffer, bad.indices, noted, "|")
            return
        fails = condition(truths.negation(self, Scalar(BOOL, condition=holds)))
        with self.b.if_(fails if self.alive is None else build.and_(self.alive, fails)):
            self.b.reduce(bad.buffer, bad.indices, failed, "|")

    def _is_lazy(self, statement: Statement, direct: Mapping[Sym, Target]) -> bool:
        """Whether it is a map whose elements are computed where they are read."""
        if len(statement.pattern) != 1 or not isinstance(statement.value, core.Map):
            return False
        (param,) = statement.pattern
        return param.name not in direct and self.uses.once(param.name) and is_elementwise(statement.value)

    def built(self, statement: Statement, direct: dict[Sym, Target]) -> None:
        """A statement whose arrays are written somewhere."""
        targets: list[Target] = []
        for param in statement.pattern:
            target = direct.pop(param.name, None)
            targets.append(target or self.local(param.name.name, param.type.scalar, self.dims(param.type)))
        self.forms.built[type(statement.value)](self, statement.value, targets)
        for param, target in zip(statement.pattern, targets, strict=True):
            typ = param.type
            if isinstance(statement.value, core.Filter):
                continue  # how many rows there are is known to the caller only
            if typ.dims:
                self.values[param.name] = reading(typ.scalar, self.dims(typ), target)
            else:
                self.values[param.name] = as_scalar(typ.scalar, build.read(target.buffer, *target.indices))

    def compress(self, statement: Statement) -> None:
        """The rows whose flags are set: nothing is copied."""
        assert isinstance(statement.value, core.Compress)
        flags = self.array(statement.value.flags)
        for param, array in zip(statement.pattern, statement.value.arrays, strict=True):
            self.kept_rows[param.name] = Kept(self.array(array), flags, self.dims(param.type))

    def lazy_map(self, statement: Statement, expr: core.Map) -> None:
        """A map whose elements are computed where they are read."""
        self.fused.add(statement)
        sources = self.sources(expr.arrays)
        arrays = sources.arrays

        def at(indices: Sequence[Expr]) -> Scalar:
            first, *rest = indices
            for param, array in zip(expr.function.params, arrays, strict=True):
                self.bind(param, array.row(first))
            (value,) = self.body(expr.function.body, [None])
            for index in rest:
                assert isinstance(value, Arr)
                value = value.row(index)
            assert isinstance(value, Scalar)
            return value

        self._lazily(statement, expr, sources, [at])

    def rows_of(self, statement: Statement, expr: core.Map) -> None:
        """A map whose results are read together: each round of the loop that reads them computes its elements first."""
        self.fused.add(statement)
        sources = self.sources(expr.arrays)
        arrays = sources.arrays
        done: list[tuple[Expr, list[Value | None]]] = []

        def at(position: int, indices: Sequence[Expr]) -> Scalar:
            (index,) = indices
            if not done or done[-1][0] is not index:
                targets = [None] * len(statement.pattern)
                done.append((index, self.applied(expr.function, [array.row(index) for array in arrays], targets)))
            value = done[-1][1][position]
            assert isinstance(value, Scalar)
            return value

        self._lazily(statement, expr, sources, [partial(at, position) for position in range(len(statement.pattern))])

    def _lazily(
        self, statement: Statement, expr: core.Map, sources: Sources, elements: Sequence[Callable[[Sequence[Expr]], Scalar]]
    ) -> None:
        """Binds the results of a map of which these are the elements."""
        for param, at in zip(statement.pattern, elements, strict=True):
            dims, scalar = self.dims(param.type), param.type.scalar
            if sources.flags is None:
                self.values[param.name] = Arr(scalar, dims, at, is_plain=False)
                continue
            rows = Arr(scalar, (sources.arrays[0].dims[0], *dims[1:]), at, is_plain=False)
            is_total = sources.is_total and is_little(expr.function.body)
            self.kept_rows[param.name] = Kept(rows, sources.flags, dims, is_total)

    def either(self, expr: core.If) -> list[Value] | None:
        """Scalars that either branch could compute: both are, and one is chosen, without a branch."""
        if not (self.is_speculative(expr.then) and self.is_speculative(expr.orelse)):
            return None
        test = condition(self.scalar(expr.condition))
        if not is_choice(test):
            return None
        pairs = zip(
            self.body(expr.then, [None] * len(expr.then.results)),
            self.body(expr.orelse, [None] * len(expr.orelse.results)),
            strict=True,
        )
        found: list[Value] = []
        for then, other in pairs:
            assert isinstance(then, Scalar) and isinstance(other, Scalar)
            if then.type is BOOL:
                a, b = condition(then), condition(other)
                found.append(Scalar(BOOL, condition=build.or_(build.and_(test, a), build.and_(build.not_(test), b))))
            else:
                one = chosen(test, data(then), data(other))
                assert one is not None
                found.append(Scalar(then.type, one))
        return found

    def is_speculative(self, body: Body) -> bool:
        """Whether it is a little arithmetic on scalars that can be done although it is not needed."""
        return len(body.statements) <= SPECULATED and all(self._is_total(each.value) for each in body.statements)

    def _is_total(self, expr: core.Expr) -> bool:
        match expr:
            case core.Op():
                return is_total_operation(expr)
            case core.Index(array=array, indices=indices):
                known = [dim.constant for dim in self.array(array).dims]
                return len(known) == len(indices) and all(
                    isinstance(each, Const) and size is not None and 0 <= each.value < size
                    for each, size in zip(indices, known, strict=True)
                )
            case _:
                return isinstance(expr, core.Copy)

    # -- expressions that build nothing

    def arranged(self, statement: Statement) -> Sequence[Value]:
        """The values of an expression that is computed where it is used.

        Raises:
            NotAKernel: it is none of these.
        """
        expr = statement.value
        match expr:
            case core.Copy(atom=atom):
                return [self.value(atom)]
            case core.Op(op="select"):
                return [truths.select(self, expr)]
            case core.Op(op="not" | "~", operand=operand, args=(arg,)) if operand is BOOL:
                return [truths.negation(self, self.scalar(arg))]
            case core.Op(op=op, operand=operand, args=args) if operand is BOOL and op not in _TRUTH_OPS:
                return [truths.number(self, op, self.scalar(args[0]))]
            case core.Op():
                return [operation(expr, [self.scalar(each) for each in expr.args], bool(statement.certs))]
            case core.Size(array=array, dim=dim):
                return [self.size(self.array(array).dims[dim])]
            case _:
                if type(expr) in self.forms.arranged:
                    return self.forms.arranged[type(expr)](self, expr, statement)
                raise NotAKernel(f"{type(expr).__name__.lower()} is not done in kernels")

    def size(self, term: Term) -> Scalar:
        """A size as a number."""
        return self._size(term, self.rounds(term))

    def _size(self, term: Term, number: Expr) -> Scalar:
        narrow = partial(self.formals.narrow, term) if self.formals.fits_i32(term) else None
        return Scalar(I64, build.cast(I64, number), control=number, narrow=narrow)

    def called(self, call: core.Call, targets: Sequence[Target | None]) -> Sequence[Value | None]:
        """A call of a function that is not recursive: its body in place. What has a target is written there."""
        if call.function in self._calling:
            raise NotAKernel(f"{call.function} is recursive")
        function = self.program.function(call.function, call.part)
        if function.exists:
            raise NotAKernel(f"the sizes of {call.function}'s result come with it")
        args = [self.value(arg) for arg in call.args]
        for param, arg, atom in zip(function.params, args, call.args, strict=True):
            self.values[param.name] = arg
            if isinstance(arg, Arr):
                for dim, found in zip(known(param.type), arg.dims, strict=True):
                    if dim.name is not None:
                        self.terms[dim.name] = found
            elif param.type.scalar == I64:
                self.terms[param.name] = self.term(name_term(atom)) if isinstance(atom, Sym) else literal(int(atom.value))
        self._calling.append(call.function)
        results = self.body(function.body, targets)
        self._calling.pop()
        return results

    # -- indices

    def index(self, value: Scalar, term: Term) -> Expr:
        """An index of a dimension, in its bounds."""
        self.rounds(term)
        room = self.formals.extent(term)[1]
        at = control(value)
        if at is None:
            return build.idx(data(value) if value.narrow is None else value.narrow(), 0, room)
        if self.clamps or value.outside is not None:
            return build.max_(0, build.min_(at, build.sub(room, 1)))
        return at

    def applied(self, function: Lambda, args: Sequence[Value], targets: Sequence[Target | None]) -> list[Value | None]:
        """The body of a function with its arguments."""
        for param, arg in zip(function.params, args, strict=True):
            self.bind(param, arg)
        return self.body(function.body, targets)

    def loop(self, term: Term) -> AbstractContextManager[Expr]:
        """A loop over a dimension; gives its index."""
        return self.b.for_(self.formals.spelling("i"), 0, self.rounds(term))


_TRUTH_OPS = frozenset("and or not & | ^ ~ == != min max bool select".split())


def known(typ: Type) -> tuple[Term, ...]:
    """The dimensions of a type.

    Raises:
        NotAKernel: some are not known.
    """
    dims = tuple(dim for dim in typ.dims if dim is not None)
    if len(dims) != len(typ.dims):
        raise NotAKernel("a size is not known")
    return dims
