"""Every scalar primitive means in C what it means to the interpreters, on edge cases and random numbers."""

from __future__ import annotations

import itertools
import math
import random
import subprocess

from perceus_native import build, driver, outcomes
from perceus_runs import outcome

from usl_perceus.c import generate
from usl_perceus.insert import insert
from usl_perceus.ir import (
    BOOL,
    BOOL_DECL,
    F32,
    F64,
    FALSE,
    I8,
    I16,
    I32,
    I64,
    STR,
    TRUE,
    U8,
    U16,
    U32,
    U64,
    Atom,
    Con,
    DataDecl,
    FloatType,
    FunDef,
    IntType,
    Layout,
    Lit,
    Nullary,
    Prim,
    Program,
    Ret,
    Type,
)
from usl_perceus.scalars import round_to

INTS = (I8, I16, I32, I64, U8, U16, U32, U64)
FLOATS = (F32, F64)
COMPARISONS = ("eq", "ge", "gt", "le", "lt", "ne")
ON_INTEGERS = ("add", "and", "mul", "or", "sub", "xor", "shl", "shr", *COMPARISONS)


def integers(type: IntType, rng: random.Random) -> list[int]:
    low, high = (-(1 << (type.bits - 1)), (1 << (type.bits - 1)) - 1) if type.signed else (0, (1 << type.bits) - 1)
    special = {low, low + 1, high, high - 1, 0, 1, 2, 7, type.bits - 1, type.bits, *([-1, -2] if type.signed else [])}
    return sorted(special | {rng.randint(low, high) for _ in range(4)})


def floats(type: FloatType, rng: random.Random) -> list[float]:
    special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1e10,
        -1e30,
        2.0**63,
        -(2.0**63),
        2.0**64,
        math.inf,
        -math.inf,
        math.nan,
        255.5,
        -128.5,
    ]
    return [round_to(value, type) for value in (*special, *(rng.uniform(-300, 300) for _ in range(4)))]


def literal(value: float, type: Type) -> Atom:
    return Lit(value, type)


def program(cases: list[Prim]) -> list[Program]:
    return [Program({"bool": BOOL_DECL}, {"main": FunDef("main", (), case.type, case)}, exports=("main",)) for case in cases]


def same(got: object, expected: object) -> bool:
    """Equal, the sign of zero included; the driver prints floats that are integers as integers."""
    return got == expected if not isinstance(expected, float) else repr(float(str(got))) == repr(expected)


def check(cases: list[Prim], folder) -> None:
    programs = program(cases)
    for case, one, (got, _) in zip(cases, programs, outcomes([insert(one) for one in programs], folder), strict=True):
        expected = outcome(one)
        assert expected is not None
        assert same(got, expected[0]), (case.op, case.args, got, expected[0])


def test_integer_arithmetic_wraps_and_shifts_as_defined(tmp_path):
    rng, cases = random.Random(1), []
    for type in INTS:
        values = integers(type, rng)
        for op in ON_INTEGERS:
            for a, b in rng.sample(list(itertools.product(values, values)), 12):
                cases.append(Prim(op, (literal(a, type), literal(b, type)), BOOL if op in COMPARISONS else type))
        for op in ("neg", "not"):
            cases += [Prim(op, (literal(a, type),), type) for a in values[:6]]
        for op in ("div", "mod"):
            pairs = [(a, b) for a, b in itertools.product(values, values) if b != 0]
            cases += [Prim(op, (literal(a, type), literal(b, type)), type) for a, b in rng.sample(pairs, 25)]
            cases += [Prim(op, (literal(values[0], type), literal(-1, type)), type)] if type.signed else []
    check(cases, tmp_path)


def test_casts_wrap_round_and_saturate(tmp_path):
    rng, cases = random.Random(2), []
    for source, target in itertools.product((*INTS, *FLOATS), (*INTS, *FLOATS)):
        values = integers(source, rng) if isinstance(source, IntType) else floats(source, rng)
        cases += [Prim("cast", (literal(value, source),), target) for value in rng.sample(values, 7)]
    cases = [case for case in cases if isinstance(case.type, IntType) or math.isfinite(float(case.args[0].value))]  # type: ignore[union-attr]
    check([case for case in cases if not _overflows(case)], tmp_path)


