"""Sliding windows and circular buffers in the theory, once bounds are known (halide.md §8 and I.6).

A func that is stored outside of the loop that it is computed in keeps what earlier iterations have computed. Along a dimension
whose window moves in one direction only what is new is computed, and as many places are kept as a window has, or the next power
of two: place p is stored at p mod k. The stages of a func are guarded as one, so that no update is done twice. Where tiles are
divided again, the first iteration of each pass of the inner loop computes its whole window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from usl_halide_lib.directives import Directive
from usl_halide_lib.lang.inference import Bounds, node_of
from usl_halide_lib.lang.linear import Lin, const, ends, extremum, substituted, variable
from usl_halide_lib.lang.lower import hole_stage
from usl_halide_lib.lang.nodes import Hole, Name, Node, Op, Read, number, rebuilt
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.query import Family
from usl_halide_lib.lang.target import (
    Allocate,
    Assign,
    For,
    If,
    Label,
    Let,
    Nop,
    Seq,
    Stmt,
    Target,
    below,
    mapped,
    statements,
    with_expressions,
)
from usl_halide_lib.lang.types import BOOL, I32


@dataclass(frozen=True, slots=True)
class Slide:
    """Along a dimension of a func, what an iteration of a loop computes begins where the one before has ended.

    most is the greatest number of places of a window, None if that is no number; places is the size of the circular buffer, or
    None where all places are kept.
    """

    func: str
    dim: int
    loop: For
    before: Node
    most: int | None
    places: int | None = None


@dataclass(frozen=True, slots=True)
class _Move:
    """The loops, conditions and names between a func's buffer and its stages, the outermost first."""

    label: Label
    path: tuple[For | If | Let, ...]


def slid(target: Target, bounds: Bounds, directives: Iterable[Directive] = ()) -> tuple[Target, tuple[Slide, ...]]:
    """The program in which funcs slide and are folded, with its holes as before; and what slides.

    bounds are those of the program. `fold_storage` gives a number of places, which is a power of two else.

    Raises:
        DirectiveError: E775, `fold_storage` where nothing slides, or of fewer places than a window has.
    """
    folds = {(each.func, each.args[0]): each for each in directives if each.name == "fold_storage"}
    found: list[Slide] = []
    for func in target.algorithm.funcs:
        move = _move(target.body, func.name)
        slides = [] if move is None else _Window(target, bounds, move).slides()
        for (name, dim), directive in folds.items():
            if name == func.name and dim not in [func.args[each.dim] for each in slides]:
                raise directive.refuse(
                    f"nothing slides along {dim}", "E775", ["hint: store it further out than it is computed"]
                )
        if move is None or not slides:
            continue
        slides = [_folded(each, slides, move, folds.get((func.name, func.args[each.dim]))) for each in slides]
        guarded = mapped(move.label, lambda stmt, all_of=tuple(slides): _guarded(stmt, all_of))  # type: ignore[misc]
        body = mapped(target.body, lambda stmt, old=move.label, new=guarded: new if stmt is old else stmt)  # type: ignore[misc]
        for each in slides:
            if each.places is not None:
                body = _circular(body, each.func, each.dim, each.places)
        target = replace(target, body=body)
        found += slides
    return target, tuple(found)


def _move(body: Stmt, func: str) -> _Move | None:
    """Where a func is computed within the scope of its buffer; None if it has no statement of its own there."""
    stored = next((path for stmt, path in _paths(body) if isinstance(stmt, Allocate) and stmt.func == func), None)
    label, path = next(
        ((s, p) for s, p in _paths(body) if isinstance(s, Label) and s.func == func and s.stage is None), (None, ())
    )
    if label is None or stored is None or any(_is_func(each) for each in (label.body, *path[-1:])):
        return None  # inlined, or computed with another one
    if any(isinstance(each, For) and each.key.func == func and each.key.spec is not None for each in statements(label)):
        return None  # specialised
    return _Move(label, tuple(each for each in path[len(stored) :] if isinstance(each, For | If | Let)))


