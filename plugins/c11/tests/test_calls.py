"""Calls whose arguments are checked in C do, and say, exactly what those do that are checked in Python."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import c11_kernels as kernels
import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from usl_c11.calls.entry import make_entry
from usl_c11.calls.extension import entry_type
from usl_c11.jit import JitProcedure, jit
from usl_core import calling, probe
from usl_core.calling import evaluate
from usl_core.errors import JitError
from usl_core.ir.nodes import Proc
from usl_core.ir.types import TensorType

MIXED = kernels.parse("""
def mixed(n: size, k: index, on: bool, s: f32, d: f64, i: i16, x: [f32][n, 4], y: f64[2 * n + 1], out: i16):
    for a in seq(0, n):
        for b in seq(0, 4):
            if on:
                x[a, b] = x[a, b] + s
            if k < 0:
                y[a + b / 4] = d
    out = i
""")

EXTENTS = kernels.parse("""
def extents(n: size, m: size, x: [f32][max(2 * n - m, 1), min(n, m + 3), (n + 5) / 4 + m % 3 + 1], y: f32):
    y = x[0, 0, 0]
""")
_STUB = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: 0)
STUB = ctypes.cast(_STUB, ctypes.c_void_p).value or 0

Arguments = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def _needs_headers() -> None:
    if entry_type() is None:
        pytest.skip("Python.h is not installed")


def checked_in_c(proc: Proc) -> JitProcedure:
    """A procedure that has been called before, so that its calls go through the extension."""
    found = jit(proc)
    with pytest.raises(JitError):
        found()
    assert type(found.__call__) is entry_type()
    return found


@pytest.fixture(scope="module")
def mixed() -> JitProcedure:
    return checked_in_c(MIXED)


def good() -> Arguments:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y, out = np.zeros(7), np.zeros((), np.int16)
    return {"n": 3, "k": -1, "on": True, "s": 0.5, "d": 2.5, "i": -7, "x": x, "y": y, "out": out}


def outcome(call: Callable[..., None], arguments: Mapping[str, Any]) -> tuple[str, list[bytes]]:
    """The message, and what the arrays hold afterwards."""
    try:
        call(*arguments.values())
        said = "done"
    except (JitError, LookupError) as error:
        said = str(error)
    return said, [value.tobytes() for value in arguments.values() if isinstance(value, np.ndarray)]


def unaligned(array: Any) -> Any:
    raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    raw[...] = array
    return raw


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


class Three:
    def __index__(self) -> int:
        return 3


class Failing:
    def __index__(self) -> int:
        raise LookupError("not today")


def changes() -> Iterator[tuple[str, Callable[[Arguments], Any]]]:
    """One argument other than in `good`."""
    integers = [0, -1, 1, 4, 2**31 - 1, 2**31, 2**63, -(2**63), 10**400, True, np.bool_(True), np.int8(3), np.uint64(3)]
    integers += [Three(), Failing(), 3.0, "3", None, np.array(3)]
    for value in integers:
        for name in ("n", "k", "i"):
            yield name, lambda _, value=value: value
    for value in (False, np.bool_(False), 1, None, np.array(True)):
        yield "on", lambda _, value=value: value
    numbers = [1, 2**24 + 1, 2**53 + 1, 2**63, -(2**64), 10**300, 1e300, 1e39, 3.4028235677973366e38]
    numbers += [float("inf"), float("nan"), 1e-50, True, np.float32(0.1), np.float64(0.1), np.float16(1)]
    numbers += [Fraction(1, 2), "1", None, 1j, np.ones((1, 1), np.float32), np.ones(1), np.ones(2, np.float32)]
    numbers += [np.ones(0, np.float32), read_only(np.ones((), np.float32))]
    for number in numbers:
        yield "s", lambda _, number=number: number
        yield "d", lambda _, number=number: number
    for number in (32767, 32768, -32768, -32769, 1.0, np.int16(5), np.int32(5), np.array(5, np.int16), np.array(5)):
        yield "i", lambda _, number=number: number
    yield "out", lambda _: 5
    yield "out", lambda _: np.zeros((1, 1, 1), np.int16)
    for name in ("x", "y", "out"):
        yield name, lambda old, name=name: read_only(old[name])
        yield name, lambda old, name=name: unaligned(old[name])
        yield name, lambda old, name=name: old[name].astype(old[name].dtype.newbyteorder())
        yield name, lambda old, name=name: old[name].astype(np.float16)
        yield name, lambda old, name=name: old[name].tolist()
        yield name, lambda old, name=name: old[name][None]
        yield name, lambda old, name=name: np.ma.masked_array(old[name])
    yield "x", lambda old: np.asfortranarray(old["x"])
    yield "x", lambda old: old["x"][::-1, ::-1]
    yield "x", lambda old: np.zeros((9, 16), np.float32)[1::3, 2::4]
    yield "x", lambda old: np.zeros((3, 3), np.float32)
    yield "x", lambda old: np.zeros((3, 0), np.float32)
    yield "x", lambda old: np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (3, 4), (0, 4))
    yield "x", lambda old: np.zeros((3, 4), [("a", np.int16), ("x", np.float32)])["x"]
    yield "x", lambda old: np.asmatrix(old["x"])
    yield "x", lambda old: old["y"].view(np.float32)[:12].reshape(3, 4)
    yield "x", lambda old: np.zeros((3, 4), np.complex64).real
    yield "x", lambda old: old["x"].view(np.dtype(np.float32, metadata={"a": 1}))
    yield "y", lambda old: np.zeros(14)[::2]
    yield "y", lambda old: np.zeros(8)
    yield "y", lambda old: np.zeros((7, 1))


@pytest.mark.filterwarnings("ignore:overflow", "ignore:the matrix subclass")
def test_every_argument_is_judged_as_in_python(mixed: JitProcedure) -> None:
    said = []
    for number, (name, change) in enumerate(changes()):
        first, second = good(), good()
        first[name], second[name] = change(first), change(second)
        expected = outcome(mixed._slowly, first)
        assert outcome(mixed, second) == expected, (number, name, first[name])
        said.append(expected[0])
    assert 40 < said.count("done") < len(said) - 60


def test_arguments_by_name_and_wrong_numbers_of_them_are_as_in_python(mixed: JitProcedure) -> None:
    given = good()
    x = given["x"].copy()
    mixed(**given)
    mixed(*list(given.values())[:4], **dict(reversed(list(given.items())[4:])))
    np.testing.assert_array_equal(given["x"], x + 1)
    computed = {"".join(list(name)): value for name, value in given.items()}  # names that are not interned
    mixed(**computed)
    with pytest.raises(JitError, match="mixed lacks its argument out"):
        mixed(*list(given.values())[:-1])
    with pytest.raises(JitError, match="mixed takes 9 arguments"):
        mixed(*given.values(), 1)
    with pytest.raises(JitError, match="mixed got n twice"):
        mixed(*list(given.values())[:-1], n=1)
    with pytest.raises(JitError, match="mixed has no argument z"):
        mixed(*list(given.values())[:-1], z=1)


def test_windows_that_lie_between_each_others_rows_are_apart() -> None:
    copy = checked_in_c(
        kernels.parse("""
