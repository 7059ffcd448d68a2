"""A procedure while directives are applied to it: its funcs, their loops, and what there is to tell about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.errors import SchedulingError, Undecided, UslError
from usl_core.ir.traverse import bound
from usl_halide_lib.directives import Directive
from usl_halide_lib.errors import DirectiveError, refused_by
from usl_halide_lib.places import Func, Stage, around, did_you_mean, find_funcs


@dataclass(slots=True)
class Log:
    """What was done for each directive, for `explain`: the operators by name, and remarks."""

    operators: dict[int, list[str]] = field(default_factory=dict)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    tails: dict[int, str] = field(default_factory=dict)
    """What became of the tails of loops that were divided."""

    def remark(self, func: str, text: str) -> None:
        """Something that a user may want to know about a func."""
        if (func, text) not in self.remarks:
            self.remarks.append((func, text))


@dataclass(slots=True)
class Working:
    """The procedure p, the funcs of one of its blocks, and the directive that is being applied.

    root is what that block is in: a branch, or None for the procedure itself.
    """

    p: Procedure
    funcs: dict[str, Func]
    root: Any = None
    log: Log = field(default_factory=Log)
    directive: Directive | None = None
    branches: dict[tuple[str, int, str], Stage] = field(default_factory=dict)
    """The specialisations of stages, by func, number and name."""
    used: set[Directive] = field(default_factory=set)
    """The directives that have been applied."""
    only_guards: bool = False
    """Whether this is the branch for extents that are too small for shifted tiles."""
    narrow: bool = False
    """Whether it is the one for extents smaller than a vector, in which nothing is vectorised."""

    @classmethod
    def of(cls, p: Procedure, block: Any = None, root: Any = None) -> Working:
        """The funcs of a procedure, or of the branch root."""
        return cls(p, find_funcs(p, block), root)

    # ---- one step

    def do(self, operator: Callable[..., Procedure], *args: Any, **options: Any) -> None:
        """Apply an operator, which may refuse."""
        self.p = operator(self.p, *args, **options)
        if self.directive is not None:
            self.log.operators.setdefault(self.directive.position, []).append(operator.__name__)

    def at(self, cursor: Any) -> Any:
        """A cursor in the present version."""
        return self.p.forward(cursor)

    @contextmanager
    def applying(self, directive: Directive) -> Iterator[None]:
        """What an operator refuses meanwhile is a refusal of this directive."""
        before, self.directive = self.directive, directive
        self.used.add(directive)
        try:
            yield
        except DirectiveError:
            raise
        except UslError as error:
            notes = (*refused_by(error), *HINTS.get(directive.name, ()))
            raise directive.refuse(_cause(error), CODES.get(directive.name, "E777"), notes) from error
        finally:
            self.directive = before

    def attempt(self, step: Callable[[], None]) -> SchedulingError | Undecided | None:
        """Do something that may be left out: why it was refused, and then nothing has happened."""
        before = self.p
        try:
            step()
        except (SchedulingError, Undecided) as error:
            self.p = before
            return error
        return None

    # ---- places

    def func(self, name: str, directive: Directive) -> Func:
        """The func of that name."""
        if name not in self.funcs:
            raise directive.refuse(
                f"there is no func {name}", "E771", [*did_you_mean(name, self.funcs), f"the funcs are {', '.join(self.funcs)}"]
            )
        func = self.funcs[name]
        if func.problem is not None:
            raise directive.refuse(f"{name} is passed to a call, so it is no func", "E771", [str(func.problem.node.span)])
        return func

    def stage(self, directive: Directive) -> Stage:
        """The stage that a directive is about."""
        func = self.func(directive.func, directive)
        if directive.stage >= len(func.stages):
            raise directive.refuse(f"{func.name} has {len(func.stages)} stages, so there is no such update", "E771")
        if directive.branch:
            return self.branches[func.name, directive.stage, directive.branch]
        return func.stages[directive.stage]

    def loop(self, stage: Stage, name: str, directive: Directive) -> Any:
        """The loop of that name, in the present version."""
        if name in stage.loops:
            found = self.at(stage.loops[name])
            if isinstance(found, ForCursor):
                return found
        if name in stage.gone:
            raise directive.refuse(f"there is no loop {name} any more: {stage.gone[name]}", "E777")
        notes = [*did_you_mean(name, stage.loops), f"the loops of {stage} are {', '.join(self.order(stage)) or 'none'}"]
        raise directive.refuse(f"unknown loop {name}", "E777", notes)

    def order(self, stage: Stage) -> list[str]:
        """The names of a stage's own loops, outermost first."""
        known = {name: self.at(loop) for name, loop in stage.loops.items()}
        return sorted((name for name, loop in known.items() if loop), key=lambda name: len(around(known[name])))

    def block_of(self, cursor: Any) -> Any:
        """The statement around a place that is directly in the block that is worked on, or the place itself."""
        root = None if self.root is None else self.at(self.root)
        here = self.at(cursor)
        while (parent := here.parent()) and parent != root:
            here = parent
        return here

    def fresh(self, *wanted: str) -> str:
        """The first of some names that nothing has yet, or the last of them with a number."""
        bases = Counter(each.name for each in bound(self.p.ir))
        taken = {
            *bases,
            *(f"{base}_{i}" for base, count in bases.items() for i in range(1, count)),
        }  # as equal names are printed
        for name in wanted:
            if name not in taken:
                return name
        return next(f"{wanted[-1]}{i}" for i in range(1, len(taken) + 2) if f"{wanted[-1]}{i}" not in taken)


CODES = {
    "parallel": "E779",
    "vectorize": "E780",
    "compute_at": "E773",
    "store_at": "E773",
    "compute_inline": "E783",
    "compute_with": "E782",
    "fold_storage": "E775",
    "bound_storage": "E775",
    "align_storage": "E775",
    "rfactor": "E785",
    "bound": "E776",
    "align_bounds": "E776",
}
"""The code of a directive that an operator has refused."""
HINTS = {"compute_at": ("hint: compute_root is always possible",)}
"""What else may be done."""


def _cause(error: Any) -> str:
    """What an operator said first."""
    return str(error.message)
