"""P0: an algorithm as a procedure, each func at the root over the bounds that β found (halide.md §6).

Loops start at 0 and buffers at their first place. The frontend proves the procedure memory safe, whatever the engine said.
"""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from usl_core import Procedure, proc_from_source
from usl_core.errors import UslError
from usl_halide_lib.lang.emit_expr import Stored, Writer
from usl_halide_lib.lang.errors import AlgorithmError, refuse
from usl_halide_lib.lang.images import first_of
from usl_halide_lib.lang.inference import Bounds, infer
from usl_halide_lib.lang.limits import Limit, limited
from usl_halide_lib.lang.linear import Facts, Lin, const, ends, extremum, variable
from usl_halide_lib.lang.lower import hole_stage, in_target, loop_keys, lower
from usl_halide_lib.lang.nodes import Algorithm, FuncDef, Node, Op, Read, StageDef, walk
from usl_halide_lib.lang.nodes import substituted as substituted_in
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.query import Family
from usl_halide_lib.lang.target import LoopKey, window
from usl_halide_lib.lang.types import I32

_files = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Formal:
    """What an argument of P0 is: kind is "min", "len", "extent", "param", "image" or "output", of the input or func `of`,

    or "bound", the value of the bound `of`."""

    name: str
    kind: str
    of: str
    dim: int = 0


@dataclass(frozen=True, slots=True)
class Emitted:
    """P0, its formals in order, and the bounds that it was made with."""

    procedure: Procedure
    formals: tuple[Formal, ...]
    bounds: Bounds
    source: str
    buffers: dict[str, str]
    """By func the buffer of its values, of a tuple's first elements."""
    owners: dict[str, str]
    """By such a buffer, or scalar of a func that is computed at single places, the func."""
    limits: tuple[Limit, ...] = ()
    """What the schedule says of places; tested before the procedure is called."""


def emit(algorithm: Algorithm, points: frozenset[str] = frozenset(), limits: tuple[Limit, ...] = ()) -> Emitted:
    """The procedure of an algorithm. The funcs points have no loops of their own: they are computed at each place that is read.

    limits are what the schedule says of places: those of local funcs are as many as it says.

    Raises:
        AlgorithmError: E784, an access has no bounds; E770, an operation has no form there; E789, P0 is refused.
    """
    target = limited(lower(algorithm), limits)
    bounds = infer(target, naming=True, choosing=False)
    try:
        emitter, procedure = _emitted(_Emitter(algorithm, bounds, points, limits))
    except AlgorithmError as error:
        if error.code != "E789":
            raise
        try:  # what is read may cover less than all that an index can be, as under a condition
            emitter, procedure = _emitted(_Emitter(algorithm, bounds, points, limits, is_tight=False))
        except AlgorithmError:  # or an access never runs, and what it reads was not asked for
            bounds = infer(target, naming=True, choosing=False, dead=True)
            emitter, procedure = _emitted(_Emitter(algorithm, bounds, points, limits, is_tight=False))
    source = emitter.source
    buffers = {func: stored.names[0] for func, stored in emitter.buffers.items()}
    owners = {buffer: func for func, buffer in buffers.items()} | emitter.owners
    return Emitted(procedure, tuple(emitter.formals), bounds, source, buffers, owners, limits)


def _emitted(emitter: _Emitter) -> tuple[_Emitter, Procedure]:
    name = emitter.algorithm.outputs[0]
    emitter.source = source = emitter.text()
    try:
        return emitter, proc_from_source(source, {}, f"<{name} {next(_files)}>")
    except UslError as error:
        notes = ("please report this", *str(error).splitlines(), *source.splitlines())
        raise refuse(f"{name}: the procedure that was made is refused", code="E789", notes=notes) from error


