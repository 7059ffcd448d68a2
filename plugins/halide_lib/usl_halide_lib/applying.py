"""Schedules: directives on the funcs of a procedure, applied together. Halide.md, part I.

    s = schedule(blur)
    s["blur_y"].tile("x", "y", "xi", "yi", 256, 32).vectorize("xi", 16).parallel("y")
    s["blur_x"].compute_at("blur_y", "x").vectorize("x", 16)
    p = s.apply()

Nothing is done before `apply`, and the order of directives does not matter, but for that of two reorders of one stage.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from usl_core import Procedure
from usl_core.cursors import IfCursor
from usl_core.errors import calling_line
from usl_core.scheduling import inline_producer, simplify, specialize
from usl_halide_lib import algorithm, storage
from usl_halide_lib.compute import Placed, companions, copied, drop_unread, elements_apart, place, separate_consumers
from usl_halide_lib.directives import NO_EFFECT, Collected, Directive, Func, TailStrategy
from usl_halide_lib.errors import DirectiveError
from usl_halide_lib.explain import explanation
from usl_halide_lib.fold import fold, slide
from usl_halide_lib.loops import call_as_named, fuse_loops, parallel, rename, reorder, split, unroll
from usl_halide_lib.nest import Node, loop_nest, points, text
from usl_halide_lib.order import Key, conflict, consumed, key, loop_order, made, with_splits
from usl_halide_lib.picture import page
from usl_halide_lib.places import Func as Buffer
from usl_halide_lib.places import Stage, did_you_mean, find_funcs
from usl_halide_lib.shifting import conditions
from usl_halide_lib.specialising import block_copied, directives_of, hosting, specialisations
from usl_halide_lib.tails import needs_guard, require_factor, tail_of
from usl_halide_lib.vector import Target, holds_one_loop, vectorize_stage
from usl_halide_lib.working import Log, Working

PLACES = ("compute_at", "compute_root", "compute_inline")
STORES = ("store_at", "store_root")


class Schedule:
    """Directives on the funcs of a procedure: `s["blur_x"].compute_at("blur_y", "x")`, then `s.apply()`.

    default says where a func is computed that no directive places: "root", where it is written, or "inline", as in Halide.
    small says what becomes of extents that are smaller than tiles with ShiftInwards: "guarded" tiles, or "plain" loops as they
    are written, which takes less time to schedule.
    """

    def __init__(
        self, procedure: Procedure, default: str = "root", target: Target | None = None, small: str = "guarded"
    ) -> None:
        for name, given, known in (("default", default, ("root", "inline")), ("small", small, ("guarded", "plain"))):
            if given not in known:
                shown = " or ".join(f'"{each}"' for each in known)
                raise DirectiveError(f"schedule: {name} is {shown}, not {given!r}", span=calling_line(), code="E773")
        self._procedure, self._default, self._target, self._small = procedure, default, target, small
        self._collected = Collected()
        self._funcs = find_funcs(procedure)
        self._done: Application | None = None
        self.log = Log()

    def __getitem__(self, name: str) -> Func:
        made = {each.args[0] for each in self._collected.directives if each.name in ("in_", "clone_in", "rfactor")}
        if name not in self._funcs and name not in made and not name.endswith("_intm"):
            notes = [*did_you_mean(name, self._funcs), f"the funcs are {', '.join(self._funcs)}"]
            raise DirectiveError(f"there is no func {name}", span=calling_line(), notes=notes, code="E771")
        return Func(self._collected, name)

    def adopt(self, given: Iterable[Directive]) -> None:
        """Take directives that were collected elsewhere, with the places where they were given."""
        self._collected.directives.extend(given)

    @property
    def directives(self) -> tuple[Directive, ...]:
        """What was asked for, in the order of the text."""
        return tuple(self._collected.directives)

    def apply(self) -> Procedure:
        """The scheduled procedure. It computes what the procedure computes: every step is proved.

        Raises:
            DirectiveError: a directive does not apply; its place is the directive's line.
        """
        self.log = Log()
        done = Application(self._procedure, self.directives, self._default, self._target, self.log, self._small)
        p = done.run()
        self._done = done
        return p

    def nodes(self) -> list[Node]:
        """The loop nest as a tree."""
        return self._applied().nodes

    def nest(self) -> str:
        """The loop nest, in the form of Halide's `print_loop_nest`."""
        return text(self._applied().nodes)

    def explain(self) -> str:
        """Where each func is computed and stored, and which operators each directive was."""
        done = self._applied()
        return explanation(done.nodes, done.buffers, done.directives, self.log)

    def picture(self, path: str | Path) -> None:
        """Write the loop nest as an HTML file: boxes, buffers, bytes that iterations touch."""
        done = self._applied()
        Path(path).write_text(page(done.placed, done.nodes, done.buffers, self.log.remarks), encoding="utf-8")

    def _applied(self) -> Application:
        if self._done is None or self._done.given != self.directives:
            self.apply()
        assert self._done is not None
        return self._done


