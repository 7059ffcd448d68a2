"""A schedule as a rewrite of the lowered program (halide.md §7): directives in phases, whatever their order in the text.

Algorithm (rfactor, in_, clone_in, compute_inline) · specialise · loops · compute · storage · compute_with · bounds · traversal.
Within the loop phase a directive follows those whose loops it names; consumers are placed before what they read. What concerns
memory alone (`store_in`, `fold_storage` and the like) has no meaning here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from usl_halide_lib.directives import Directive, LoopAlignStrategy, TailStrategy
from usl_halide_lib.lang import placement, restrictions, rewrites
from usl_halide_lib.lang.errors import AlgorithmError
from usl_halide_lib.lang.expr import Expr, operand
from usl_halide_lib.lang.factoring import clone, factored, inline, wrap
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.nodes import Algorithm, Node
from usl_halide_lib.lang.rewrites import Tail, nest_of
from usl_halide_lib.lang.target import For, LoopKey, Mode, Nop, Target, below, find, statements, with_below
from usl_halide_lib.lang.types import I32
from usl_halide_lib.order import LOOPS, conflict, loop_order

MODES = {"parallel": Mode.PARALLEL, "vectorize": Mode.VECTORIZED, "unroll": Mode.UNROLLED, "serial": Mode.SERIAL}
GROUPED = ("vectorize", "unroll", "parallel")
"""Those that may divide a loop, the one whose iterations are innermost first."""
TAILS = {TailStrategy.ShiftInwards: Tail.SHIFT, TailStrategy.RoundUp: Tail.ROUND}
"""All other tails touch what a guard touches."""
PLACES = ("compute_at", "compute_root", "compute_inline")


def scheduled(algorithm: Algorithm, directives: Iterable[Directive], lowered: Target | None = None) -> Target:
    """The program with holes after all directives; lowered is the one without any, if it is known.

    Raises:
        DirectiveError: one does not apply, at its line: E771, E773, E777 to E783, E785.
    """
    return Scheduling(algorithm, directives).run(lowered)


@contextmanager
def blamed(directive: Directive) -> Iterator[None]:
    """What a rewrite refuses is said of the directive that asked for it."""
    try:
        yield
    except AlgorithmError as error:
        raise directive.refuse(error.message, error.code, error.notes) from error


class Scheduling:
    """One run of `scheduled`. The funcs points are computed where they are read, before each statement that reads them."""

    def __init__(self, algorithm: Algorithm, directives: Iterable[Directive], points: Collection[str] = ()) -> None:
        self.given, self.points = list(directives), points
        self.algorithm = algorithm
        self.target = Target(algorithm, Nop())
        self.specs: dict[tuple[str, str], int] = {}

    def run(self, lowered: Target | None = None) -> Target:
        """The program after all phases."""
        self.nest(lowered)
        self.each("bound", self.bound)
        self.each("align_bounds", self.align)
        for name in MODES:
            self.each(name, self.traverse)
        self.each("prefetch", self.prefetch)
        return self.target

    def nest(self, lowered: Target | None = None) -> Target:
        """The program after the phases that decide which loops there are and where funcs are computed and stored."""
        before = self.algorithm
        self.rewrite_algorithm()
        self.target = lowered if lowered is not None and self.algorithm is before else lower(self.algorithm)
        for each in self.given:
            self.check(each)
        self.specialise()
        self.loops()
        self.compute()
        self.store()
        self.each("compute_with", self.together)
        return self.target

    def named(self, *names: str) -> list[Directive]:
        """The directives of some names, by what they say: their order in the text does not matter."""
        return sorted((each for each in self.given if each.name in names), key=lambda each: (each.func, each.stage, str(each)))

    def each(self, name: str, step: Callable[[Directive], None]) -> None:
        """A step for each directive of a name."""
        for directive in self.named(name):
            with blamed(directive):
                step(directive)

    def one(self, func: str, *names: str) -> Directive | None:
        """The directive of some names on a func; two that differ are a conflict."""
        found = [each for each in self.named(*names) if each.func == func]
        for each in found[1:]:
            if (each.name, each.args) != (found[0].name, found[0].args):
                raise conflict(each, found[0], "one place is enough")
        return found[0] if found else None

    def check(self, directive: Directive) -> None:
        """Refuse funcs and stages that there are not."""
        funcs = {each.name: each for each in self.algorithm.funcs}
        if directive.func not in funcs:
            raise directive.refuse(f"there is no func {directive.func}; the funcs are {', '.join(funcs)}", "E771")
        stages = len(funcs[directive.func].stages)
        if directive.stage >= stages:
            raise directive.refuse(f"{directive.func} has {stages} stages", "E771")

    # ---- phases

    def rewrite_algorithm(self) -> None:
        """Funcs that are added or disappear. Directives on a func that is computed inline have nothing to apply to."""
        for directive in self.named("rfactor", "in_", "clone_in"):
            with blamed(directive):
                self.algorithm = self._changed(directive)
        for func in reversed([each.name for each in self.algorithm.funcs]):
            where = self.one(func, *PLACES)
            if where is None or where.name != "compute_inline":
                continue
            for other in self.given:
                if other.func == func and other.name != "compute_inline":
                    raise other.refuse(f"{func} is computed inline, so that it has no loops and no storage", "E783")
            with blamed(where):
                self.algorithm = inline(self.algorithm, func)
            self.given = [each for each in self.given if each.func != func]

    def _changed(self, directive: Directive) -> Algorithm:
        func, args = directive.func, directive.args
        self.check(directive)
        if directive.name == "rfactor":
            pairs = [(args[0], args[1])] if isinstance(args[0], str) else list(args[0])
            stage = self.algorithm.func(func).stages[directive.stage]
            known = {_plain(each.name): each.name for each in stage.rvars}
            return factored(self.algorithm, func, directive.stage, [(known.get(r, r), v) for r, v in pairs])
        return (wrap if directive.name == "in_" else clone)(self.algorithm, func, args[0], args[1])

    def specialise(self) -> None:
        """The conditions of a func in the order of the text: the first that holds is taken."""
        found: dict[str, list[Directive]] = {}
        for each in sorted((each for each in self.given if each.name == "specialize"), key=lambda each: each.position):
            found.setdefault(each.func, []).append(each)
        for func, several in found.items():
            for number, each in enumerate(several):
                self.specs[func, each.args[1]] = number + 1
            self.specs[func, ""] = 0
            with blamed(several[0]):
                self.target = restrictions.specialize(self.target, func, [_node(each.args[0]) for each in several])

    def loops(self) -> None:
        """The loops of each func. They concern its own statement alone, so that the rest of a long program is not gone over."""
        whole, algorithm = self.target.body, self.target.algorithm
        for func in sorted({each.func for each in self.given if each.name in (*LOOPS, *GROUPED)}):
            label = placement.label_of(Target(algorithm, whole), func)
            if label is not None:
                self.target = Target(algorithm, label)
                self.loops_of(func)
                whole = with_below(whole, tuple(self.target.body if each is label else each for each in below(whole)))
        self.target = Target(algorithm, whole)

    def loops_of(self, func: str) -> None:
        """The loops of each stage and branch of a func."""
        stages: dict[LoopKey, list[Directive]] = {}
        for each in self.given:
            if each.func == func:
                stages.setdefault(self.key(each, ""), []).append(each)
        for at in sorted(stages, key=str):
            source = [_plain(key.var) for key in nest_of(self.target, at)]
            for directive in loop_order(stages[at], source):
                with blamed(directive):
                    self.loop(directive)
        for directive in (each for name in GROUPED for each in self.named(name) if each.func == func):
            with blamed(directive):
                self.group(directive)

    def group(self, directive: Directive) -> None:
        """Divide a loop of which groups of iterations are traversed: what is vectorised is innermost, then what is unrolled."""
        name, factor, tail = directive.args
        if factor is not None:
            self.split(directive, name, name, _inner(directive), factor, tail)

    def loop(self, directive: Directive) -> None:
        """One directive on loops."""
        args = directive.args
        match directive.name:
            case "split":
                self.split(directive, *args)
            case "fuse":
                inner, outer, fused = args
                at = self.key(directive, outer)
                nest = nest_of(self.target, at)
                if self.key(directive, inner) not in nest[nest.index(at) + 1 :] if at in nest else ():
                    raise directive.refuse(f"{inner} is no loop in {outer}", "E777")
                for name in {inner, outer} & {fused}:
                    self.target, freed = rewrites.freed(self.target, self.key(directive, name))
                    at = freed if name == outer else at
                self.target = rewrites.fuse(self.target, at, fused)
            case "reorder":
                if args:
                    self.target = rewrites.reorder(self.target, [self.key(directive, each) for each in args])
            case _:
                self.target = rewrites.rename(self.target, self.key(directive, args[0]), args[1])

    def split(self, directive: Directive, old: str, outer: str, inner: str, factor: Any, tail: TailStrategy) -> None:
        """Divide a loop; `Auto` shifts the tiles of what no user sees, and guards all else."""
        at = self.key(directive, old)
        if not isinstance(factor, int):
            raise directive.refuse(f"the factor must be a positive number, got {factor}", "E777")
        way = TAILS.get(tail, Tail.GUARD)
        if tail is TailStrategy.Auto and at.stage == 0 and at.func not in self.target.algorithm.outputs:
            way = Tail.SHIFT
        find(self.target, at)
        if old in (outer, inner):
            self.target, at = rewrites.freed(self.target, at)
        self.target = rewrites.split(self.target, at, outer, inner, factor, way)

    def compute(self) -> None:
        """Places of funcs, consumers first, so that what two of them put into one loop is in the order of the algorithm."""
        for func in reversed(self.algorithm.funcs):
            if func.name in self.points:
                self.target = placement.compute_where_read(self.target, func.name)
            directive = self.one(func.name, *PLACES)
            if directive is not None and directive.name == "compute_at":
                with blamed(directive):
                    self.target = placement.compute_at(self.target, func.name, self.place(directive))

    def store(self) -> None:
        """Places of buffers: where the func is computed, or further out."""
        for func in reversed(self.algorithm.funcs):
            compute, store = self.one(func.name, *PLACES), self.one(func.name, "store_at", "store_root")
            where = store or compute
            if where is not None and where.name in ("compute_at", "store_at"):
                with blamed(where):
                    self.target = placement.store_at(self.target, func.name, self.place(where))

    def together(self, directive: Directive) -> None:
        """compute_with."""
        func, stage, name, align = directive.args
        way = {LoopAlignStrategy.AlignStart: -1, LoopAlignStrategy.AlignEnd: 1}.get(align, 0)
        other = self.existing(directive, LoopKey(func, stage, name))
        self.target = placement.compute_with(self.target, self.key(directive, name), other, way)

    def bound(self, directive: Directive) -> None:
        """bound, and bound_extent where the min is None."""
        name, low, length = directive.args
        first = None if low is None else _node(low)
        self.target = restrictions.bound(self.target, directive.func, self.dim(directive, name), first, _node(length))

    def align(self, directive: Directive) -> None:
        """align_bounds."""
        name, modulus, remainder = directive.args
        if not isinstance(modulus, int):
            raise directive.refuse(f"the modulus must be a number, not {modulus}", "E777")
        dim = self.dim(directive, name)
        self.target = restrictions.align_bounds(self.target, directive.func, dim, modulus, _node(remainder))

    def traverse(self, directive: Directive) -> None:
        """parallel, vectorize, unroll and serial."""
        name, *factor = directive.args
        inner = directive.name in ("vectorize", "unroll") and factor[0] is not None
        at = self.key(directive, _inner(directive) if inner else name)
        known = find(self.target, at).mode
        if known is not Mode.SERIAL and known is not MODES[directive.name]:
            raise directive.refuse(f"{at.var} is {known.value} already", "E778")
        self.target = rewrites.traverse(self.target, at, MODES[directive.name])

    def prefetch(self, directive: Directive) -> None:
        """prefetch: a request in each iteration of a loop."""
        func, at, _, offset, _ = directive.args
        if not isinstance(offset, int):
            raise directive.refuse(f"the offset must be a number, not {offset}", "E777")
        self.target = placement.prefetch(self.target, func, self.key(directive, at), offset)

    # ---- names

    def key(self, directive: Directive, name: str) -> LoopKey:
        """The loop that a directive on a stage names."""
        spec = self.specs.get((directive.func, directive.branch))
        return self.existing(directive, LoopKey(directive.func, directive.stage, name, spec))

    def existing(self, directive: Directive, at: LoopKey) -> LoopKey:
        """The key of a loop whose variable may have a $ in its name, which directives do not write."""
        if not isinstance(at.var, str):
            raise directive.refuse(f"{at.var!r} is no name of a loop", "E777")
        return next((each for each in nest_of(self.target, at) if _plain(each.var) == _plain(at.var)), at)

    def place(self, directive: Directive) -> LoopKey:
        """The loop of another func: in its last stage that has it, of those where the func could be computed."""
        func, name = directive.args
        found = [s.key for s in statements(self.target.body) if isinstance(s, For) and s.key.func == func]
        found = [each for each in found if _plain(each.var) == name]
        if not found:
            loops = [s.key.var for s in statements(self.target.body) if isinstance(s, For) and s.key.func == func]
            known = f"its loops are {', '.join(dict.fromkeys(loops))}" if loops else "there is no such func with loops"
            raise directive.refuse(f"{func} has no loop {name}; {known}", "E773")
        legal = [each for each in placement.places(self.target, directive.func) if each in found]
        return max(legal or found, key=lambda each: each.stage)

    def dim(self, directive: Directive, name: str) -> int:
        """The dimension of a func's variable."""
        args = self.algorithm.func(directive.func).args
        if name not in args:
            raise directive.refuse(f"{directive.func} has no variable {name}; it has {', '.join(args) or 'none'}", "E777")
        return args.index(name)


def _inner(directive: Directive) -> str:
    """What the loop within a group of iterations is called."""
    return f"{directive.args[0]}_{directive.name}"


def _plain(name: str) -> str:
    """A variable as directives write it."""
    return name.replace("$", "_")


def _node(value: Any) -> Node:
    """An expression of a directive: a number, or an Expr of parameters."""
    return value.node if isinstance(value, Expr) else operand(value, I32)