@dataclass
class _Emitter:
    algorithm: Algorithm
    bounds: Bounds
    points: frozenset[str]
    limits: tuple[Limit, ...]
    is_tight: bool = True
    source: str = ""
    formals: list[Formal] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    buffers: dict[str, Stored] = field(default_factory=dict)
    annotations: list[str] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts = Facts(dict(self.bounds.facts))
        self.normal = Normal(self.algorithm, self.facts, lambda hole: None)
        self.iterators = {
            name.replace("$", "_")
            for func in self.algorithm.funcs
            for name in (*func.args, *(rvar.name for stage in func.stages for rvar in stage.rvars))
        }
        self.outputs = [self.algorithm.func(name) for name in self.algorithm.outputs]

    def text(self) -> str:
        """The procedure's source."""
        title = self.fresh(f"run_{'_'.join(each.name for each in self.outputs)}")
        self._sizes()
        self._inputs()
        self._outputs()
        lines = [f"def {title}({', '.join(self.annotations)}):"]
        lines += [f"    assert {each}" for each in self._assertions()]
        for func in self.algorithm.funcs:
            if func.name in self.points:
                continue
            if func.name not in self.algorithm.outputs:
                lines += [f"    {line}" for line in self._allocations(func)]
            for index in range(len(func.stages)):
                lines += [f"    {line}" for line in self._stage(func, index)]
        return "\n".join(lines) + "\n"

    def fresh(self, wanted: str) -> str:
        """A name of the object language that nothing else has."""
        base = "".join(c if c.isalnum() else "_" for c in wanted)
        base = f"v{base}" if base[0] == "_" or base[0].isdigit() else base
        name, number = base, 1
        while name in self.taken or keyword.iskeyword(name) or name in _RESERVED or name in self.iterators:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name

    def _formal(self, wanted: str, kind: str, of: str, annotation: str, dim: int = 0) -> str:
        name = self.fresh(wanted)
        self.formals.append(Formal(name, kind, of, dim))
        self.annotations.append(f"{name}: {annotation}")
        return name

    def _sizes(self) -> None:
        for output in self.outputs:
            of = "" if len(self.outputs) == 1 else f"{output.name}_"
            for dim, arg in enumerate(output.args):
                low, length = window(output.name, dim)
                self.names[low.name] = self._formal(f"{of}{arg}_min", "min", output.name, "index", dim)
                self.names[length.name] = self._formal(f"{of}{arg}_len", "len", output.name, "size", dim)
        for name, dimensions, _ in self.algorithm.images:
            for dim in range(dimensions):
                self.names[f"{name}.extent.{dim}"] = self._formal(f"{name}_{dim}", "extent", name, "size", dim)
        for name, dimensions, _ in self.algorithm.images:  # those that may begin elsewhere are parameters
            self.names |= {first_of(name, dim): "0" for dim in range(dimensions)}
        for name, typ in self.algorithm.params:
            self.names[name] = self._formal(name, "param", name, "index" if typ == I32 else typ.usl)
        for each in self.bounds.named:
            annotation = "size" if each.kind == "len" and each.least else "index"
            self.names[each.name] = self._formal(each.name.removesuffix(".mem"), "bound", each.name, annotation)

    def _inputs(self) -> None:
        for name, dimensions, typ in self.algorithm.images:
            extents = tuple(variable(f"{name}.extent.{dim}") for dim in range(dimensions))
            shape = ", ".join(self.names[f"{name}.extent.{dim}"] for dim in reversed(range(dimensions)))
            formal = self._formal(name, "image", name, f"[{typ.usl}][{shape}]" if dimensions else typ.usl)
            self.buffers[name] = Stored((formal,), (const(0),) * dimensions, extents)

    def _outputs(self) -> None:
        for output in self.outputs:
            self._store(output)
            stored, writer = self.buffers[output.name], self._writer({})
            shape = ", ".join(writer.control(each) for each in reversed(stored.extent))
            for part, (name, typ) in enumerate(zip(stored.names, output.types, strict=True)):
                self.formals.append(Formal(name, "output", output.name, part))
                self.annotations.append(f"{name}: {typ.usl}[{shape}]" if shape else f"{name}: {typ.usl}")

    def _store(self, func: FuncDef) -> None:
        """Decide a func's buffer: its memory bounds, with at least one place."""
        box = [self.bounds.interval(Family("mem", func.name), dim) for dim in range(len(func.args))]
        extents = tuple(extremum(True, [high - low + 1, const(1)], self.facts) for low, high in box)
        self.buffers[func.name] = Stored(tuple(map(self.fresh, _element_names(func))), tuple(low for low, _ in box), extents)

    def _allocations(self, func: FuncDef) -> Iterator[str]:
        self._store(func)
        stored, writer = self.buffers[func.name], self._writer({})
        shape = ", ".join(writer.control(each) for each in reversed(stored.extent))
        for name, typ in zip(stored.names, func.types, strict=True):
            yield f"{name}: {typ.usl}[{shape}]" if shape else f"{name}: {typ.usl}"

    def _assertions(self) -> Iterator[str]:
        """What the caller has to see to: bounds that are what they are called, images that hold what is read, x dense."""
        writer = self._writer({})
        for each in self.bounds.named:
            if each.kind == "len" and each.least is not None and each.least != 1:  # a size is at least 1
                yield f"{self.names[each.name]} >= {each.least}"
            for truth in self.bounds.facts_of(each):
                yield f"{writer.control(_part(truth, 1))} >= {writer.control(_part(truth, -1))}"
        for each_limit in self.limits:
            for held in each_limit.slack(self.bounds):
                if (least := ends(held, self.facts)[0]) is None or least < 0:
                    yield f"{writer.control(_part(held, 1))} >= {writer.control(_part(held, -1))}"
        for name, dimensions, _ in self.algorithm.images:
            if dimensions:
                yield f"stride({self.buffers[name].names[0]}, {dimensions - 1}) == 1"
            for dim in range(dimensions):
                low, high = self.bounds.interval(Family("image", name), dim)
                last = variable(f"{name}.extent.{dim}") - 1
                if (least := ends(low, self.facts)[0]) is None or least < 0:
                    yield f"{writer.control(low)} >= 0"
                if (room := ends(last - high, self.facts)[0]) is None or room < 0:
                    yield f"{writer.control(high)} <= {writer.control(last)}"

    def _writer(self, places: dict[str, Lin], names: dict[str, str] | None = None) -> Writer:
        scalars = frozenset(name for name, typ in self.algorithm.params if typ != I32)
        names = {**self.names, **(names or {})}
        return Writer(self.normal, self.facts, names, places, self.buffers, scalars, self.fresh, self._at_point, self.is_tight)

    def _stage(self, func: FuncDef, index: int) -> Iterator[str]:
        """The loop nest of a stage at the root."""
        loops = [*self._rdom_loops(func, index), *self._pure_loops(func, index)]
        return self._nest(func, in_target(func, index), loop_keys(func, index), loops, self._writer({}))

    def _at_point(self, read: Read, writer: Writer) -> tuple[str, ...] | None:
        """Scalars for a func at one place, whose stages are computed before the statement; None if the func has a buffer.

        A read with a stage is one of the func's own, of the scalars that are being computed. One without is another place, also
        where the place that is being computed depends on it: `f[f[x]]`.
        """
        if read.func not in self.points or read.stage is not None:
            return None
        func = self.algorithm.func(read.func)
        key = (read.func, read.index)
        if key not in writer.points:
            names = tuple(self.fresh(each) for each in _element_names(func))
            self.owners[names[0]] = func.name
            writer.before += [f"{name}: {typ.usl}" for name, typ in zip(names, func.types, strict=True)]
            inner = replace(
                writer, before=[], points={}, loads={}, buffers={**writer.buffers, func.name: Stored(names, (), ())}
            )
            for index in range(len(func.stages)):
                keys = loop_keys(func, index)
                places = {str(keys[arg]): place for arg, place in zip(func.args, read.index, strict=True)}
                stage = in_target(func, index).mapped(lambda node, at=places: substituted_in(node, at))  # type: ignore[misc]
                writer.before += self._nest(func, stage, keys, list(self._rdom_loops(func, index)), inner)
            writer.points[key] = names
        return writer.points[key]

    def _nest(
        self, func: FuncDef, stage: StageDef, keys: dict[str, LoopKey], inside: list[tuple[str, Lin, Lin]], around: Writer
    ) -> Iterator[str]:
        """The assignment of a stage in loops, given the innermost first by variable, min and length."""
        loops: list[tuple[str, str]] = []
        places, names = dict(around.places), dict(around.names)
        local = set(around.iterators)
        for name, low, length in reversed(inside):
            iterator = self._iterator(name, local)
            symbol = f"{keys[name]}#"
            names[symbol] = iterator
            self.facts.setdefault(symbol, (0, None))
            places[str(keys[name])] = low + variable(symbol)
            loops.append((iterator, around.control(length)))
        outer = frozenset(f"{keys[name]}#" for name, _, _ in inside[2:])
        writer = replace(
            around, places=places, names=names, iterators=frozenset(local), outer=outer, before=[], points={}, loads={}
        )
        writer.span = stage.span
        indent = ""
        for iterator, extent in loops:
            yield f"{indent}for {iterator} in seq(0, {extent}):"
            indent += "    "
        for line in self._body(func, stage, writer):
            yield indent + line

    def _iterator(self, name: str, local: set[str]) -> str:
        """An iterator's name, which other stages may have too, but no buffer."""
        base = name.replace("$", "_")
        while base in self.taken or base in local or keyword.iskeyword(base) or base in _RESERVED:
            base += "_"
        local.add(base)
        return base

    def _pure_loops(self, func: FuncDef, index: int) -> Iterator[tuple[str, Lin, Lin]]:
        for dim, name in enumerate(func.args):
            if func.is_pure_in(index, dim):
                low, high = self.bounds.interval(Family("cpu", func.name, hole_stage(func, index)), dim)
                yield name, low, extremum(True, [high - low + 1, const(0)], self.facts)

    def _rdom_loops(self, func: FuncDef, index: int) -> Iterator[tuple[str, Lin, Lin]]:
        for rvar in func.stages[index].rvars:
            length = self.normal.form(rvar.extent)
            yield rvar.name, self.normal.form(rvar.min), extremum(True, [length, const(0)], self.facts)

    def _body(self, func: FuncDef, stage: StageDef, writer: Writer) -> Iterator[str]:
        """The assignment of a stage, under its predicate."""
        if stage.pred is None:
            yield from self._assignment(func, stage, writer)
            return
        test = writer.condition(stage.pred)
        if test is None:
            chosen = writer.chosen(stage.pred, "i32(1)", "i32(0)", I32)
            yield from self._flushed(writer)
            test = f"0 < {chosen}"
        yield f"if {test}:"
        yield from (f"    {line}" for line in self._assignment(func, stage, writer))

    def _flushed(self, writer: Writer) -> Iterator[str]:
        lines, writer.before = writer.before, []
        yield from lines

    def _assignment(self, func: FuncDef, stage: StageDef, writer: Writer) -> Iterator[str]:
        stored = writer.buffers[func.name]
        place = writer.place(stored, stage.index)
        targets = [f"{name}[{place}]" if place else name for name in stored.names]
        if len(targets) == 1:
            added = _added(func, stage)
            text = writer.bare(stage.values[0] if added is None else added)
            yield from self._flushed(writer)
            yield f"{targets[0]} {'=' if added is None else '+='} {text}"
            return
        if _is_sequential(func, stage):
            for target, value in zip(targets, stage.values, strict=True):
                text = writer.bare(value)
                yield from self._flushed(writer)
                yield f"{target} = {text}"
            return
        results = []
        for value, typ in zip(stage.values, func.types, strict=True):
            name, text = self.fresh("t"), writer.data(value)
            yield from self._flushed(writer)
            yield f"{name}: {typ.usl}"
            yield f"{name} = {text}"
            results.append(name)
        for target, name in zip(targets, results, strict=True):
            yield f"{target} = {name}"


