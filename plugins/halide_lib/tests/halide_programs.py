"""Random procedures of two or three stages, and random schedules of them, from one random number generator.

`python plugins/halide_lib/tests/halide_fuzz.py` runs many; `test_halide_random.py` a sample. A schedule is made so that its
directives fit each other, and the program so that it has what the directive of the cell is about: what is refused then is
refused for what the operators prove, and not for a name that is wrong (`test_halide_nonsense.py` is for those).
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from usl_core import Procedure, proc_from_source
from usl_core.errors import InterpError
from usl_core.interp import Buffer, run
from usl_halide_lib import Schedule, TailStrategy, schedule

SIZES = {"x": "N", "y": "M"}
SPLITS = ("split", "tile", "vectorize", "unroll", "parallel")
PLACES = ("compute_at", "store_at", "compute_root", "compute_inline", "fold_storage", "hoist_storage", "store_root")
OTHERS = (
    *("reorder", "fuse", "rename", "serial", "store_in", "align_storage", "bound_storage", "reorder_storage", "bound"),
    *("bound_extent", "align_bounds", "align_extent", "specialize", "rfactor", "compute_with", "in_", "clone_in", "partition"),
    *("hoist_storage_root", "atomic", "prefetch"),
)
CELLS = [
    *((name, tail) for name in SPLITS for tail in TailStrategy),
    *((name, None) for name in (*PLACES, *OTHERS)),
]
"""What is counted: each directive, those that divide loops with each tail."""

FIRST_STAGES = (TailStrategy.ShiftInwards, TailStrategy.RoundUp)
"""Tails that are for first stages only; RoundUp is for those of local funcs."""

LARGEST = 40


@dataclass
class Program:
    """A procedure as text, and what schedules need to know of it: for each func its dimensions and the loops of each stage."""

    text: str
    scalar: str
    dims: tuple[str, ...]
    funcs: dict[str, list[list[str]]]
    reads: dict[str, list[str]]
    shapes: dict[str, list[str]]
    fixed: dict[str, list[int]] = field(default_factory=dict)
    """The sizes that a schedule asserts, by dimension."""

    def procedure(self) -> Procedure:
        return proc_from_source(self.text)

    def sizes(self, rng: random.Random) -> dict[str, int]:
        """Sizes from 1 to 40; of two, one is small more often than not, which the interpreter's time asks for."""
        found = {name: rng.choice(self.fixed.get(name) or range(1, LARGEST + 1)) for name in self.dims}
        if len(self.dims) == 2 and rng.random() < 0.8:
            name = rng.choice(self.dims)
            found[name] = rng.choice(self.fixed.get(name) or range(1, 9))
        return found