def copy(n: size, x: [f32][n, n], y: [f32][n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            y[i, j] = x[i, j]
""")
    )
    both = np.arange(32, dtype=np.float32).reshape(4, 8)
    copy(4, both[:, :4], both[:, 4:])
    np.testing.assert_array_equal(both[:, 4:], both[:, :4])
    with pytest.raises(JitError, match="copy: arguments x and y must not overlap"):
        copy(4, both[:, :4], both[:, 3:7])


@drawn(st.integers(1, 300), st.integers(1, 300), st.integers(-1, 1), st.integers(0, 2))
def test_extents_are_computed_as_in_python(n: int, m: int, more: int, dim: int) -> None:
    formals = EXTENTS.args
    typ = formals[2].type
    assert isinstance(typ, TensorType)
    shape = [evaluate(extent, {formals[0].name: n, formals[1].name: m}) for extent in typ.shape]
    shape[dim] += more
    passed_on: list[Any] = []
    made = make_entry(calling.formals(EXTENTS), STUB, lambda *given: passed_on.append(given), lambda *_: None, False)
    assert made is not None
    made(n, m, np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), shape, (0, 0, 0)), np.zeros((), np.float32))
    assert (passed_on == []) is (more == 0)


def test_calls_from_several_threads_run_beside_each_other(mixed: JitProcedure) -> None:
    def work(_: int) -> bool:
        given = good()
        for _ in range(200):
            mixed(*given.values())
        return bool((given["x"] == good()["x"] + 100).all())

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_what_a_procedure_finds_wrong_while_it_runs_is_said() -> None:
    with pytest.raises(JitError, match="checked: <string>:6: check failed: 0 <= k and k < n"):
        checked_in_c(kernels.CHECKED)(4, 4, np.zeros(4, np.float32))
    with pytest.raises(JitError, match="tiles: the assertion `n % 4 == 0` must hold"):
        checked_in_c(kernels.TILES)(3, np.zeros((3, 64), np.float32), np.zeros((3, 64), np.float32), 1.0)


def test_without_the_headers_of_python_calls_are_checked_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.VARIABLE, "Python.h")
    entry_type.cache_clear()
    try:
        scale = jit(kernels.SCALE)
        x = np.ones((2, 4), np.float32)
        scale(2, 0, x, 3.0, True)
        assert scale.__call__ == scale._slowly
        assert x.max() == 3
    finally:
        monkeypatch.undo()
        entry_type.cache_clear()


def test_a_procedure_with_very_many_arguments_is_called_through_python() -> None:
    formals = ", ".join(f"x{i}: f32" for i in range(70))
    many = jit(kernels.parse(f"def many({formals}, out: f32):\n    out = x0 + x69\n"))
    out = np.zeros((), np.float32)
    many(*range(70), out)
    assert out == 69 and many.__call__ == many._slowly


def test_callables_are_freed_with_the_last_reference_to_them() -> None:
    def alive() -> int:
        gc.collect()
        return sum(isinstance(each, JitProcedure) or type(each) is entry_type() for each in gc.get_objects())

    gc.freeze()  # objects of other tests, of which there may be millions
    try:
        before, x = alive(), np.ones((2, 4), np.float32)
        references = sys.getrefcount(x)
        for _ in range(3):
            scale = jit(kernels.SCALE)
            for _ in range(5):
                scale(2, 0, x, 1.0, True)
            assert alive() > before
            with pytest.raises(JitError):
                scale(2, 0, x, "one", True)
            del scale
        assert alive() == before
        assert sys.getrefcount(x) == references
    finally:
        gc.unfreeze()
