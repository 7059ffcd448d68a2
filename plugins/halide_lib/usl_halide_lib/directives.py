"""What a user asks for: directives with the line that gave them, collected by objects that read as Halide's do.

s = schedule(blur)
s["blur_y"].tile("x", "y", "xi", "yi", 256, 32).vectorize("xi", 16).parallel("y")
s["blur_x"].compute_at("blur_y", "x").vectorize("x", 16)
p = s.apply()
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from usl_core.errors import Span, calling_line
from usl_halide_lib.errors import DirectiveError


class TailStrategy(enum.Enum):
    """What becomes of the last, partial tile of a split. All but RoundUp leave what is touched as it is.

    Reference: Reinking 2022, fig. 2.11; the names are those of Halide 21.
    """

    Auto = "Auto"
    GuardWithIf = "GuardWithIf"
    Predicate = "Predicate"
    PredicateLoads = "PredicateLoads"
    PredicateStores = "PredicateStores"
    ShiftInwards = "ShiftInwards"
    ShiftInwardsAndBlend = "ShiftInwardsAndBlend"
    RoundUp = "RoundUp"
    RoundUpAndBlend = "RoundUpAndBlend"


class LoopAlignStrategy(enum.Enum):
    """Where the loops of `compute_with` meet."""

    AlignStart = "AlignStart"
    AlignEnd = "AlignEnd"
    NoAlign = "NoAlign"
    Auto = "Auto"


class Partition(enum.Enum):
    """Whether a loop is cut where the conditions of boundaries begin and end to matter."""

    Auto = "Auto"
    Never = "Never"
    Always = "Always"


class PrefetchBoundStrategy(enum.Enum):
    """What a prefetch beyond the end of a buffer does."""

    Clamp = "Clamp"
    GuardWithIf = "GuardWithIf"
    NonFaulting = "NonFaulting"


@dataclass(frozen=True, slots=True, eq=False)
class Directive:
    """One directive: its name, the func and the stage it is about (0 is the first), its arguments, the line that gave it.

    branch names the specialisation of the stage that it is about, "" the unspecialised stage.
    """

    name: str
    func: str
    stage: int
    args: tuple[Any, ...]
    span: Span | None
    position: int
    branch: str = ""
    of: str = ""
    """The text of the directive that this one is a part of, as a split is of a tile."""

    def __str__(self) -> str:
        stage = f".update({self.stage - 1})" if self.stage else ""
        given = list(self.args[:1] if self.name == "specialize" else self.args)
        while given and (given[-1] is None or given[-1] is True or getattr(given[-1], "name", "") == "Auto"):
            given.pop()  # what a user leaves out
        return self.of or f"{self.func}{stage}.{self.name}({', '.join(map(_shown, given))})"

    def refuse(self, message: str, code: str, notes: Sequence[str] = ()) -> DirectiveError:
        """The error that says that this directive does not apply."""
        return DirectiveError(f"{self}: {message}", span=self.span, notes=notes, code=code)


def _shown(value: object) -> str:
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(getattr(value, "__name__", value))


UNSUPPORTED = {
    **dict.fromkeys(
        ("gpu", "gpu_tile", "gpu_blocks", "gpu_threads", "gpu_lanes", "gpu_single_thread"), "tile and parallel are"
    ),
    **dict.fromkeys(("hexagon", "copy_to_device", "copy_to_host", "store_in_texture"), "there is one address space"),
    **dict.fromkeys(("memoize", "async_", "ring_buffer", "trace_loads", "trace_stores", "trace_realizations"), ""),
    **dict.fromkeys(("set_estimate", "set_estimates", "eager_inline", "unscheduled_warning", "infer_arguments"), ""),
}
"""Directives of Halide that there are not, and what to do instead."""

NO_EFFECT = (
    *("partition", "never_partition", "never_partition_all", "always_partition", "always_partition_all"),
    *("no_profiling", "unscheduled"),
)
"""Directives that change nothing among those that are applied: loops are partitioned afterwards."""


@dataclass(slots=True)
class Collected:
    """The directives of a schedule in textual order, which matters for reorders only."""

    directives: list[Directive] = field(default_factory=list)
    specialised: int = 0

    def add(self, name: str, func: str, stage: int, args: tuple[Any, ...], branch: str = "", of: str = "") -> Directive:
        """One more, given at the line that is being run."""
        made = Directive(name, func, stage, args, calling_line(), len(self.directives), branch, of)
        self.directives.append(made)
        return made


class Stage:
    """One stage of a func, to which directives are given; each returns it, so that they chain."""

    def __init__(self, collected: Collected, func: str, number: int = 0, branch: str = "") -> None:
        self._collected, self._func, self._number, self._branch = collected, func, number, branch

    def _add(self, name: str, *args: Any, of: str = "") -> Self:
        self._collected.add(name, self._func, self._number, args, self._branch, of)
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in NO_EFFECT:
            return lambda *args, **kwargs: self._add(name, *args)
        hint = UNSUPPORTED.get(name)
        if hint is None:
            raise DirectiveError(
                f"{self._func}.{name}: there is no such directive",
                span=calling_line(),
                notes=[f"those that there are: {', '.join(each for each in dir(type(self)) if not each.startswith('_'))}"],
                code="E770",
            )
        also = f"; {hint}" if hint else ""
        raise DirectiveError(f"{name} is not supported{also}", span=calling_line(), code="E770")

    # ---- loops

    def split(self, old: str, outer: str, inner: str, factor: int, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Divide the loop old into outer and inner, which runs factor times."""
        return self._add("split", old, outer, inner, factor, tail)

    def fuse(self, inner: str, outer: str, fused: str) -> Self:
        """Make one loop of two directly nested ones, of which one runs a constant number of times."""
        return self._add("fuse", inner, outer, fused)

    def reorder(self, *names: Any) -> Self:
        """Nest loops anew, the innermost first."""
        return self._add("reorder", *(names[0] if len(names) == 1 and isinstance(names[0], list | tuple) else names))

    def rename(self, old: str, new: str) -> Self:
        """Call a loop otherwise."""
        return self._add("rename", old, new)

    def tile(self, *args: Any) -> Self:
        """Two splits and a reorder: `tile(x, y, xi, yi, 256, 32)`, `tile(x, y, xo, yo, xi, yi, 256, 32)`, or lists of each."""
        tail = args[-1] if args and isinstance(args[-1], TailStrategy) else TailStrategy.Auto
        olds, outers, inners, factors = _tiles(self._func, args[:-1] if args and isinstance(args[-1], TailStrategy) else args)
        of = f"{self._func}.tile({', '.join(map(_shown, args))})"
        for old, outer, inner, factor in zip(olds, outers, inners, factors, strict=True):
            self._add("split", old, outer, inner, factor, tail, of=of)
        return self._add("reorder", *inners, *outers, of=of)

    def serial(self, name: str) -> Self:
        """One iteration after the other, as it is without directives."""
        return self._add("serial", name)

    def parallel(self, name: str, task_size: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """Iterations, or groups of task_size of them, on several threads."""
        return self._add("parallel", name, task_size, tail)

    def vectorize(self, name: str, factor: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """factor iterations, or all of a loop of a constant number, at once by vector instructions."""
        return self._add("vectorize", name, factor, tail)

    def unroll(self, name: str, factor: int | None = None, tail: TailStrategy = TailStrategy.Auto) -> Self:
        """A copy of the body for each of factor iterations, or of all of a loop of a constant number."""
        return self._add("unroll", name, factor, tail)

    def atomic(self, override_associativity_test: bool = False) -> Self:
        """Allow parallel loops whose iterations add into one place."""
        return self._add("atomic")

    def allow_race_conditions(self) -> Self:
        """Refused: no schedule changes a result."""
        raise DirectiveError(
            f"{self._func}.allow_race_conditions(): races are never allowed",
            span=calling_line(),
            notes=["hint: rfactor gives each thread a sum of its own; atomic is for +="],
            code="E779",
        )

    def compute_with(self, other: Any, name: str, align: Any = LoopAlignStrategy.Auto) -> Self:
        """Run in the loops of another stage, from the outermost down to name."""
        func, stage = (other, 0) if isinstance(other, str) else (other._func, other._number)
        return self._add("compute_with", func, stage, name, align)

    def prefetch(self, func: str, at: str, from_: str | None = None, offset: int = 1, strategy: Any = None) -> Self:
        """Ask for what iteration `from_ + offset` reads of func, in each iteration of at."""
        return self._add("prefetch", func, at, at if from_ is None else from_, offset, strategy)

    def rfactor(self, var: Any, name: str | None = None) -> Self:
        """Sum over part of the iterations into a new func, `rfactor("r", "v")` or `rfactor([("r", "v")])`."""
        pairs = [(var, name)] if isinstance(var, str) else list(var)
        if len(pairs) != 1:
            raise DirectiveError(
                f"{self._func}.rfactor: several loops at once are not supported",
                span=calling_line(),
                notes=["hint: one rfactor after the other"],
                code="E770",
            )
        return self._add("rfactor", *pairs[0])

    def specialize(self, condition: str) -> Stage:
        """A copy of this stage for when a condition on sizes holds; directives given to the result are for it alone."""
        self._collected.specialised += 1
        branch = f"{self._branch}/{self._collected.specialised}"
        self._add("specialize", condition, branch)
        return Stage(self._collected, self._func, self._number, branch)

    def specialize_fail(self, text: str) -> Self:
        """Refused: a procedure cannot fail at run time."""
        raise DirectiveError(
            f"{self._func}.specialize_fail({text!r}) is not supported; assert the condition in the procedure",
            span=calling_line(),
            code="E770",
        )


class Func(Stage):
    """The first stage of a func, and what is about the func as a whole."""

    def update(self, number: int = 0) -> Stage:
        """A later stage, the first of them by default."""
        return Stage(self._collected, self._func, number + 1)

    # ---- where it is computed

    def compute_at(self, func: str, name: str) -> Self:
        """Compute what one iteration of a loop of a consumer needs, in that iteration."""
        return self._add("compute_at", func, name)

    def compute_root(self) -> Self:
        """Compute it all before its consumers."""
        return self._add("compute_root")

    def compute_inline(self) -> Self:
        """Compute it wherever it is read."""
        return self._add("compute_inline")

    # ---- where it is stored

    def store_at(self, func: str, name: str) -> Self:
        """Keep what is computed for the whole of an iteration of a loop further out than compute_at."""
        return self._add("store_at", func, name)

    def store_root(self) -> Self:
        """Keep what is computed."""
        return self._add("store_root")

    def hoist_storage(self, func: str, name: str) -> Self:
        """Allocate the same buffer further out."""
        return self._add("hoist_storage", func, name)

    def hoist_storage_root(self) -> Self:
        """Allocate the same buffer outside of all loops."""
        return self._add("hoist_storage_root")

    def store_in(self, memory: Any) -> Self:
        """A memory: "Stack", "Heap", "Register", or a class of memories."""
        return self._add("store_in", memory)

    def fold_storage(self, dim: str, extent: int, fold_forward: bool = True) -> Self:
        """Keep extent places of a dimension, in a circle."""
        return self._add("fold_storage", dim, extent, fold_forward)

    def align_storage(self, dim: str, alignment: int) -> Self:
        """Let rows of a dimension begin at multiples of alignment."""
        return self._add("align_storage", dim, alignment)

    def bound_storage(self, dim: str, extent: int) -> Self:
        """Allocate extent places in a dimension."""
        return self._add("bound_storage", dim, extent)

    def reorder_storage(self, *dims: Any) -> Self:
        """The order of the dimensions in memory, the innermost first."""
        return self._add("reorder_storage", *(dims[0] if len(dims) == 1 and isinstance(dims[0], list | tuple) else dims))

    # ---- bounds

    def bound(self, name: str, min: Any, extent: Any) -> Self:
        """Assert that an output has this many places in a dimension."""
        return self._add("bound", name, min, extent)

    def bound_extent(self, name: str, extent: Any) -> Self:
        """As `bound`, from wherever it begins."""
        return self._add("bound", name, None, extent)

    def align_bounds(self, name: str, modulus: int, remainder: int = 0) -> Self:
        """Assert that modulus divides the extent of an output in a dimension."""
        return self._add("align_bounds", name, modulus, remainder)

    def align_extent(self, name: str, modulus: int) -> Self:
        """As `align_bounds`, from wherever it begins."""
        return self._add("align_bounds", name, modulus, 0)

    # ---- the algorithm

    def in_(self, consumers: Any = None) -> Func:
        """A func that copies this one, through which consumers (all of them by default) read it."""
        names = () if consumers is None else (consumers,) if isinstance(consumers, str) else tuple(consumers)
        name = f"{self._func}_in" if not names else f"{self._func}_in_{'_'.join(names)}"
        self._add("in_", name, names)
        return Func(self._collected, name)

    def clone_in(self, consumers: Any) -> Func:
        """A func that computes the same again, for consumers to read."""
        names = (consumers,) if isinstance(consumers, str) else tuple(consumers)
        name = f"{self._func}_clone_in_{'_'.join(names)}"
        self._add("clone_in", name, names)
        return Func(self._collected, name)


def _tiles(func: str, args: Sequence[Any]) -> tuple[list[str], list[str], list[str], list[int]]:
    """The old, outer and inner names and the factors of a tile in each of its forms."""
    if args and isinstance(args[0], list | tuple):
        lists = [list(each) for each in args]
        if len(lists) == 3:
            lists = [lists[0], lists[0], *lists[1:]]
        if len(lists) == 4 and len({len(each) for each in lists}) == 1:
            return lists[0], lists[1], lists[2], lists[3]
    elif len(args) == 6:
        x, y, xi, yi, wide, tall = args
        return [x, y], [x, y], [xi, yi], [wide, tall]
    elif len(args) == 8:
        x, y, xo, yo, xi, yi, wide, tall = args
        return [x, y], [xo, yo], [xi, yi], [wide, tall]
    raise DirectiveError(
        f"{func}.tile: the arguments are x, y, xi, yi, xfactor, yfactor, or x, y, xo, yo, xi, yi, xfactor, yfactor, or lists",
        span=calling_line(),
        code="E777",
    )