class Writer:
    """Writes one program. name is the directive that it is for."""

    def __init__(self, rng: random.Random, name: str, tail: TailStrategy | None) -> None:
        self.rng, self.name, self.rounded = rng, name, tail is TailStrategy.RoundUp
        self.dims = rng.choice((("x",), ("y", "x"), ("y", "x")))
        self.scalar = "f32" if name == "prefetch" else rng.choice(("f32", "f32", "f32", "i32", "u16", "u8"))
        self.at = ", ".join(self.dims)
        self.lines: list[str] = []
        self.funcs: dict[str, list[list[str]]] = {}
        self.reads: dict[str, list[str]] = {}

    def nest(self, names: list[str], extents: list[str], statement: str) -> None:
        """A nest of loops around one statement."""
        for depth, (name, extent) in enumerate(zip(names, extents, strict=True)):
            self.lines.append("    " * (depth + 1) + f"for {name} in seq(0, {extent}):")
        self.lines.append("    " * (len(names) + 1) + statement)

    def extents(self, by: dict[str, int]) -> list[str]:
        """The size of each dimension, and so much more."""
        return [f"{SIZES[name]} + {by[name]}" if by[name] else SIZES[name] for name in self.dims]

    def stencil(self, name: str, most: dict[str, int], terms: int) -> str:
        """A sum of places that are at most so far away; some are at half of an iterator."""
        places = []
        for _ in range(terms):
            index = []
            for dim in self.dims:
                offset = self.rng.randint(0, most[dim])
                base = f"{dim} / 2" if self.rng.random() < 0.1 else dim
                index.append(f"{base} + {offset}" if offset else base)
            places.append(f"{name}[{', '.join(index)}]")
        return " + ".join(places)

    def updates(self, func: str, order: list[str], extents: dict[str, str], chance: float) -> None:
        """Perhaps an update: of each place once, or a reduction over a small range, by a sum or otherwise."""
        rng = self.rng
        kind = rng.random()
        if kind >= chance:
            return
        op = rng.choice(("+=", "+=", "@= max(", "@= min(", "*="))
        end = ")" if op.endswith("(") else ""
        if kind < chance / 2 and self.name != "rfactor":
            names, value = order, f"inp[{self.at}]"
        else:
            names = rng.choice(([*order, "r"], ["r", *order]))
            value = f"inp[{', '.join([*self.dims[:-1], f'{self.dims[-1]} + r'])}]"
        space = "" if op.endswith("(") else " "
        self.nest(names, [extents.get(name, "3") for name in names], f"{func}[{self.at}] {op}{space}{value}{end}")
        self.funcs[func].append(names)

    def program(self) -> Program:
        """The program: funcs a, perhaps b, and the argument out."""
        rng, dims, name = self.rng, self.dims, self.name
        apart = name == "compute_with"
        three = apart or rng.random() < 0.5
        halo = {dim: rng.randint(1 if name == "fold_storage" else 0, 3) for dim in dims}
        inner = dict(halo) if apart and rng.random() < 0.5 else {dim: rng.randint(0, halo[dim]) for dim in dims}
        order = list(dims) if apart or rng.random() < 0.8 else list(reversed(dims))
        extents = dict(zip(dims, self.extents(halo), strict=True))
        self.lines.append(f"    a: {self.scalar}[{', '.join(self.extents(halo))}]")
        first = rng.choice((self.stencil("inp", dict.fromkeys(dims, 1), 2), f"inp[{self.at}]"))
        self.nest(order, [extents[dim] for dim in order], f"a[{self.at}] = {first}")
        self.funcs["a"] = [order]
        if not apart:
            self.updates("a", order, extents, 1.0 if name == "rfactor" else 0.3)
        self.reads["a"] = ["out"]
        source, room = "a", halo
        if three:
            self.lines.append(f"    b: {self.scalar}[{', '.join(self.extents(inner))}]")
            gap = {dim: halo[dim] - inner[dim] for dim in dims}
            value = self.stencil("inp" if apart else "a", dict.fromkeys(dims, 1) if apart else gap, rng.randint(1, 3))
            self.nest(list(dims), self.extents(inner), f"b[{self.at}] = {value}")
            self.funcs["b"], self.reads["b"] = [list(dims)], ["out"]
            self.reads["a"] = ["out"] if apart else ["b"]
            source, room = "b", inner
        value = self.stencil(source, room, rng.randint(1, 3))
        if apart or (three and rng.random() < 0.3):
            value = f"{value} + a[{self.at}]"
            self.reads["a"] = [*dict.fromkeys((*self.reads["a"], "out"))]
        self.nest(list(dims), [SIZES[dim] for dim in dims], f"out[{self.at}] = {value}")
        self.funcs["out"] = [list(dims)]
        if rng.random() < 0.25:
            used = rng.choice((source, "inp"))
            self.nest(list(dims), [SIZES[dim] for dim in dims], f"out[{self.at}] += {used}[{self.at}]")
            self.funcs["out"].append(list(dims))
        more = 80 if self.rounded and len(dims) == 1 else 30 if self.rounded else 6
        shapes = {"inp": [f"{SIZES[dim]} + {more}" for dim in dims], "out": [SIZES[dim] for dim in dims]}
        arguments = [f"{SIZES[dim]}: size" for dim in dims]
        arguments += [f"{buffer}: {self.scalar}[{', '.join(shape)}]" for buffer, shape in shapes.items()]
        text = f"def program({', '.join(arguments)}):\n" + "\n".join(self.lines) + "\n"
        return Program(text, self.scalar, dims, self.funcs, self.reads, shapes)


