"""The user's `Procedure`: an IR with its history, and the decorators that make one from Python source.

Only `from_ir` (the frontend) and `derive` (the primitives) make a Procedure, and both check the invariant that every access
is in bounds and every call legal. A Procedure never changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NoReturn, TypeVar, cast, overload
from weakref import WeakValueDictionary

from usl_core.analysis.recheck import recheck
from usl_core.arguments import checked
from usl_core.collector import collected_later
from usl_core.cursors import pattern
from usl_core.cursors.cursor import BlockCursor, Cursor, InvalidCursor, make_cursor
from usl_core.cursors.forward import Forward, Lineage
from usl_core.cursors.kinds import AllocCursor, ArgCursor, ForCursor
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead
from usl_core.deep import deeply
from usl_core.equivalence import Step, assurance, record
from usl_core.errors import ParseError, SchedulingError, UslError
from usl_core.frontend.boundscheck import check_proc
from usl_core.frontend.config_class import parse_config
from usl_core.frontend.parser import parse_function, parse_source
from usl_core.ir.config import Config
from usl_core.ir.identity import Declaration
from usl_core.ir.memo import memo_of
from usl_core.ir.nodes import InstrTemplate, Proc
from usl_core.ir.printer import show
from usl_core.ir.verify import verify
from usl_core.profiling import profiled

C = TypeVar("C", bound=Cursor)
"""A kind of cursor: forwarding keeps it, unless the cursor becomes invalid."""


class Procedure(Declaration):
    """A procedure of the object language, checked. Printing it shows its text; methods and operators never change it."""

    __slots__ = ("__weakref__", "_lineage", "_made", "_parent", "_step", "_version", "ir")

    ir: Proc
    _version: Any
    """What `usl_core.store` knows of it."""

    def __init__(self, ir: Proc, parent: Procedure | None, step: Step, forward: Forward | None) -> None:
        self.ir = ir
        self._parent = parent
        self._step = step
        self._made: WeakValueDictionary[Hashable, Procedure] | None = None
        self._version = None
        record(ir, parent.ir if parent is not None else None, step)
        # A call holds its callee's IR, and with it the callee's versions; a step that changed nothing adds one to the same IR.
        if parent is not None and parent.ir is ir:
            memo_of(ir)[Procedure] = self
        else:
            memo_of(ir).setdefault(Procedure, self)
        if parent is None or forward is None:
            self._lineage = Lineage()
        else:
            self._lineage = parent._lineage.step(forward)

    # -- what it is

    def name(self) -> str:
        """The name, as it is declared."""
        return self.ir.name

    def args(self) -> list[ArgCursor]:
        """Cursors to the formals, in order."""
        return [make_cursor(self, ArgLoc(i)) for i in range(len(self.ir.args))]  # type: ignore[misc]

    def body(self) -> BlockCursor:
        """The whole body as a block."""
        return make_cursor(self, BlockLoc((), "body", 0, len(self.ir.body)))  # type: ignore[return-value]

    def is_instr(self) -> bool:
        """Whether it was declared with `@instr`, and stands for C text."""
        return self.ir.instr is not None

    def declared_as(self) -> str:
        """How messages call it."""
        return f"procedure {self.name()}({self})"

    @deeply
    def __str__(self) -> str:
        return show(self.ir)

    def __call__(self, *_args: Any, **_options: Any) -> NoReturn:
        """A procedure is not run by Python: `p.jit()` gives a callable, and inside a procedure a call is a statement."""
        raise UslError(
            f"{self.ir.name} is a procedure, which Python does not run",
            notes=["hint: p.jit() gives a callable on NumPy arrays; usl_core.interp.run interprets p.ir"],
            code="E404",
        )

    def __repr__(self) -> str:
        return f"<Procedure {self.ir.name}>"

    # -- finding code

    @overload
    def find(self, pat: str, many: Literal[False] = False) -> Any: ...
    @overload
    def find(self, pat: str, many: Literal[True]) -> list[Any]: ...
    def find(self, pat: str, many: bool = False) -> Any:
        """The first match of a pattern (docs/cursors.md), or all of them.

        Raises:
            PatternError: nothing matches; the notes list the near misses.
        """
        return pattern.find(self, None, pat, many)

    def find_loop(self, pat: str) -> ForCursor:
        """The loop named pat (`i`, `i #2`), or matching a loop pattern."""
        loop = pattern.find_loop(self, pat)
        assert isinstance(loop, ForCursor)
        return loop

    def find_alloc_or_arg(self, name: str) -> AllocCursor | ArgCursor:
        """The allocation or formal of that name."""
        binder = pattern.find_alloc_or_arg(self, name)
        assert isinstance(binder, AllocCursor | ArgCursor)
        return binder

    def find_all(self, pat: str) -> list[Any]:
        """All matches of a pattern, maybe none."""
        return pattern.find_all(self, None, pat)

    @profiled("cursor", "forward")
    def forward(self, cursor: C) -> C:
        """A cursor of this procedure, or of one it was made from, as a cursor of this procedure.

        Raises:
            SchedulingError: what is given is no cursor, or it belongs to another procedure.
        """
        if not isinstance(cursor, Cursor):
            raise SchedulingError(f"forward takes a cursor, got {cursor!r}", notes=["hint: find() gives one"], code="E404")
        owner = cursor.owner
        if owner is self:
            return cursor
        assert isinstance(owner, Procedure), "a cursor that a user has points into a Procedure"
        if not self._lineage.descends_from(owner._lineage):
            raise SchedulingError(
                f"the cursor belongs to {owner.ir.name}, from which this {self.ir.name} was not made",
                notes=["hint: find the place again in this procedure"],
                code="E403",
            )
        loc = self._lineage.forward_from(owner._lineage, cursor.loc)
        if isinstance(loc, Dead):
            return cast(C, self._lost(cursor, loc))
        return cast(C, make_cursor(self, loc))

    def _lost(self, cursor: Cursor, loc: Dead) -> InvalidCursor:
        """What a cursor becomes whose code is gone: it remembers where that was."""
        origin = cursor.origin if isinstance(cursor, InvalidCursor) else cursor
        if origin is None or not isinstance(origin.owner, Procedure):
            return InvalidCursor(self, loc)
        return InvalidCursor(self, loc, origin, partial(self._lineage.forward_from, origin.owner._lineage))

    def procedure_of(self, ir: Proc) -> Procedure:
        """The Procedure of a callee's IR; its provenance goes with the IR."""
        known: Procedure | None = memo_of(ir).get(Procedure)
        return known if known is not None else Procedure(ir, None, Step("callee"), None)

    def made_by(self, call: Hashable) -> Procedure | None:
        """The version that an operator call made of this one, if it is still alive."""
        return self._made.get(call) if self._made is not None else None

    def remember(self, call: Hashable, made: Procedure) -> None:
        """That an operator call gives a version, for as long as that is alive."""
        if self._made is None:
            self._made = WeakValueDictionary()
        self._made[call] = made

    # -- history

    def history(self) -> list[Step]:
        """The steps that made this procedure, the oldest first."""
        return [version._step for version in self.versions()]

    def versions(self) -> list[Procedure]:
        """The procedure that was written, then what each step made, up to this one; `history` says which steps these were."""
        found = [self]
        while (before := found[-1]._parent) is not None:
            found.append(before)
        return found[::-1]

    def assurance(self) -> str:
        """What stands behind this procedure: every step is proved, as no operator applies without its proof."""
        return assurance(self.ir)

    # -- what later layers do (usl_core/__init__.py fills LATER)

    def partial_eval(self, *args: Any, **values: int | bool) -> Procedure:
        """This procedure for fixed values of some control formals: `p.partial_eval(n=128)`."""
        return LATER.partial_eval(self, *args, **values)

    def add_assertion(self, assertion: str, configs: Sequence[Config] = ()) -> Procedure:
        """A narrower procedure that may assume more: `p.add_assertion("n % 16 == 0")`; on fields of configs too."""
        return LATER.add_assertion(self, assertion, configs)

    def transpose(self, arg: Any) -> Procedure:
        """This procedure with a matrix formal given the other way round: `p.transpose("A")`."""
        return LATER.transpose(self, arg)

    def c_code(self, **options: Any) -> str:
        """The C11 text of this procedure and what it calls, from the backend plugin."""
        return LATER.c_code(self, **options)

    def jit(self, **options: Any) -> Callable[..., Any]:
        """A callable on NumPy arrays, compiled by a backend: `p.jit()` by `c11`, `p.jit(backend="NAME")` by a plugin's own."""
        return LATER.jit(self, **options)


