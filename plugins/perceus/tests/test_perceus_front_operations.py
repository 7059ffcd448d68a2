"""What operators, arrays, cells and threads do: lowered and run by the standard interpreter, against Python."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from perceus_front import printed, program, run

I64 = st.integers(-(1 << 63), (1 << 63) - 1)
_ARITHMETIC: list = []


def wrapped(value: int, bits: int = 64, signed: bool = True) -> int:
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


@given(I64, I64)
def test_integers_wrap_around_and_division_rounds_down(a, b):
    for op, reference in (("+", lambda: a + b), ("-", lambda: a - b), ("*", lambda: a * b), ("^", lambda: a ^ b)):
        assert run(_arithmetic(), f"op{ord(op)}", a, b) == wrapped(reference())
    for name, reference in (("div", lambda: a // b), ("mod", lambda: a % b)):
        expected = wrapped(reference()) if b else ("raise", ("ZeroDivisionError",))
        assert run(_arithmetic(), name, a, b) == expected
    assert run(_arithmetic(), "narrow", a) == (wrapped(a, 8), wrapped(a, 16, signed=False))


def _arithmetic():
    if not _ARITHMETIC:
        ops = "".join(f"@fun\ndef op{ord(op)}(a: i64, b: i64) -> i64:\n    return a {op} b\n" for op in "+-*^")
        rest = (
            "@fun\ndef div(a: i64, b: i64) -> i64:\n    return a // b\n"
            "@fun\ndef mod(a: i64, b: i64) -> i64:\n    return a % b\n"
            "@fun\ndef narrow(a: i64) -> tuple[i8, u16]:\n    return i8(a), u16(a)\n"
        )
        _ARITHMETIC.append(program(ops + rest))
    return _ARITHMETIC[0]


def test_operators_and_conversions_of_all_kinds():
    made = program("""
        SCALE = 3

        @fun
        def floats(x: f64) -> tuple[f64, i64, bool]:
            return (x * SCALE - 1) / 2, i64(x), 0 <= x < 10

        @fun
        def bits(a: u8, b: u8) -> tuple[u8, u8, u8]:
            return a << 1 | b, ~a & b, (a ^ b) >> 2

        @fun
        def strings(a: str, n: i64) -> str:
            if a < "m" and a != "b":
                return f"{a}: {n} {n > 2} {f64(n)}"
            return a + str(len(a))

        @fun
        def both(a: bool, b: bool) -> i64:
            return i64(a or not b) * 10 + i64(a and b)
    """)
    assert run(made, "floats", 2.5) == ((2.5 * 3 - 1) / 2, 2, True)
    assert run(made, "bits", 200, 7) == (wrapped(400 | 7, 8, signed=False), ~200 & 7, (200 ^ 7) >> 2)
    assert [run(made, "strings", text, 3) for text in ("a", "b", "z")] == ["a: 3 True 3.0", "b1", "z1"]
    assert [run(made, "both", a, b) for a in (False, True) for b in (False, True)] == [10, 0, 10, 11]


def test_comparisons_in_a_chain_evaluate_their_middle_once():
    made = program("""
        @fun
        def loud(x: i64) -> i64:
            print("saw", x)
            return x

        @fun
        def f(x: i64) -> bool:
            return 0 < loud(x) < 10
    """)
    assert printed(made, "f", 5) == "saw 5\n"
    assert [run(made, "f", x) for x in (0, 5, 10)] == [False, True, False]


def test_arrays_are_values_and_their_indices_are_checked():
    made = program("""
        @fun
        def f(n: i64, i: i64) -> tuple[i64, i64, array[i64]]:
            a = array(n, 7)
            b = a.set(i, 9)
            return a[i], b[i], b

        @fun
        def literal(i: i64) -> i64:
            return [10, 20, 30][i] + len([1, 2])
    """)
    assert run(made, "f", 3, 1) == (7, 9, [7, 9, 7])
    for n, i in ((3, 3), (3, -1), (-1, 0)):
        assert run(made, "f", n, i) == ("raise", ("IndexError",))
    assert [run(made, "literal", i) for i in range(3)] == [12, 22, 32]


def test_references_are_changed_in_place_and_threads_give_results_or_exceptions():
    made = program("""
        @fun
        def counted(n: i64) -> i64:
            cell = ref(n)
            bump = lambda by: add(cell, by)
            bump(5)
            cell.value = cell.value * 2
            return cell.value

        @fun
        def add(cell: ref[i64], by: i64) -> None:
            cell.value = cell.value + by

        @fun
        def inverse(n: i64) -> i64:
            return 100 // n

        @fun
        def parallel(n: i64) -> i64:
            t = spawn(inverse, n)
            u = spawn(lambda: n + 1)
            return join(t) + join(u)
    """)
    assert run(made, "counted", 3) == 16
    assert run(made, "parallel", 5) == 26
    assert run(made, "parallel", 0) == ("raise", ("ZeroDivisionError",))


def test_a_thread_that_never_raises_has_a_plain_result():
    made = program("""
        @fun
        def f(n: i64) -> i64:
            t = spawn(lambda x: x + 1, n)
            return join(t)
    """)
    assert not made.program.funs["f"].throws
    assert not any(name.startswith("outcome") for name in made.program.datas)
    assert run(made, "f", 1) == 2