class Application:
    """One run of `apply`."""

    def __init__(
        self,
        procedure: Procedure,
        directives: Iterable[Directive],
        default: str,
        target: Target | None,
        log: Log,
        small: str = "guarded",
    ) -> None:
        self.p, self.default, self.target, self.log, self.small = procedure, default, target or Target.best(), log, small
        self.given = tuple(directives)
        self.directives = with_splits(self.given)
        self.early: set[Directive] = set()
        """Directives on loops that are applied already, as a reduction is factored over what they make."""
        self.nodes: list[Node] = []
        self.buffers: list[tuple[str, str]] = []
        self.placed = procedure

    def run(self) -> Procedure:
        """The procedure with all directives applied."""
        p = self.p
        working = Working.of(p)
        working.log, working.used = self.log, set()
        self.check(working)
        if self.leaves_all(working):
            return self.p
        for directive in self.named("bound", "align_bounds"):
            with working.applying(directive):
                algorithm.bound(working, directive)
        wanted = conditions(working, self.directives, self.loop_directives)
        if not wanted:
            self.block(working)
        elif not hosting(self.directives) and all(
            each.name == "vectorize" for each in self.directives if TailStrategy.ShiftInwards in each.args
        ):
            self.vectors_in_one_branch(working, wanted)
        else:
            self.in_two_branches(working, wanted)
        return simplify(working.p)

    def leaves_all(self, working: Working) -> bool:
        """Whether no directive changes the procedure: funcs stay at the root, and lanes are left to the C compiler."""
        lanes = self.named("vectorize")
        if any(each.args[1] is None for each in lanes):  # the loop has to have a constant number of iterations
            return False
        if len(lanes) + len(self.named(*NO_EFFECT, "compute_root", "store_root")) < len(self.directives):
            return False
        if self.default != "root" or (lanes and (self.target is None or self.target.memories)):
            return False
        for directive in lanes:
            with working.applying(directive):
                stage = working.stage(directive)
                if holds_one_loop(working.loop(stage, directive.args[0], directive)):
                    return False
                self.log.remark(stage.func.name, f"the lanes of {directive.args[0]} are left to the C compiler")
        self.nodes, self.buffers, self.placed = loop_nest(working, self.directives), list(points(working)), working.p
        return True

    def in_two_branches(self, working: Working, wanted: list[str]) -> None:
        """All directives where extents suffice for shifted tiles; guards instead of shifted tiles elsewhere."""
        condition, branch, orelse = branches(working, wanted)
        large, small = Working.of(working.p, branch.body(), branch), Working.of(working.p, orelse, branch)
        large.log, small.log, small.only_guards = self.log, Log(), True
        self.block(large)
        small.p = working.p = large.p
        if self.small == "plain":
            self.log.remark("", f"loops are as they were unless {condition}")
            return
        try:
            self.block(small)
        except DirectiveError as error:
            self.log.remark("", f"unscheduled unless {condition}: {error.message}")
        else:
            working.p = small.p

    def vectors_in_one_branch(self, working: Working, wanted: list[str]) -> None:
        """The same where only vectors are shifted: loops are alike then, and extents less than a vector get no vectors."""
        self.arrange(working)
        condition, branch, orelse = branches(working, wanted)
        working.root = branch
        small = copied(working, branch.body(), orelse)
        small.log, small.narrow = Log(), True
        self.finish(working)
        small.p = working.p
        try:
            self.finish(small)
        except DirectiveError as error:
            self.log.remark("", f"loops are as they were unless {condition}: {error.message}")
        else:
            working.p = small.p

    # ---- directives by what they are about

    def named(self, *names: str) -> list[Directive]:
        """The directives of some names."""
        return [each for each in self.directives if each.name in names]

    def about(self, func: str, *names: str) -> list[Directive]:
        """The directives of some names on a func."""
        return [each for each in self.named(*names) if each.func == func]

    def one(self, func: str, *names: str) -> Directive | None:
        """The directive of some names on a func; two that differ are a conflict."""
        found = self.about(func, *names)
        for each in found[1:]:
            if (each.name, each.args) != (found[0].name, found[0].args):
                raise conflict(each, found[0], "one place is enough")
        return found[0] if found else None

    def loop_directives(self, at: Key) -> list[Directive]:
        """The directives on one stage."""
        return [each for each in self.directives if key(each) == at]

    def check(self, working: Working) -> None:
        """What can be said before anything is done: unknown funcs and stages, several places."""
        made = {each.args[0] for each in self.named("in_", "clone_in")}
        made |= {f"{each.func}_intm" for each in self.named("rfactor")}
        for each in self.named("vectorize", "unroll", "parallel"):
            if each.args[1] is not None:
                require_factor(each, each.args[1], "E780" if each.name == "vectorize" else "E777")
        vectors: dict[Key, Directive] = {}
        for each in self.named("vectorize"):
            if (other := vectors.setdefault(key(each), each)) is not each:
                raise conflict(each, other, "one loop of a stage can be vectorised")
        for each in self.directives:
            if each.func not in made and not each.branch:
                working.func(each.func, each)
                if not self.about(each.func, "rfactor"):
                    working.stage(each)
        for name in {each.func for each in self.directives}:
            where, store = self.one(name, *PLACES), self.one(name, *STORES)
            if store is not None and store.name == "store_at" and (where is None or where.name != "compute_at"):
                raise store.refuse("the func is computed outside of that loop; the storage must enclose it", "E781")

    # ---- one block

    def block(self, working: Working) -> None:
        """All directives on the funcs of one block."""
        chosen = hosting(self.directives)
        if chosen is None:
            self.arrange(working)
            self.finish(working)
            return
        given = self.directives
        branch, copy, other = block_copied(working, chosen)
        try:
            for code, holds in ((other, False), (copy, True)):
                self.directives = directives_of(holds, given, chosen)
                part = Working.of(working.p, working.at(code), working.at(branch))
                part.log, part.only_guards, part.narrow = working.log, working.only_guards, working.narrow
                self.block(part)
                working.p = part.p
        except DirectiveError as error:
            where = f"this is for when {chosen.args[0]} {'holds' if holds else 'does not hold'}"
            raise DirectiveError(error.message, span=error.span, notes=[*error.notes, where], code=error.code) from error
        finally:
            self.directives = given

    def arrange(self, working: Working) -> None:
        """The algorithm, then places, loops and storage, func by func from the outputs back."""
        self.early = set()
        for directive in self.named("rfactor", "in_", "clone_in"):
            if directive.name == "rfactor":
                self.make_loop(working, directive)
            with working.applying(directive):
                algorithm.change(working, directive)
        self.inline(working)
        placed: dict[str, Placed] = {}
        for func in self.consumers_first(working):
            self.func(working, func, placed)
        for directive in self.named("compute_with"):
            with working.applying(directive):
                algorithm.compute_with(working, directive)
        for name, step in STORAGE.items():
            for directive in self.named(name):
                with working.applying(directive):
                    step(working, directive)
        call_as_named(working)
        if not self.nodes:
            self.nodes, self.buffers, self.placed = loop_nest(working, self.directives), list(points(working)), working.p

    def inline(self, working: Working) -> None:
        """Compute funcs where they are read: those that say so, or that nothing places if that is the default."""
        for name in list(working.funcs):
            func = working.funcs[name]
            directive = self.one(name, *PLACES)
            asked = directive is not None and directive.name == "compute_inline"
            by_default = directive is None and self.default == "inline" and func.local and func.problem is None
            if not asked and not (by_default and len(func.stages) == 1):
                continue
            others = [each for each in self.directives if each.func == name and each is not directive]
            if others:
                hint = "" if asked else "; compute_root or compute_at gives it loops"
                raise others[0].refuse(f"{name} is computed inline, so that it has no loops and no storage{hint}", "E783")
            if directive is None:
                if working.attempt(partial(working.do, inline_producer, func.buffer)) is None:
                    del working.funcs[name]
                else:
                    self.log.remark(name, "stays at root, as it has no formula")
                continue
            if not func.local:
                raise directive.refuse(f"{name} is an argument", "E783")
            with working.applying(directive):
                working.do(inline_producer, func.buffer)
            del working.funcs[name]

    def consumers_first(self, working: Working) -> list[Buffer]:
        """The funcs, each after all that read it."""
        return list(reversed(list(working.funcs.values())))

    def func(self, working: Working, func: Buffer, placed: dict[str, Placed]) -> None:
        """Place one func, and give its stages their loops."""
        where, store = self.one(func.name, *PLACES), self.one(func.name, *STORES)
        folds = {each.args[0]: each for each in self.about(func.name, "fold_storage")}
        if where is not None and where.name == "compute_at":
            with working.applying(where):
                copies = separate_consumers(working, where)
            for copy, number in reversed(copies):
                with working.applying(where):
                    self.place(working, copy, number, where, store, placed, folds)
        elif folds:
            raise next(iter(folds.values())).refuse("nothing slides where a func is computed at root", "E775")
        for stage in working.funcs[func.name].stages:
            for at in specialisations(working, self.named("specialize"), stage):
                self.loops(working, at)
        hoisted = self.one(func.name, "hoist_storage", "hoist_storage_root")
        for each in (where, store, *folds.values()):
            if each is not None:
                working.used.add(each)
        if hoisted is not None:
            with working.applying(hoisted):
                storage.hoist(working, func, hoisted)

    def place(
        self,
        working: Working,
        func: Buffer,
        number: int | None,
        where: Directive,
        store: Directive | None,
        placed: dict[str, Placed],
        folds: dict[str, Directive],
    ) -> None:
        """compute_at and store_at of one func, or of each element of a tuple."""
        step = partial(self.place_one, working, where=where, store=store, placed=placed, folds=folds)
        parts = [func, *companions(working, func)]
        saved = [
            (each, list(each.dims), stage, list(stage.writes), dict(stage.loops)) for each in parts for stage in each.stages
        ]
        why = working.attempt(partial(step, func, number))
        if why is None:
            return
        for each, dims, stage, writes, loops in saved:
            each.dims, stage.writes, stage.loops = dims, writes, loops
        elements: list[Buffer] = []
        if working.attempt(lambda: elements.extend(elements_apart(working, parts))) is not None or not elements:
            raise why
        for each in elements:
            if each is elements[0] or not drop_unread(working, each):
                step(each, number)

    def place_one(
        self,
        working: Working,
        func: Buffer,
        number: int | None,
        *,
        where: Directive,
        store: Directive | None,
        placed: dict[str, Placed],
        folds: dict[str, Directive],
    ) -> None:
        """The same of one buffer, with what follows from that."""
        found = placed[func.name] = place(working, where, func, number)
        around = storage.store_loop(working, found, where, store, number)
        with working.applying(store or where):
            storage.sink(working, found, around)
        fold(working, found, slide(working, found, around), folds)

    def loops(self, working: Working, at: Key) -> None:
        """The loops of one stage."""
        stage = working.branches[at] if at[2] else working.funcs[at[0]].stages[at[1]]
        mine = [each for each in self.loop_directives(at) if each not in self.early]
        for directive in loop_order(mine, stage.loops):
            self.change_loops(working, stage, directive)

    def make_loop(self, working: Working, factored: Directive) -> None:
        """Apply the directives that make the loop that an rfactor is over."""
        wanted, needed = {factored.args[0]}, []
        stage = working.stage(factored)
        for each in reversed(loop_order(self.loop_directives(key(factored)), stage.loops)):
            if wanted & set(made(each)):
                wanted |= set(consumed(each))
                needed.append(each)
        for each in reversed(needed):
            self.change_loops(working, stage, each, guarded=True)  # so that the loops can change places
        self.early |= set(needed)

    def change_loops(self, working: Working, stage: Stage, directive: Directive, guarded: bool = False) -> None:
        """Apply one directive that changes which loops a stage has."""
        with working.applying(directive):
            match directive.name:
                case "split":
                    old, _, _, factor, tail = directive.args
                    loop = working.loop(stage, old, directive)
                    guarded = guarded or needs_guard(
                        self.loop_directives(key(directive)), directive, self.places(directive.func)
                    )
                    chosen = tail_of(working, directive, loop, factor, tail, guarded)
                    self.log.tails[directive.position] = chosen
                    split(working, directive, chosen)
                case "reorder":
                    reorder(working, directive)
                case "fuse":
                    fuse_loops(working, directive)
                case _:
                    rename(working, directive)

    def places(self, func: str) -> frozenset[str]:
        """The loops of a func in which others are computed or stored."""
        found = self.named("compute_at", "store_at", "hoist_storage")
        return frozenset(each.args[1] for each in found if each.args[0] == func)

    def finish(self, working: Working) -> None:
        """What comes last: prefetches, vectors, copies of bodies, threads."""
        for directive in self.named("prefetch"):
            with working.applying(directive):
                algorithm.prefetch(working, directive)
        for directive in self.named("vectorize"):
            with working.applying(directive):
                if not working.narrow:
                    vectorize_stage(working, directive, self.target)
        # After vectors: what changes calls in parallel loops has to prove each time that these stay free of races.
        for directive in self.named("parallel"):
            with working.applying(directive):
                parallel(working, directive)
        for directive in self.named("unroll"):
            with working.applying(directive):
                tail = directive.args[2]
                known = TailStrategy.Auto, TailStrategy.GuardWithIf
                step = partial(unroll, working, directive, "cut" if tail in known else "guard")
                if not working.only_guards:
                    step()
                elif working.attempt(step) is not None:  # a tile that is cut short has no constant number of iterations
                    working.log.remark(directive.func, f"{directive} is left out unless tiles are full")
        for directive in self.directives:
            if directive not in working.used and directive.name not in SILENT:
                raise directive.refuse("this directive was not applied; please report it", "E789")


