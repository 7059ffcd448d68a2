"""The text of outer code as it is written: lines, names, what the core's names stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from usl_core.errors import NOWHERE
from usl_core.ir.sym import Sym
from usl_core.ir.types import I64, ScalarType
from usl_perceus import not_empty, not_written
from usl_soac import core, failures
from usl_soac.allocations import Allocation
from usl_soac.constants import constant, element_type, zero
from usl_soac.copying import MOST, copy_procedure
from usl_soac.core import Atom, Const, Param, Part, Program, Site, Statement, Type
from usl_soac.kernel_uses import Uses
from usl_soac.scalars import BOOL, CERT, SCALARS
from usl_soac.size_terms import term_of
from usl_soac.sizes import COUNT_LIMIT, Apply, Choice, Compare, SizeAtom, Term, substitute
from usl_soac.views import View, place, plus, times

Value = str | View
"""A scalar is the text of a constant or a name."""


@dataclass(slots=True)
class Module:
    """What the functions of one program share: the sites of tests that outer code makes, and what it uses by name."""

    checked: bool = True
    """Whether tests are made."""
    debug: bool = False
    """Whether arrays are tested to have the sizes that were computed for them: a difference is a mistake of the compiler."""
    sites: list[Site] = field(default_factory=list)
    names: dict[str, object] = field(default_factory=dict)
    """Kernels, foreign and other functions."""
    calls: list[tuple[str, Part]] = field(default_factory=list)
    """The functions, and parts of them, that outer code calls."""
    kernels: dict[str, Any] = field(default_factory=dict)
    """By name (`regions.Kernel`)."""
    not_kernels: dict[str, list[str]] = field(default_factory=dict)
    """For each function the reasons why statements are no kernels."""
    allocations: list[Allocation] = field(default_factory=list)
    failures: set[int] = field(default_factory=set)
    """How many values failed tests have."""

    def site(self, site: Site) -> int:
        """The number of a site."""
        if site not in self.sites:
            self.sites.append(site)
        return self.sites.index(site)

    def uses(self, name: str, value: object) -> str:
        """The name in the text of something that is not written in it."""
        base, count = name, 1
        while self.names.get(name, value) is not value:
            count += 1
            name = f"{base}_{count}"
        self.names[name] = value
        return name


class Frame:
    """One function while it is written."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.lines: list[str] = []
        self.values: dict[Sym, Value] = {}
        self.types: dict[Sym, Type] = {}
        """Of all names that were in scope."""
        self.program: Program | None = None
        self.uses: Uses | None = None
        """Of the names of the program; None if there are no kernels."""
        self.name = ""
        """Of the function."""
        self.terms: dict[Sym, Term] = {}
        """The i64s that are sizes of which more is known than their names."""
        self.truths: dict[Sym, core.Op] = {}
        """The operations that give truth values."""
        self.spares: dict[Sym, str] = {}
        """Arrays that nothing else needs, in which kernels write results of the same size."""
        self.deferred: dict[Sym, Statement] = {}
        """Statements that are written where their arrays are needed, if a kernel does not do them."""
        self.write_deferred: Callable[[Statement, Frame], None] | None = None
        self.span = NOWHERE
        """Of the statement that is written."""
        self.scratch: list[tuple[str, str]] = []
        """Arrays that kernels in the innermost loop write into, and the names under which they are when a round ends."""
        self.lent: frozenset[Sym] = frozenset()
        """Arguments that whoever calls may need afterwards."""
        self.lengths: frozenset[Sym] = frozenset()
        """The sizes of the function's arrays."""
        self.kept: set[Sym] = set()
        """Results of rounds, which the next one needs."""
        self._first: tuple[int, int] | None = None
        """The line of the outermost loop, and its depth."""
        self._outside: frozenset[Sym] = frozenset()
        """What is bound before that."""
        self.loops = 0
        """How many loops of outer code are around."""
        self._depth = 1
        self._body = 0
        self._count = 0

    # -- lines

    def line(self, text: str) -> None:
        """One statement."""
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """`head:` and what stands in it."""
        self.line(head + ":")
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self._depth -= 1

    def raises(self, site: int, values: Sequence[str]) -> None:
        """A failed test, with the values for its text."""
        self.module.failures.add(len(values))
        self.line(f"raise Failed{len(values)}({', '.join([str(site), *values])})")

    @contextmanager
    def loop(self, head: str) -> Iterator[None]:
        """A loop: what is bound and found out in it is forgotten behind it."""
        first, scratch, body, spares = self._first, self.scratch, self._body, dict(self.spares)
        if first is None:
            self._first, self._outside = (len(self.lines), self._depth), frozenset(self.values)
        self.scratch = []
        self.loops += 1
        with self.block(head), self.scope():
            self._body = self._depth
            yield
            for base, name in self.scratch:
                self.line(f"{base} = {name}")
        self.loops -= 1
        self._first, self.scratch, self._body, self.spares = first, scratch, body, spares

    def before_loops(self, result: Param, name: str, dims: Sequence[Term]) -> str | None:
        """An array for a result of a kernel in a loop, made once and used again in each round; None if its size is not known
        before all loops, or the kernel does not run in each round.

        It is made before the loops if it is as large as an array of the function; another size may be none, or more than there
        is memory for where no round is run, so that such an array is made when it is first needed.
        """
        needed = result.name in self.kept and result.type.dims  # a number is read from its array at once
        if self._depth != self._body or needed:
            return None
        base = self.made_before_loops("scratch", result.type.scalar, dims, result.name.name)
        if base is not None:
            self.scratch.append((base, name))
        return base

    def made_before_loops(self, name: str, scalar: ScalarType, dims: Sequence[Term], of: str = "") -> str | None:
        """An array that kernels write, made before all loops; None if there are none, or its size is not known there."""
        sizes = {sym for dim in dims for sym in dim.names()}
        plain = all(dim.name is not None or dim.constant is not None for dim in dims)
        if self._first is None or not plain or not sizes <= self._outside or len(dims) > 2:
            return None
        at, depth = self._first
        base = self.fresh(name)
        count = times(*map(self._sum, dims)) if dims else "1"
        is_safe = len(sizes) <= 1 and sizes <= self.lengths
        self.lines.insert(at, "    " * depth + f"{base} = {self.blank(count if is_safe else '0', scalar)}")
        if not is_safe:
            with self.block(f"if len({base}) != {count}"):
                self.line(f"{base} = {self.blank(count, scalar)}")
        loops, self.loops = self.loops, 0
        for each in [count] if is_safe else ["0", count]:
            self.allocates(of or name, each, scalar)
        self.loops = loops
        return base

    def at_end_of_round(self, base: str, name: str) -> None:
        """What the round has under a name is base in the next one, if the round comes by here each time."""
        if self._first is not None and self._depth == self._body:
            self.scratch.append((base, name))

    def is_scratch(self, base: str) -> bool:
        """Whether a kernel writes an array again in the next round."""
        return any(name == base for _, name in self.scratch)

    def blank(self, count: str, scalar: ScalarType) -> str:
        """The text of an array of which nothing is read before it is written: by a kernel, which writes all of its results."""
        element = element_type(scalar)
        return f"{self.module.uses(f'not_written_{element}', not_written(element))}({count})"

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is bound and found out in it is forgotten behind it."""
        values, terms = dict(self.values), dict(self.terms)
        yield
        self.values, self.terms = values, terms

    def fresh(self, name: str) -> str:
        """A name that the function has nowhere else."""
        self._count += 1
        plain = "".join(c for c in name if c.isascii() and (c.isalnum() or c == "_")).strip("_")
        return f"{plain if plain[:1].isalpha() else 'v' + plain}_{self._count}"

    def let(self, name: str, text: str) -> str:
        """A name, or number, for the value of an expression."""
        if text.isdigit() or text.isidentifier():
            return text
        made = self.fresh(name)
        self.line(f"{made} = {text}")
        return made

    # -- values

    def value(self, name: Sym) -> Value:
        """What a name of the core stands for."""
        if name not in self.values and name in self.deferred and self.write_deferred is not None:
            self.write_deferred(self.deferred[name], self)
        return self.values[name]

    def scalar(self, atom: Atom) -> str:
        """The text of a scalar."""
        if isinstance(atom, Const):
            return constant(atom)
        value = self.value(atom)
        assert isinstance(value, str), f"{atom} is an array"
        return value

    def view(self, name: Atom) -> View:
        """An array."""
        assert isinstance(name, Sym)
        value = self.value(name)
        assert isinstance(value, View), f"{name} is a scalar"
        return value

    def term(self, term: Term) -> str:
        """The name, or number, of a size."""
        return self.let("size", self._sum(term))

    def _sum(self, term: Term) -> str:
        text = ""
        for atoms, factor in term.parts:
            product = times(*map(self._atom, atoms))
            size = product if abs(factor) == 1 else str(abs(factor)) if not atoms else f"{abs(factor)} * {product}"
            text += (f" {'-' if factor < 0 else '+'} " if text else "0 - " if factor < 0 else "") + size
        return text or "0"

    def _atom(self, atom: SizeAtom) -> str:
        match atom:
            case Sym():
                return self.scalar(atom)
            case Apply(op="//", args=(dividend, divisor)):
                return f"({self._factor(dividend)} // {self._factor(divisor)})"
            case Apply(op=op, args=(first, *rest)):
                text = self.term(first)
                for other in rest:
                    text = f"{op}({text}, {self.term(other)})"
                return text
            case Choice(test=test, yes=yes, no=no):
                return f"({self._factor(yes)} if {self.comparison(test)} else {self._factor(no)})"
            case _:
                raise AssertionError(atom)

    def _factor(self, term: Term) -> str:
        text = self._sum(term)
        return text if text.isdigit() or text.isidentifier() else f"({text})"

    def comparison(self, test: Compare) -> str:
        """The text of a comparison of sizes."""
        return f"{self._factor(test.left)} {test.op} {self._factor(test.right)}"

    def know(self, condition: Atom) -> None:
        """Sizes that a test has found equal are the same term from here on."""
        test = self.truths.get(condition) if isinstance(condition, Sym) else None
        if test is None:
            return
        if test.op == "and":
            for each in test.args:
                self.know(each)
        elif test.op == "==" and test.operand == I64:
            left, right = (substitute(term_of(arg, self.terms), self.terms) for arg in test.args)
            for one, other in ((left, right), (right, left)):
                if one.name is not None and one.name not in other.names():
                    known = {one.name: other}
                    self.terms = {**{sym: substitute(term, known) for sym, term in self.terms.items()}, **known}
                    return

    def bind(self, param: Param, value: Value) -> None:
        """Gives a name of the core its value."""
        if param.type.scalar is CERT:
            return
        self.types[param.name] = param.type
        self.values[param.name] = self.let(param.name.name, value) if isinstance(value, str) else value

    # -- arrays

    def array(self, base: str, type_: Type) -> View:
        """An array whose elements have a name."""
        dims = tuple(self.term(dim) for dim in type_.dims if dim is not None)
        assert len(dims) == type_.rank, "a size is not known"
        return View(base, type_.scalar, dims, self.row_strides(dims))

    def made(self, name: str, scalar: ScalarType, dims: Sequence[str], *, blank: bool = False) -> View:
        """A new array of zeros, or one that is yet to be written."""
        self.countable(dims)
        count = self.let("count", times(*dims))
        base = self.fresh(name)
        self.allocates(name, count, scalar)
        self.line(f"{base} = {self.blank(count, scalar) if blank else f'array({count}, {zero(scalar)})'}")
        return View(base, scalar, tuple(dims), self.row_strides(dims))

    def countable(self, dims: Sequence[str]) -> None:
        """Tests that the number of elements does not wrap, in floats, whose error is far below the margin."""
        unknown = [dim for dim in dims if not dim.isdigit()]
        if len(unknown) > 1 and self.module.checked:
            product = " * ".join(f"f64({dim})" for dim in dims)
            with self.block(f"if {product} >= {float(COUNT_LIMIT)}"):
                self.raises(self.module.site(failures.too_large(self.span)), [])

    def expects(self, array: str, found: Sequence[str], expected: Sequence[str]) -> None:
        """In debug code, tests that sizes are those that were computed."""
        pairs = [(a, b) for a, b in zip(found, expected, strict=True) if a != b] if self.module.debug else []
        if pairs:
            site = self.module.site(failures.wrong_sizes(self.name, array, self.span))
            with self.block(f"if {' or '.join(f'{a} != {b}' for a, b in pairs)}"):
                self.raises(site, [])

    def received(self, name: str, type_: Type) -> View:
        """An array that a call gives, or gets."""
        array = self.array(name, type_)
        if self.module.debug:
            self.expects(name.rpartition("_")[0], [f"len({name})"], [self.let("count", times(*array.dims))])
        return array

    def allocates(self, array: str, count: str, scalar: ScalarType) -> None:
        """Notes that memory is taken for so many elements."""
        size = max(scalar.bits // 8, 1)
        name = self.name or "outer code"
        self.module.allocations.append(Allocation(name, array, f"{size} * {count}", self.loops))

    def row_strides(self, dims: Sequence[str]) -> tuple[str, ...]:
        """The strides of an array that lies row by row."""
        strides, after = [], "1"
        for dim in reversed(dims):
            strides.append(after)
            after = times(dim, after)
            if len(strides) < len(dims):
                after = self.let("stride", after)
        return tuple(reversed(strides))

    def element(self, view: View, indices: Sequence[str]) -> str:
        """The text that reads an element."""
        text = f"{view.base}[{place(view, indices)}]"
        return f"{text} != u8(0)" if view.scalar is BOOL else text

    def store(self, base: str, scalar: ScalarType, at: str, value: str) -> None:
        """Writes an element of a flat array."""
        self.line(f"{base} = {base}.set({at}, {f'u8({value})' if scalar is BOOL else value})")

    def copy_into(self, base: str, at: str, view: View) -> None:
        """Writes the elements of view, row by row, into a flat array, from a place on."""
        self._copy(base, at, self.row_strides(view.dims), view, ())

    def _copy(self, base: str, at: str, strides: Sequence[str], view: View, indices: tuple[str, ...]) -> None:
        if len(indices) == view.rank:
            to = plus(at, *map(times, indices, strides))
            self.line(f"{base} = {base}.set({to}, {view.base}[{place(view, indices)}])")
            return
        i = self.fresh("i")
        with self.block(f"for {i} in range({view.dims[len(indices)]})"):
            self._copy(base, at, strides, view, (*indices, i))

    def whole(self, view: View) -> View:
        """The same elements as an array of their own."""
        if view.whole:
            return view
        if view.dense:
            return self._copied_rows(view)
        made = self.made(view.base.rpartition("_")[0], view.scalar, view.dims)
        self.copy_into(made.base, "0", view)
        return made

    def front(self, room: View) -> View:
        """An array whose elements stand in front in a larger one, which nothing else needs and loses the rest."""
        count, base = self.let("count", times(*room.dims)), self.fresh("front")
        self.line(f"{base} = {room.base}.truncate({count})")
        return View(base, room.scalar, room.dims, self.row_strides(room.dims))

    def _copied_rows(self, view: View) -> View:
        """A copy of elements that lie side by side."""
        count, base = self.let("count", times(*view.dims)), self.fresh("rows")
        scalar = SCALARS[element_type(view.scalar)]
        procedure = copy_procedure(scalar)
        if procedure.name() not in self.module.names:
            self.module.names[procedure.name()] = not_empty(procedure)
        self.allocates("rows", count, view.scalar)
        with self.block(f"if 0 < {count} and {count} <= {MOST}"):
            end = self.let("end", plus(view.offset, count))
            nothing = f"array({count}, {'0.0' if scalar.is_real else '0'})"
            self.line(f"{base} = {procedure.name()}({count}, {view.base}[{view.offset}:{end}], {nothing})")
        with self.block("else"):
            self.line(f"{base} = array({count}, {zero(view.scalar)})")
            i = self.fresh("i")
            with self.block(f"for {i} in range({count})"):
                self.line(f"{base} = {base}.set({i}, {view.base}[{plus(view.offset, i)}])")
        return View(base, view.scalar, view.dims, self.row_strides(view.dims))

    def named(self, name: str, value: Value) -> Value:
        """The value under names that an assignment may change: an array of its own, its dimensions in names."""
        if isinstance(value, str):
            own = self.fresh(name)
            self.line(f"{own} = {value}")
            return own
        array = self.whole(value)
        own, dims = self.fresh(name), [self.fresh("d") for _ in array.dims]
        self.line(f"{own} = {array.base}")
        for dim, text in zip(dims, array.dims, strict=True):
            self.line(f"{dim} = {text}")
        return View(own, array.scalar, tuple(dims), self.row_strides(dims))

    def current(self, target: Value) -> Value:
        """What `named` made, after an assignment: the distances of its rows may be others."""
        return target if isinstance(target, str) else replace(target, strides=self.row_strides(target.dims))

    def assign(self, targets: Sequence[Value], values: Sequence[Value]) -> None:
        """All at once: each target has been made by `named`."""
        left: list[str] = []
        right: list[str] = []
        for target, value in zip(targets, values, strict=True):
            match target, value:
                case str(), str():
                    left, right = [*left, target], [*right, value]
                case View(), View():
                    array = self.whole(value)
                    left, right = [*left, target.base, *target.dims], [*right, array.base, *array.dims]
                case _:
                    raise AssertionError("a scalar and an array")
        changed = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
        if changed:
            self.line(f"{', '.join(a for a, _ in changed)} = {', '.join(b for _, b in changed)}")


def type_of_array(scalar: ScalarType) -> str:
    """`array[f64]`."""
    return f"array[{element_type(scalar)}]"