def _part(form: Lin, sign: int) -> Lin:
    """The terms of one sign, with that sign: a form is not negative if one of its parts is at least the other."""
    terms = tuple((atom, sign * c) for atom, c in form.terms if sign * c > 0)
    return Lin(terms, max(sign * form.constant, 0), form.names)


def _element_names(func: FuncDef) -> list[str]:
    """The buffers of a func: the first has its name, so that directives find it."""
    return [func.name, *(f"{func.name}_{part}" for part in range(1, len(func.types)))]


def _is_sequential(func: FuncDef, stage: StageDef) -> bool:
    """Whether the elements of a tuple may be assigned one after the other: none is made of those before it, nor the place."""

    def own(node: Node) -> list[int]:
        return [each.part for each in walk(node) if isinstance(each, Read) and each.func == func.name]

    if any(own(index) for index in stage.index):
        return False
    return all(part >= number for number, value in enumerate(stage.values) for part in own(value))


def _added(func: FuncDef, stage: StageDef) -> Node | None:
    """What a stage adds to the place that it writes, or None if it does something else."""

    def is_own(node: Node) -> bool:
        return isinstance(node, Read) and node.func == func.name and node.index == stage.index

    value = stage.values[0]
    if isinstance(value, Op) and value.op == "add":
        a, b = value.args
        if is_own(a):
            return b
        if is_own(b):
            return a
    return None


_RESERVED = frozenset(
    "seq par min max select abs sqrt exp log sin cos tanh idx check stride size index bool assert "
    "f16 f32 f64 bf16 i8 i16 i32 i64 u8 u16 u32 u64 R DRAM".split()
)
"""Names that mean something in the object language."""