def branches(working: Working, wanted: list[str]) -> tuple[str, Any, Any]:
    """The procedure twice, for when all that is wanted holds and for when not: the condition, the `if`, its second branch."""
    condition = " and ".join(wanted)
    working.p = specialize(working.p, working.p.body(), [condition])
    branch = next(stmt for stmt in working.p.body() if isinstance(stmt, IfCursor))
    orelse = branch.orelse()
    assert orelse
    return condition, branch, orelse


SILENT = (*NO_EFFECT, "serial", "atomic", "compute_root", "store_root", "bound", "align_bounds")
"""Directives that nothing has to be done for, or that are applied before all others."""

STORAGE = {
    "reorder_storage": storage.reorder_storage,
    "bound_storage": storage.bound_storage,
    "align_storage": storage.align_storage,
    "store_in": storage.store_in,
}
"""The directives on buffers, in the order in which they are applied."""


def schedule(procedure: Procedure, default: str = "root", target: Target | None = None, small: str = "guarded") -> Schedule:
    """A schedule for a procedure, to which directives are given: `s["f"].vectorize("x", 16)`.

    default says where a func is computed that no directive places: "root", where it is written, or "inline", as in Halide.
    target is what vectorised loops run on; by default AVX-512, if its package is installed. small says what becomes of extents
    that are smaller than tiles with ShiftInwards: "guarded" tiles, or "plain" loops, for which less time is spent here.
    """
    return Schedule(procedure, default, target, small)
