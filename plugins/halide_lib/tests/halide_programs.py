"""Random procedures of two or three stages, and random schedules of them, from one random number generator.

`python plugins/halide_lib/tests/halide_fuzz.py` runs many; `test_halide_random.py` a sample.
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


@dataclass
class Program:
    """A procedure as text, and what schedules need to know of it: for each func its dimensions and the loops of each stage."""

    text: str
    scalar: str
    dims: tuple[str, ...]
    funcs: dict[str, list[list[str]]]
    reads: dict[str, list[str]]
    formals: tuple[str, ...]
    shapes: dict[str, list[str]] = field(default_factory=dict)

    def procedure(self) -> Procedure:
        return proc_from_source(self.text)


def random_program(rng: random.Random) -> Program:
    """Two or three stages over one or two dimensions: stencils, a stride, halves, updates and sums over a small range."""
    dims = rng.choice((("x",), ("y", "x"), ("y", "x")))
    scalar = rng.choice(("f32", "f32", "f32", "i32", "u16"))
    three = rng.random() < 0.5
    halo = {name: rng.randint(0, 3) for name in dims}
    inner = {name: rng.randint(0, halo[name]) for name in dims}
    funcs: dict[str, list[list[str]]] = {}
    lines: list[str] = []

    def nest(names: list[str], extents: list[str], statement: str) -> None:
        for depth, (name, extent) in enumerate(zip(names, extents, strict=True)):
            lines.append("    " * (depth + 1) + f"for {name} in seq(0, {extent}):")
        lines.append("    " * (len(names) + 1) + statement)

    def extents(by: dict[str, int]) -> list[str]:
        return [f"{SIZES[name]} + {by[name]}" if by[name] else SIZES[name] for name in dims]

    def stencil(name: str, most: dict[str, int], terms: int) -> str:
        places = []
        for _ in range(terms):
            index = []
            for dim in dims:
                offset = rng.randint(0, most[dim])
                base = f"{dim} / 2" if rng.random() < 0.1 else dim
                index.append(f"{base} + {offset}" if offset else base)
            places.append(f"{name}[{', '.join(index)}]")
        return " + ".join(places)

    order = list(dims) if rng.random() < 0.8 else list(reversed(dims))
    by_name = dict(zip(dims, extents(halo), strict=True))
    at = ", ".join(dims)
    lines.append(f"    a: {scalar}[{', '.join(extents(halo))}]")
    first = rng.choice((f"a[{at}] = {stencil('inp', dict.fromkeys(dims, 1), 2)}", f"a[{at}] = inp[{at}]"))
    nest(order, [by_name[name] for name in order], first)
    funcs["a"] = [order]
    update = rng.random()
    if update < 0.15:
        nest(order, [by_name[name] for name in order], f"a[{at}] += inp[{at}]")
        funcs["a"].append(order)
    elif update < 0.3:
        names = rng.choice(([*order, "r"], ["r", *order]))
        nest(names, [by_name.get(name, "3") for name in names], f"a[{at}] += inp[{', '.join([*dims[:-1], f'{dims[-1]} + r'])}]")
        funcs["a"].append(names)
    reads = {"a": ["out"]}
    source, room = "a", halo
    if three:
        lines.append(f"    b: {scalar}[{', '.join(extents(inner))}]")
        gap = {name: halo[name] - inner[name] for name in dims}
        nest(list(dims), extents(inner), f"b[{at}] = {stencil('a', gap, rng.randint(1, 3))}")
        funcs["b"], reads["a"], reads["b"] = [list(dims)], ["b"], ["out"]
        source, room = "b", inner
    value = stencil(source, room, rng.randint(1, 3))
    if three and rng.random() < 0.3:
        value, reads["a"] = f"{value} + a[{at}]", ["b", "out"]
    nest(list(dims), [SIZES[name] for name in dims], f"out[{at}] = {value}")
    funcs["out"] = [list(dims)]
    if rng.random() < 0.25:
        used = rng.choice((source, "inp"))
        nest(list(dims), [SIZES[name] for name in dims], f"out[{at}] += {used}[{at}]")
        funcs["out"].append(list(dims))
    shapes = {"inp": [f"{SIZES[name]} + 6" for name in dims], "out": [SIZES[name] for name in dims]}
    formals = (*(SIZES[name] for name in dims), "inp", "out")
    arguments = [f"{SIZES[name]}: size" for name in dims]
    arguments += [f"{name}: {scalar}[{', '.join(shape)}]" for name, shape in shapes.items()]
    text = f"def program({', '.join(arguments)}):\n" + "\n".join(lines) + "\n"
    return Program(text, scalar, dims, funcs, reads, formals, shapes)


def random_schedule(rng: random.Random, program: Program, p: Procedure, cell: tuple[str, TailStrategy | None]) -> Schedule:
    """A schedule with the directive of a cell, and others around it."""
    s = schedule(p, default=rng.choice(("root", "root", "inline")))
    name, tail = cell
    loops = {func: [list(each) for each in stages] for func, stages in program.funcs.items()}
    used: set[tuple[str, int]] = set()

    def some_tail() -> TailStrategy:
        return rng.choice((TailStrategy.Auto, TailStrategy.GuardWithIf, TailStrategy.ShiftInwards))

    def stage_of(func: str, number: int):
        return s[func] if number == 0 else s[func].update(number - 1)

    def divide(func: str, number: int, how: str, with_tail: TailStrategy) -> None:
        stage, names = stage_of(func, number), loops[func][number]
        if how == "tile" and len([each for each in names if each in ("x", "y")]) < 2:
            how = "split"
        if (func, number) in used and how in ("split", "tile"):
            return
        used.add((func, number))
        var = rng.choice(names)
        match how:
            case "split":
                stage.split(var, f"{var}o", f"{var}i", rng.choice((2, 3, 4, 8)), with_tail)
                names[names.index(var) : names.index(var) + 1] = [f"{var}o", f"{var}i"]
            case "tile":
                stage.tile("x", "y", "xi", "yi", rng.choice((2, 4, 8)), rng.choice((2, 3, 4)), with_tail)
                names[:] = ["y", "x", "yi", "xi", *(each for each in names if each not in ("x", "y"))]
            case "vectorize":
                stage.vectorize(names[-1], rng.choice((8, 16, 16, 16)), with_tail)
            case "unroll":
                stage.unroll(var, rng.choice((2, 3)), with_tail)
            case _:
                stage.parallel(var, rng.choice((None, 2, 4)) if with_tail is TailStrategy.Auto else 4, with_tail)

    locals_ = [each for each in program.funcs if each != "out"]
    if rng.random() < 0.6 or name in ("compute_at", "store_at", "fold_storage", "hoist_storage", "store_root"):
        divide("out", 0, rng.choice(("split", "tile")), some_tail())
    target = rng.choice(list(program.funcs))
    number = rng.randrange(len(program.funcs[target]))
    if name in SPLITS:
        assert tail is not None
        divide(target, number, name, tail)
    elif name in OTHERS:
        other(rng, s, program, loops, name, target, number)
    for func in locals_:
        kind = name if name in PLACES and func == locals_[-1] else rng.choice(("none", "none", "compute_at", "store_at"))
        place(rng, s, loops, program, func, kind)
        if rng.random() < 0.2 and kind != "compute_inline":
            divide(func, 0, rng.choice(("split", "unroll", "vectorize")), some_tail())
    return s


def place(rng: random.Random, s: Schedule, loops, program: Program, func: str, kind: str) -> None:
    consumer = rng.choice(["out", *program.reads[func]])
    at = rng.randrange(len(loops[consumer][0]))
    inner, outer = loops[consumer][0][at], loops[consumer][0][rng.randrange(at + 1)]
    match kind:
        case "compute_at":
            s[func].compute_at(consumer, inner)
        case "store_at":
            s[func].compute_at(consumer, inner).store_at(consumer, outer)
        case "store_root":
            s[func].compute_at(consumer, inner).store_root()
        case "fold_storage":
            s[func].compute_at(consumer, inner).store_root().fold_storage(rng.choice(program.dims), rng.choice((4, 5, 8)))
        case "hoist_storage":
            s[func].compute_at(consumer, inner).hoist_storage(consumer, outer)
        case "compute_root":
            s[func].compute_root()
        case "compute_inline":
            s[func].compute_inline()
        case _:
            pass


def other(rng: random.Random, s: Schedule, program: Program, loops, name: str, func: str, number: int) -> None:
    """A directive of OTHERS."""
    stage = s[func] if number == 0 else s[func].update(number - 1)
    names = loops[func][number]
    match name:
        case "reorder":
            chosen = rng.sample(names, rng.randint(1, len(names)))
            stage.reorder(*chosen)
        case "fuse":
            stage.split(names[-1], "zo", "zi", 4)
            stage.fuse("zi", "zo", "z")
        case "rename":
            stage.rename(names[0], "renamed").parallel("renamed")
        case "serial" | "partition" | "atomic":
            getattr(stage, name)(*(() if name == "atomic" else (names[0],)))
        case "store_in":
            s["a"].store_in("Heap")
        case "align_storage":
            s["a"].align_storage(rng.choice(program.dims), rng.choice((2, 16)))
        case "bound_storage":
            s["out"].bound("x", 0, 16)
            s["a"].bound_storage("x", 64).align_storage(rng.choice(program.dims), 4)
        case "reorder_storage":
            s["a"].reorder_storage(*rng.sample(program.dims, len(program.dims)))
        case "bound":
            s["out"].bound("x", 0, 16)
        case "bound_extent":
            s["out"].bound_extent("x", 8)
        case "align_bounds" | "align_extent":
            getattr(s["out"], name)("x", 4)
        case "specialize":
            stage.specialize(f"{SIZES.get(names[0], 'N')} >= 8").unroll(names[-1], 2)
        case "rfactor":
            if len(program.funcs["a"]) == 2 and "r" in program.funcs["a"][1]:
                s["a"].update().rfactor("r", "u")
            else:
                s["a"].rfactor(program.dims[0], "u")
        case "compute_with":
            if len(program.funcs) == 3:
                s["b"].compute_with("a", program.dims[0])
        case "in_":
            s["a"].in_(rng.choice(program.reads["a"]))
        case "clone_in":
            s["a"].clone_in(rng.choice(program.reads["a"]))
        case "hoist_storage_root":
            s["a"].compute_at("out", loops["out"][0][0]).hoist_storage_root()
        case _:
            s["out"].prefetch("inp", loops["out"][0][-1], loops["out"][0][-1], 16)


def outputs(p: Procedure, program: Program, sizes: dict[str, int], seed: int) -> list[object] | None:
    """What a procedure stores for given sizes and random input; None where its assertions exclude the sizes."""
    rng = random.Random(seed)
    env = {SIZES[name]: sizes[name] for name in program.dims}
    scalar = next(arg.type() for arg in p.args() if arg.name() == "inp")
    data = {}
    for name, shape in program.shapes.items():
        extents = [eval(each, {}, env) for each in shape]
        values = [rng.randrange(1 << 15) for _ in range(math.prod(extents))]
        data[name] = Buffer.of(scalar, values, extents)
    try:
        run(p.ir, {**env, **data}, mode="exact")
    except InterpError as error:
        if "assert" in error.message or "precondition" in error.message:
            return None
        raise
    return list(data["out"].data)