def random_program(rng: random.Random, name: str = "", tail: TailStrategy | None = None) -> Program:
    """Two or three stages over one or two dimensions: stencils, halves, updates and reductions over a small range.

    name and tail are a cell that the program is for: one without anything to apply the directive to is not made, and for
    RoundUp the input is larger than what is read of it otherwise.
    """
    return Writer(rng, name, tail).program()


class Chooser:
    """Makes one schedule of a program, with the directive of a cell and others around it. loops are those of now."""

    def __init__(self, rng: random.Random, program: Program, p: Procedure, cell: tuple[str, TailStrategy | None]) -> None:
        self.rng, self.program = rng, program
        self.name, self.tail = cell
        self.default = rng.choice(("root", "root", "inline"))
        self.s = schedule(p, default=self.default)
        self.loops = {func: [list(each) for each in stages] for func, stages in program.funcs.items()}
        self.origin: dict[str, str] = {}
        self.divided: set[tuple[str, int]] = set()
        self.busy: set[tuple[str, int, str]] = set()
        self.count = 0

    def schedule(self) -> Schedule:
        """The schedule."""
        rng, name, funcs = self.rng, self.name, self.program.funcs
        locals_ = [each for each in funcs if each != "out"]
        if name in PLACES:
            target, number = locals_[-1], 0
        else:
            target, number = self.target(locals_)
        if name in OTHERS:
            self.other(target, number)
        elif name in SPLITS:
            assert self.tail is not None
            self.divide(target, number, name, self.tail)
        if name not in ("compute_with", "prefetch") and rng.random() < (0.7 if name in PLACES else 0.4):
            self.divide("out", 0, rng.choice(("split", "tile")), self.some_tail())
        still = name in ("compute_with", "in_", "clone_in", "prefetch")
        for func in locals_:
            mine = name in PLACES and func == target
            kind = name if mine else rng.choice(("none", "none", "compute_at", "store_at"))
            if still or (name in OTHERS and func == target):
                kind = "none" if name == "hoist_storage_root" else "compute_root"
            elif name in SPLITS and func == target and kind == "none":
                kind = "compute_root"
            has_loops = self.place(func, kind, mine)
            if has_loops and name != "compute_with" and rng.random() < 0.2:
                self.divide(func, 0, rng.choice(("split", "split", "unroll", "unroll", "vectorize")), self.some_tail())
        return self.s

    def target(self, locals_: list[str]) -> tuple[str, int]:
        """The func and the stage that the directive of the cell is for."""
        rng, funcs = self.rng, self.program.funcs
        if self.tail is TailStrategy.RoundUp:
            return rng.choice(locals_), 0
        if self.tail is TailStrategy.RoundUpAndBlend or self.name == "specialize":
            return rng.choice(list(funcs)), 0
        func = rng.choice(list(funcs))
        if self.name in ("rfactor", "compute_with", "clone_in", "in_", "store_in", "align_storage", "bound_storage"):
            return "a", 0
        if self.name in ("reorder_storage", "hoist_storage_root"):
            return "a", 0
        if self.name in ("bound", "bound_extent", "align_bounds", "align_extent", "prefetch"):
            return "out", 0
        return func, 0 if self.tail in FIRST_STAGES else rng.randrange(len(funcs[func]))

    def some_tail(self) -> TailStrategy:
        return self.rng.choice((TailStrategy.Auto, TailStrategy.GuardWithIf, TailStrategy.ShiftInwards))

    def stage(self, func: str, number: int):
        return self.s[func] if number == 0 else self.s[func].update(number - 1)

    def fresh(self, base: str) -> str:
        """A name that no loop has."""
        self.count += 1
        return f"{base}{self.count}"

    def divide(self, func: str, number: int, how: str, tail: TailStrategy) -> None:
        """A directive that divides loops, on loops that no other one uses."""
        rng = self.rng
        stage, names = self.stage(func, number), self.loops[func][number]
        plain = [each for each in names if each in self.program.dims]
        if how == "tile" and len(plain) < 2:
            how = "split"
        if how in ("split", "tile") and (func, number) in self.divided:
            return
        if tail in (*FIRST_STAGES, TailStrategy.RoundUpAndBlend):
            allowed = [each for each in names if self.origin.get(each, each) in self.program.dims]
        else:
            allowed = names
        free = [each for each in allowed if (func, number, each) not in self.busy]
        if not free or (how == "tile" and not all((func, number, each) not in self.busy for each in plain)):
            return
        var = rng.choice(free)
        match how:
            case "split":
                outer, inner = self.fresh(f"{var}o"), self.fresh(f"{var}i")
                stage.split(var, outer, inner, rng.choice((2, 3, 4, 8)), tail)
                names[names.index(var) : names.index(var) + 1] = [outer, inner]
                self.origin |= dict.fromkeys((outer, inner), self.origin.get(var, var))
                self.divided.add((func, number))
            case "tile":
                xi, yi = self.fresh("xi"), self.fresh("yi")
                stage.tile("x", "y", xi, yi, rng.choice((2, 4, 8)), rng.choice((2, 3, 4)), tail)
                names[:] = ["y", "x", yi, xi, *(each for each in names if each not in ("x", "y"))]
                self.origin |= {xi: "x", yi: "y"}
                self.divided.add((func, number))
            case "vectorize":
                var = names[-1] if names[-1] in free else free[-1]
                if self.origin.get(var, var) == "r":
                    var = next((each for each in reversed(free) if self.origin.get(each, each) == "x"), var)
                wide = {"f32": 16, "i32": 16, "u16": 32, "u8": 64}[self.program.scalar]
                stage.vectorize(var, rng.choice((2, 4, 8, 8, 16, wide, wide)), tail)
                self.busy.add((func, number, var))
            case "unroll":
                stage.unroll(var, rng.choice((2, 3)), tail)
                self.busy.add((func, number, var))
            case _:
                stage.parallel(var, rng.choice((None, 2, 4)) if tail is TailStrategy.Auto else rng.choice((2, 4)), tail)
                self.busy.add((func, number, var))

    # ---- places

    def place(self, func: str, kind: str, asked: bool) -> bool:
        """Where a func is computed and stored, in a loop that is around all that read it; whether it has loops of its own."""
        s, rng = self.s, self.rng
        if kind == "compute_root":
            s[func].compute_root()
        if kind == "compute_inline":
            s[func].compute_inline()
        if kind not in ("compute_at", "store_at", "store_root", "fold_storage", "hoist_storage"):
            return kind == "compute_root" or (kind == "none" and self.default == "root")
        consumer, names = self.readers(func)
        if not names:
            if not asked:
                return self.default == "root"
            consumer, names = "out", self.loops["out"][0]
        at = rng.randrange(len(names))
        if kind == "fold_storage":
            at = rng.randrange(len(names)) if rng.random() < 0.2 else len(names) - 1
        inner, outer = names[at], names[rng.randrange(at + 1)]
        placed = s[func].compute_at(consumer, inner)
        match kind:
            case "store_at":
                placed.store_at(consumer, outer)
            case "store_root":
                placed.store_root()
            case "fold_storage":
                dims = {self.origin.get(each, each) for each in names[: at + 1]} & set(self.program.dims)
                placed.store_root().fold_storage(rng.choice(sorted(dims) or self.program.dims), rng.choice((4, 8, 8)))
            case "hoist_storage":
                placed.hoist_storage(consumer, outer)
        return True

    def readers(self, func: str) -> tuple[str, list[str]]:
        """A func all of whose loops of these names are around what reads func; no names if it is read in several places."""
        found = self.program.reads[func]
        if len(found) > 1 or (found == ["b"] and self.name == "compute_with"):
            return found[-1], []
        consumer = found[0]
        if consumer != "out" and self.default == "inline" and self.rng.random() < 0.5:
            return consumer, []
        names = [list(stage) for stage in self.loops[consumer]]
        return consumer, [each for each in names[0] if all(each in others for others in names[1:])]

    # ---- the other directives

    def other(self, func: str, number: int) -> None:
        """A directive of OTHERS."""
        s, rng, program, name = self.s, self.rng, self.program, self.name
        stage, names = self.stage(func, number), self.loops[func][number]
        match name:
            case "reorder":
                stage.reorder(*rng.sample(names, rng.randint(min(2, len(names)), len(names))))
            case "fuse":
                self.fuse(stage, names)
            case "rename":
                self.origin["renamed"] = names[0]
                stage.rename(names[0], "renamed")
                names[0] = "renamed"
                if self.origin["renamed"] != "r":
                    stage.parallel("renamed")
            case "serial" | "partition":
                getattr(stage, name)(names[0])
            case "atomic":
                stage.atomic()
            case "store_in":
                s["a"].store_in("Heap")
            case "align_storage":
                s["a"].align_storage(rng.choice(program.dims), rng.choice((2, 16)))
            case "bound_storage":
                s["out"].bound("x", 0, 16)
                program.fixed["x"] = [16]
                s["a"].bound_storage("x", 64).align_storage(rng.choice(program.dims), 4)
            case "reorder_storage":
                s["a"].reorder_storage(*rng.sample(program.dims, len(program.dims)))
            case "bound":
                s["out"].bound("x", 0, 16)
                program.fixed["x"] = [16]
            case "bound_extent":
                s["out"].bound_extent("x", 8)
                program.fixed["x"] = [8]
            case "align_bounds" | "align_extent":
                getattr(s["out"], name)("x", 4)
                program.fixed["x"] = list(range(4, LARGEST + 1, 4))
            case "specialize":
                special = stage.specialize(f"{SIZES.get(names[0], 'N')} >= 8")
                outer = rng.choice((names[0], names[0], "so"))  # others may be computed in that loop if it keeps its name
                special.unroll(names[-1], 2) if rng.random() < 0.5 else special.split(
                    names[0], outer, "si", 4, self.some_tail()
                )
                self.divided.add((func, number))
            case "rfactor":
                s["a"].update().rfactor("r", "u")
            case "compute_with":
                s["b"].compute_with("a", rng.choice(program.dims))
            case "in_":
                s["a"].in_(rng.choice(program.reads["a"]))
            case "clone_in":
                s["a"].clone_in(rng.choice(program.reads["a"]))
            case "hoist_storage_root":
                consumer, loops = self.readers("a")
                s["a"].compute_at(consumer, rng.choice(loops or self.loops["out"][0])).hoist_storage_root()
            case _:
                self.divided.add(("out", 0))
                read = [each for each, consumers in program.reads.items() if "out" in consumers]
                s["out"].prefetch(rng.choice(read), names[-1], names[-1], 16)

    def fuse(self, stage, names: list[str]) -> None:
        """The two loops of a split made one again, or those over both dimensions, which are made parallel then."""
        if len(self.program.dims) == 2 and self.rng.random() < 0.3:
            outer, inner = [each for each in names if each != "r"]
            stage.fuse(inner, outer, "z").parallel("z")
            self.busy |= {(stage._func, stage._number, each) for each in names}
            self.divided.add((stage._func, stage._number))
            return
        var = self.rng.choice([each for each in names if each != "r"])
        stage.split(var, "zo", "zi", 4, self.rng.choice((TailStrategy.Auto, TailStrategy.GuardWithIf)))
        stage.fuse("zi", "zo", "z")
        names[names.index(var)] = "z"
        self.origin["z"] = var


def random_schedule(rng: random.Random, program: Program, p: Procedure, cell: tuple[str, TailStrategy | None]) -> Schedule:
    """A schedule with the directive of a cell, and others around it."""
    return Chooser(rng, program, p, cell).schedule()


def outputs(p: Procedure, program: Program, sizes: dict[str, int], seed: int) -> list[object] | None:
    """What a procedure stores for given sizes and random input; None where its assertions exclude the sizes."""
    rng = random.Random(seed)
    env = {SIZES[name]: sizes[name] for name in program.dims}
    scalar = next(arg.type() for arg in p.args() if arg.name() == "inp")
    most = {"u8": 1 << 8, "u16": 1 << 16}.get(program.scalar, 1 << 15)
    data = {}
    for name, shape in program.shapes.items():
        extents = [eval(each, {}, env) for each in shape]
        values = [rng.randrange(most) for _ in range(math.prod(extents))]
        data[name] = Buffer.of(scalar, values, extents)
    try:
        run(p.ir, {**env, **data}, mode="exact")
    except InterpError as error:
        if "assert" in error.message or "precondition" in error.message:
            return None
        raise
    return list(data["out"].data)