def _is_func(stmt: Stmt) -> bool:
    return isinstance(stmt, Label) and stmt.stage is None


def _paths(stmt: Stmt, path: tuple[Stmt, ...] = ()) -> Iterator[tuple[Stmt, tuple[Stmt, ...]]]:
    """All statements with those around them; a branch for when a condition does not hold is not entered."""
    yield stmt, path
    inside = (stmt.then,) if isinstance(stmt, If) else below(stmt)
    for each in inside:
        yield from _paths(each, path if isinstance(stmt, Seq) else (*path, stmt))


@dataclass(frozen=True, slots=True)
class _Window:
    """What the window of a func depends on; forms are about loops, not about names for values."""

    target: Target
    bounds: Bounds
    move: _Move

    def form(self, node: Node) -> Lin:
        """An expression in the variables of loops."""
        return self.plain(Normal(self.target.algorithm, self.bounds.facts, self.hole).form(node))

    def plain(self, form: Lin) -> Lin:
        """A form without the names that are given to values between the buffer and the stages."""
        for let in reversed([each for each in self.move.path if isinstance(each, Let)]):
            if str(let.key) in form.names:
                value = Normal(self.target.algorithm, self.bounds.facts, self.hole).form(let.value)
                form = substituted(form, str(let.key), value, self.bounds.facts)
        return form

    def hole(self, hole: Hole) -> Lin:
        """What fills a hole."""
        low, high = self.bounds.interval(Family(hole.kind, hole.func, hole.stage, hole.spec), hole.dim)
        return low if hole.end == "min" else extremum(True, [high - low + 1, const(0)], self.bounds.facts)

    def box(self, stage: int) -> list[tuple[Lin, Lin]]:
        """The places that a stage computes in an iteration of all loops."""
        func = self.target.algorithm.func(self.move.label.func)
        family = Family("cpu", func.name, hole_stage(func, stage))
        intervals = [self.bounds.interval(family, dim) for dim in range(len(func.args))]
        return [(self.plain(low), self.plain(high)) for low, high in intervals]

    def earlier(self, form: Lin, name: str) -> Lin:
        """A form in the iteration before."""
        return substituted(form, name, variable(name) - 1, self.bounds.facts)

    def grows(self, form: Lin, name: str) -> bool:
        """Whether a form is known not to become less from one iteration to the next."""
        least = ends(form - self.earlier(form, name), self.bounds.facts)[0]
        return least is not None and least >= 0

    def runs_before(self, stmt: For | If | Let, name: str) -> bool:
        """Whether what is inside of a statement is known to run in the iteration before, if it runs in this one."""
        match stmt:
            case Let():
                return True
            case For(min=low, len=length, mode=mode):
                return mode.is_ordered and not any(name in self.form(each).names for each in (low, length))
            case If(cond=Op(op="lt" | "le", args=(a, b))):
                return self.grows(self.form(a) - self.form(b), name)
            case _:
                return False

    def slides(self) -> list[Slide]:
        """The dimensions along which the func slides."""
        func = self.target.algorithm.func(self.move.label.func)
        boxes = [self.box(stage) for stage in range(len(func.stages))]
        found = []
        for dim in range(len(func.args)):
            low, high = boxes[-1][dim]
            moving = [each for each in self.move.path if isinstance(each, For) and str(each.key) in low.names | high.names]
            if not moving or not all(func.is_pure_in(stage, dim) for stage in range(len(func.stages))):
                continue
            loop, name = moving[-1], str(moving[-1].key)
            inside = self.move.path[self.move.path.index(loop) + 1 :]
            others = [pair for box in boxes for other, pair in enumerate(box) if other != dim]
            if not loop.mode.is_ordered or any(name in end.names for pair in others for end in pair):
                continue  # what is new along one dimension is not all that is new
            if self.grows(low, name) and all(self.runs_before(each, name) for each in inside):
                most = ends(high - low + 1, self.bounds.facts)[1]
                found.append(Slide(func.name, dim, loop, node_of(self.earlier(high, name) + 1), most))
        return found