@dataclass
class Later:
    """Methods of Procedure whose work lies in later layers."""

    partial_eval: Callable[..., Procedure]
    add_assertion: Callable[..., Procedure]
    transpose: Callable[..., Procedure]
    c_code: Callable[..., str]
    jit: Callable[..., Callable[..., Any]]
    check_once: Callable[[Procedure, Callable[[], None]], None]
    """Checks a procedure, unless it is known to have passed."""


def _unfilled(*_: Any, **__: Any) -> Any:
    raise AssertionError("import usl_core first: it connects the layers")


def _check_now(_: Procedure, check: Callable[[], None]) -> None:
    check()


LATER = Later(_unfilled, _unfilled, _unfilled, _unfilled, _unfilled, _check_now)


@collected_later()
@deeply
def from_ir(ir: Proc, operator: str = "written") -> Procedure:
    """A Procedure from IR that the frontend or a builder made, after every static check.

    Raises:
        BoundsError, Undecided: see `check_proc`.
    """
    made = Procedure(ir, None, Step(operator), None)
    LATER.check_once(made, partial(_check, ir))
    return made


def _check(ir: Proc) -> None:
    verify(ir)
    check_proc(ir)


def derive(parent: Procedure, ir: Proc, forward: Forward | None, operator: str, step: Callable[[], Step]) -> Procedure:
    """The result of an operator on parent; forward None starts a procedure that parent's cursors do not reach.

    step is called when everything is proved, so that it can tell what that took.

    Raises:
        SchedulingError: what the operator changed breaks the invariant. Undecided: the solver could not tell.
    """
    recheck(parent.ir, ir, operator)
    return Procedure(ir, parent, step(), forward)