def _overflows(case: Prim) -> bool:
    """Whether the result is infinite, which the driver cannot print as a literal."""
    value = case.args[0].value  # type: ignore[union-attr]
    return case.type == F32 and abs(float(value)) > 3.4e38


def test_floats_compute_in_their_own_precision(tmp_path):
    rng, cases = random.Random(3), []
    for type in FLOATS:
        values = [value for value in floats(type, rng) if math.isfinite(value) and abs(value) < 1e15]
        for op in ("add", "sub", "mul", *COMPARISONS):
            pairs = rng.sample(list(itertools.product(values, values)), 20)
            cases += [Prim(op, (literal(a, type), literal(b, type)), BOOL if op in COMPARISONS else type) for a, b in pairs]
        pairs = [(a, b) for a, b in itertools.product(values, values) if b != 0]
        cases += [Prim("fdiv", (literal(a, type), literal(b, type)), type) for a, b in rng.sample(pairs, 20)]
        cases += [Prim("sqrt", (literal(abs(a), type),), type) for a in values]
        cases += [Prim(op, (literal(a, type),), type) for op in ("neg", "floor") for a in values if op == "neg" or a != 0]
    check(cases, tmp_path)


def test_texts_of_numbers(tmp_path):
    rng, cases = random.Random(4), []
    for type in INTS:
        cases += [Prim("show", (literal(value, type),), STR) for value in integers(type, rng)]
    for type in FLOATS:
        cases += [Prim("show", (literal(value, type),), STR) for value in floats(type, rng)]
    cases += [Prim("show", (Nullary(con),), STR) for con in (FALSE, TRUE)]
    texts = [b"", b"'", b'"', b"'\"", bytes(range(1, 256)), *(rng.randbytes(20).replace(b"\0", b"'") for _ in range(20))]
    cases += [Prim("str_quote", (Lit(text, STR),), STR) for text in texts]
    cases += [
        Prim(op, (Nullary(a), Nullary(b)), BOOL)
        for op in ("and", "or", "xor", "eq", "lt")
        for a in (FALSE, TRUE)
        for b in (FALSE, TRUE)
    ]
    cases += [Prim("not", (Nullary(con),), BOOL) for con in (FALSE, TRUE)]
    check(cases, tmp_path)


def test_functions_may_be_called_as_those_of_the_system_and_of_the_runtime(tmp_path):
    names = (
        "link",
        "mark",
        "sweep",
        "sync",
        "close",
        "clock",
        "grown",
        "PAGES",
        "watched",
        "spin_lock",
        "stdin",
        "pow",
        "usl_drop",
    )
    funs = {name: FunDef(name, (), I64, Ret(Lit(i, I64))) for i, name in enumerate(names)}
    program = Program({"bool": BOOL_DECL}, funs, exports=("link", "mark", "PAGES"))
    main = driver(program, "prog", generate(program, "prog").functions, "")
    done = subprocess.run([str(build(program, tmp_path, ("-O0",), main))], capture_output=True, text=True, check=True)
    assert [line[1:] for line in done.stdout.splitlines() if line.startswith("=")] == ["0", "1", "7"]


def test_names_of_a_program_do_not_meet_those_of_the_runtime(tmp_path):
    """An enumeration `string` with a constructor `new` would be usl_string_new."""
    new, old = Con("string", "new", 0), Con("string", "equal", 1)
    decl = DataDecl("string", (new, old), Layout.ENUM)
    body = Prim("eq", (Nullary(new), Nullary(old)), BOOL)
    one = Program({"bool": BOOL_DECL, "string": decl}, {"main": FunDef("main", (), BOOL, body)}, exports=("main",))
    assert outcomes([insert(one)], tmp_path)[0][0] == ("False",)