def _folded(slide: Slide, slides: Iterable[Slide], move: _Move, given: Directive | None) -> Slide:
    """The slide with a size for its buffer, which has to be one of all loops that keep places of the func.

    A place that an outer loop keeps for its next iteration must not be overwritten by what an inner loop moves on to.
    """
    loops = [each for each in move.path if isinstance(each, For)]
    outer = loops[: loops.index(slide.loop)]
    keeps = any(other.loop in outer for other in slides)
    if given is not None:
        places, name = given.args[1], given.args[0]
        if keeps or slide.most is None:
            reason = "places are kept along another dimension too" if keeps else "the window has no constant number of places"
            raise given.refuse(f"{slide.func} is not folded along {name}: {reason}", "E775")
        if not isinstance(places, int) or places < slide.most:
            raise given.refuse(f"{slide.most} places are alive at once along {name}", "E775")
        return replace(slide, places=places)
    if keeps or slide.most is None or slide.most < 1 or not _stays_in_window(move.label, slide):
        return slide
    return replace(slide, places=1 << (slide.most - 1).bit_length())


def _stays_in_window(label: Label, slide: Slide) -> bool:
    """Whether no loop of the func goes beyond the places that are wanted, as one does that is rounded up."""
    bound: dict[str, Let] = {str(each.key): each for each in statements(label) if isinstance(each, Let)}
    for stmt in statements(label):
        if not isinstance(stmt, Assign) or stmt.func != slide.func:
            continue
        place = stmt.index[slide.dim]
        while isinstance(place, Name) and place.name in bound:
            let = bound[place.name]
            if let.within is not None or (isinstance(let.body, If) and let.body.cond == _below(let)):
                break
            place = let.value
        else:
            if not isinstance(place, Name):
                return False
    return True


def _below(let: Let) -> Node | None:
    """The condition that a divided loop has for its tail."""
    cond = let.body.cond if isinstance(let.body, If) else None
    return cond if isinstance(cond, Op) and cond.op == "lt" and cond.args[0] == let.key.name() else None


def _guarded(stmt: Stmt, slides: tuple[Slide, ...]) -> Stmt:
    """An assignment of a func, with the conditions directly around it, where there is something new."""
    inner = stmt
    while isinstance(inner, If) and isinstance(inner.other, Nop):
        inner = inner.then
    if not isinstance(inner, Assign) or inner.func != slides[0].func:
        return stmt
    if isinstance(stmt, If):  # the guard of what is inside moves out: a predicate may read what is no longer there
        assert isinstance(stmt.then, If)
        return If(stmt.then.cond, If(stmt.cond, stmt.then.then))
    guard: Node | None = None
    for each in slides:
        first = Op("le", (each.loop.key.name(), each.loop.min), BOOL)
        own = Op("or", (first, Op("ge", (inner.index[each.dim], each.before), BOOL)), BOOL)
        guard = own if guard is None else Op("and", (guard, own), BOOL)
    assert guard is not None
    return If(guard, stmt)


def _circular(stmt: Stmt, func: str, dim: int, places: int) -> Stmt:
    """The program in which place p of a dimension is stored at p mod places."""

    def at(index: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(Op("mod", (each, number(places)), I32) if other == dim else each for other, each in enumerate(index))

    def change(node: Node) -> Node | None:
        if isinstance(node, Read) and node.func == func:
            return replace(node, index=at(tuple(rebuilt(each, change) for each in node.index)))
        return None

    def stored(each: Stmt) -> Stmt:
        match each:
            case Assign(func=name, index=index) if name == func:
                return replace(each, index=at(index))
            case Allocate(func=name, box=box) if name == func:
                kept = (number(0), number(places))
                return replace(each, box=tuple(kept if other == dim else pair for other, pair in enumerate(box)))
            case _:
                return each

    return mapped(with_expressions(stmt, change), stored)


__all__ = ["Slide", "slid"]
