"""Sizes and data for a procedure: legal size vectors around a factor, and random exact buffers with some poison."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from usl_core.analysis.effects import proc_summary
from usl_core.errors import InterpError
from usl_core.interp import POISON, Buffer, ConfigKey, Result
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import BinaryOp, Expr, ExternCall, Literal, Proc, Read, ReadConfig, StrideExpr, UnaryMinus
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk
from usl_core.ir.types import BOOL, INDEX, SIZE, ControlType, ScalarType, TensorType, scalar_of

Controls = dict[str, int | bool]
"""Values of the control formals, by name."""


def control_vectors(proc: Proc, rng: random.Random, factor: int, count: int) -> list[Controls]:
    """Up to count distinct legal values of the control formals: the smallest, those around factor, and random ones."""
    formals = [arg for arg in proc.args if isinstance(arg.type, ControlType)]
    if not formals:
        return [{}]
    favourites = [1, factor - 1, factor, factor + 1, 2 * factor]
    choices = [[False, True] if arg.type is BOOL else _numbers(arg.type is SIZE) for arg in formals]
    diagonal = [[value if arg.type is not BOOL else rng.random() < 0.5 for arg in formals] for value in favourites]
    drawn = _drawn(choices, rng, 40 * count)
    smallest = itertools.islice(itertools.product(*choices), 200)
    found: dict[tuple[int | bool, ...], Controls] = {}
    first = next((v for v in smallest if _legal(proc, formals_env(proc, v))), None)
    for values in itertools.chain([first] if first else [], diagonal, drawn):
        if len(found) < count and _legal(proc, formals_env(proc, values)):
            found.setdefault(tuple(values), {arg.name.name: v for arg, v in zip(formals, values, strict=True)})
    return list(found.values())


def _drawn(choices: list[list[Any]], rng: random.Random, tries: int) -> Iterator[list[Any]]:
    """Random vectors: all that there are, each once, if they are few."""
    if math.prod(map(len, choices)) > tries:
        yield from ([rng.choice(c) for c in choices] for _ in range(tries))
    else:
        every = list(map(list, itertools.product(*choices)))
        rng.shuffle(every)
        yield from every


def _numbers(is_size: bool) -> list[int]:
    return list(range(1 if is_size else 0, 10))


def formals_env(proc: Proc, values: Iterable[int | bool]) -> dict[Sym, int | bool]:
    names = [arg.name for arg in proc.args if isinstance(arg.type, ControlType)]
    return dict(zip(names, values, strict=True))


def _legal(proc: Proc, env: dict[Sym, int | bool]) -> bool:
    sizes = [arg.name for arg in proc.args if arg.type is SIZE]
    if not all(env[name] >= 1 for name in sizes):
        return False
    if any(isinstance(node, ReadConfig) for pred in proc.preds for node in walk(pred)):
        return random_fields(proc, env, random.Random(0)) is not None
    return all(_holds(pred, env) for pred in proc.preds)


Fields = dict[FieldSym, Any]
"""Values of configuration fields."""
_TRIES = 1000


def random_fields(proc: Proc, env: dict[Sym, int | bool], rng: random.Random, more: Iterable[FieldSym] = ()) -> Fields | None:
    """Values of the fields that proc uses, and of more, with which the assertions hold; None if none are found."""
    fields = sorted({*proc_summary(proc).fields, *more})
    nodes = [node for pred in proc.preds for node in walk(pred)]
    asked = [pred for pred in proc.preds if any(isinstance(node, ReadConfig) for node in walk(pred))]
    if not all(pred in asked or _holds(pred, env) for pred in proc.preds):
        return None
    known = [n.value for n in nodes if isinstance(n, Literal) and type(n.value) is int]
    known += [v for v in env.values() if type(v) is int]
    for _ in range(_TRIES if asked else 1):
        values: Fields = {field: _random_field(field, known, rng) for field in fields}
        if all(_holds(pred, {**env, **values}) for pred in asked):
            return values
    return None


def _random_field(field: FieldSym, known: Iterable[int], rng: random.Random) -> Any:
    """Small numbers mostly, and known ones, so that comparisons are now and then true."""
    typ = field.declared.type
    if isinstance(typ, ScalarType):
        return random_value(typ, rng)
    if typ is BOOL:
        return rng.random() < 0.5
    least = 1 if typ is SIZE else -1
    return rng.choice([rng.randint(least, 4), rng.randint(least, 9), *(v for v in known if v >= least)])


def _holds(pred: Expr, env: dict[Sym, int | bool]) -> bool:
    """Whether a precondition on control values holds; one on strides depends on the data, so is left to the run."""
    try:
        return bool(evaluate(pred, env))
    except KeyError:
        return True


def evaluate(expr: Expr, env: dict[Sym, int | bool]) -> int | bool:
    """A control expression over formals. KeyError if it depends on more than these."""
    match expr:
        case Literal(value=bool() | int() as value):
            return value
        case Read(name=name):
            return env[name]
        case ReadConfig(config=config, field=field):
            return env[config.sym(field)]
        case UnaryMinus(arg=arg):
            return -evaluate(arg, env)
        case ExternCall(fn=fn, args=args):
            return {"min": min, "max": max}[fn.name](evaluate(a, env) for a in args)
        case BinaryOp(op=op):
            return _apply(op, evaluate(expr.lhs, env), evaluate(expr.rhs, env))
        case StrideExpr():
            raise KeyError(expr.name)
        case _:
            raise AssertionError(expr)


def _apply(op: str, a: int | bool, b: int | bool) -> int | bool:
    operators: dict[str, Callable[[], int | bool]] = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: a // b,
        "%": lambda: a % b,
        "<": lambda: a < b,
        "<=": lambda: a <= b,
        ">": lambda: a > b,
        ">=": lambda: a >= b,
        "==": lambda: a == b,
        "!=": lambda: a != b,
        "and": lambda: a and b,
        "or": lambda: a or b,
    }
    return operators[op]()


@dataclass(frozen=True)
class Inputs:
    """Arguments by name, and configuration fields. `fresh` gives copies to run on; windows keep their gaps."""

    values: dict[str, int | bool | Buffer]
    fields: Fields = field(default_factory=dict)
    outcomes: dict[Proc, Result | InterpError] = field(default_factory=dict, compare=False, repr=False)
    """What procedures left of these data, or the errors that stopped them."""

    def configs(self) -> dict[ConfigKey, Any]:
        """The fields as the interpreter takes them."""
        return {(name.config, name.field): value for name, value in self.fields.items()}

    def fresh(self) -> dict[str, int | bool | Buffer]:
        return {name: _copy(value) if isinstance(value, Buffer) else value for name, value in self.values.items()}


def _copy(buffer: Buffer) -> Buffer:
    return Buffer(buffer.scalar, buffer.shape, list(buffer.data), buffer.offset, buffer.strides)


def random_inputs(
    proc: Proc, controls: Controls, rng: random.Random, poison: float = 0.0, more: Iterable[FieldSym] = ()
) -> Inputs:
    """Exact data for the formals; each element is poison with that probability. Windows lie in a larger buffer. The fields that
    proc uses have values, and those in more."""
    env = formals_env(proc, [controls[arg.name.name] for arg in proc.args if isinstance(arg.type, ControlType)])
    values: dict[str, int | bool | Buffer] = dict(controls)
    unit_strides = any(isinstance(node, StrideExpr) for pred in proc.preds for node in (getattr(pred, "lhs", None),))
    for arg in proc.args:
        if isinstance(arg.type, ControlType):
            continue
        shape = tuple(int(evaluate(e, env)) for e in arg.type.shape) if isinstance(arg.type, TensorType) else ()
        window = isinstance(arg.type, TensorType) and arg.type.window and not unit_strides
        values[arg.name.name] = _random_buffer(scalar_of(arg.type), shape, window, rng, poison)
    return Inputs(values, random_fields(proc, env, rng, more) or {})


def _random_buffer(typ: ScalarType, shape: tuple[int, ...], window: bool, rng: random.Random, poison: float) -> Buffer:
    if not window:
        buffer = Buffer(typ, shape)
    else:
        outer = tuple(n + rng.randint(0, 2) for n in shape)
        step = rng.choice((1, 1, 2))
        parent = Buffer(typ, (*outer, step))
        starts = [rng.randint(0, o - n) for n, o in zip(shape, outer, strict=True)]
        buffer = parent.window(*[slice(s, s + n) for s, n in zip(starts, shape, strict=True)], 0)
    values = random_values(typ, rng, len(list(buffer.offsets())))
    buffer.fill([POISON if rng.random() < poison else value for value in values] if poison else values)
    return buffer


def random_value(typ: ScalarType, rng: random.Random) -> int | Fraction:
    """One of `random_values`."""
    return random_values(typ, rng, 1)[0]


def random_values(typ: ScalarType, rng: random.Random, count: int) -> list[int | Fraction]:
    """Small numbers mostly, for integers also the ends of the range."""
    values, weights = _value_table(typ)
    drawn = rng.choices(values, cum_weights=weights, k=count)
    return [rng.randint(*typ.int_range()) if value is None else value for value in drawn]


@cache
def _value_table(typ: ScalarType) -> tuple[list[int | Fraction | None], list[float]]:
    """What is drawn for elements of a type, with the weights added up; None is any number of the type."""
    table: dict[int | Fraction | None, float]
    if typ.is_int:
        lo, hi = typ.int_range()
        small = range(max(lo, -5), min(hi, 9) + 1)
        table = {None: 0.2, **dict.fromkeys(small, 0.4 / len(small))}
        for end in (lo, hi):
            table[end] = table.get(end, 0.0) + 0.2
    else:
        whole, parts = range(-4, 10), [Fraction(a, b) for a in range(-9, 10) for b in (2, 3, 4)]
        table = dict.fromkeys(whole, 2 / 3 / len(whole))
        for part in parts:
            table[part] = table.get(part, 0.0) + 1 / 3 / len(parts)
    return list(table), list(itertools.accumulate(table.values()))


__all__ = ["INDEX", "Controls", "Inputs", "control_vectors", "evaluate", "random_inputs", "random_value"]