def proc(fn: Callable[..., Any]) -> Procedure:
    """Decorator: a Python function in the object language becomes a Procedure.

    Raises:
        ParseError, TypeError_, BoundsError, Undecided: the function is not a legal procedure; the error shows where.
    """
    return from_ir(parse_function(fn, locals=_caller_locals()))


def instr(
    template: str,
    *,
    includes: Sequence[str] = (),
    features: Sequence[str] = (),
    c_global: str = "",
    aliasable: Sequence[str] = (),
    roundings: int | None = None,
    special: str = "ieee",
    subnormals: str = "kept",
    implicit: Sequence[str] = (),
    fence: str = "",
) -> Callable[[Callable[..., Any]], Procedure]:
    """Decorator: a procedure whose calls a backend replaces by C text; its body says what the text does.

    template is a `str.format` text over the formals (`{n}`, `{x}`, `{x.ptr}`, `{x.stride0}`); features are CPU features that
    it needs. What the text may differ in from the body: docs/targets.md, "Options of @instr".

    Raises:
        what `proc` raises; ParseError: the template names something that is not a formal.
    """
    lists = {"includes": includes, "features": features, "aliasable": aliasable, "implicit": implicit}
    _check_options(template, lists, roundings)
    several = tuple(implicit), fence
    info = InstrTemplate(template, tuple(includes), tuple(features), c_global, roundings, special, subnormals, *several)
    scope = _caller_locals()

    def make(fn: Callable[..., Any]) -> Procedure:
        ir = parse_function(fn, instr=info, locals=scope, aliasable=tuple(aliasable))
        return from_ir(ir, "instruction")

    return make


def _check_options(template: Any, lists: Mapping[str, Any], roundings: Any) -> None:
    """The arguments of `@instr` have the right types; a text would silently become a list of its letters."""
    if not isinstance(template, str):
        raise ParseError(f'@instr needs its C text, @instr("..."), got {type(template).__name__}')
    for name, value in lists.items():
        if not isinstance(value, tuple | list) or not all(isinstance(item, str) for item in value):
            raise ParseError(f"@instr: {name} must be a tuple of strings, got {value!r}", notes=[f"hint: {name}=(..., )"])
    if not (roundings is None or (isinstance(roundings, int) and roundings >= 0)):
        raise ParseError(f"@instr: roundings must be None or a number of roundings, got {roundings!r}")


@checked
def config(cls: type) -> Config:
    """Decorator: a class of annotated fields becomes a record of configuration state."""
    return parse_config(cls)


@checked
def proc_from_source(text: str, scope: Mapping[str, Any] | None = None, file: str | None = None) -> Procedure:
    """A Procedure from text, as `str(procedure)` gives it; scope holds callees, memories and configurations by name.

    Messages call the text by file, or by a name of its own.
    """
    return from_ir(parse_source(text, dict(scope or {}), file))


def _caller_locals() -> Mapping[str, Any]:
    """The local names where the decorator stands: one frame above the decorator's own."""
    return dict(sys._getframe(2).f_locals)
