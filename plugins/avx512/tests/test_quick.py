"""Calls checked in C are those of the functions in Python: the same results, the same errors, and plain ones without Python."""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from avx512_build import require

from usl_avx512 import kernels
from usl_avx512.kernels import quick

ROUTINES = {name: getattr(kernels, name) for name in kernels.__all__ if hasattr(getattr(kernels, name), "__wrapped__")}
OF_NETWORKS = {
    **dict.fromkeys(("softmax", "log_softmax", "cumsum", "silu", "sigmoid", "gelu", "gelu_tanh"), ("rows", {"out": "rows"})),
    **dict.fromkeys(("row_sums", "row_maxima", "argmax"), ("rows", {})),
    "layer_norm": ("rows columns columns", {"eps": "number", "out": "rows"}),
    "rms_norm": ("rows columns", {"eps": "number", "out": "rows"}),
    "cross_entropy": ("rows target", {}),
    "compress": ("keep vector", {}),
    **dict.fromkeys(
        ("max_pool2d", "avg_pool2d"),
        ("images two", {"stride": "stride", "padding": "padding", "channels_last": "option", "out": "pooled"}),
    ),
    "attention": ("queries keys keys", {"causal": "option", "scale": "number", "out": "queries"}),
}
SHORT = {
    "gemm_u8s8s32": (np.uint8, np.int8, np.int32),
    "gemm_s8s8s32": (np.int8, np.int8, np.int32),
    "gemm_s16s16s32": (np.int16, np.int16, np.int32),
    "gemm_bf16": (np.uint16, np.uint16, np.float32),
}
MATRICES = {"A", "B", "C"}
OPTIONS = {"trans", "transA", "transB", "lower", "unit", "right"}
NUMBERS = {"alpha", "beta", "c", "s"}


@pytest.fixture(autouse=True, scope="module")
def _needs_the_processor(one_library: None) -> None:
    require("native")
    if quick._entry_type() is None:
        pytest.skip("the headers of Python or NumPy are not installed")


class Arguments:
    """Arguments of a routine: plain ones, or with a share of all that can be odd about them."""

    def __init__(self, name: str, seed: int, odd: float) -> None:
        self.random, self.odd = random.Random(f"{name} {seed}"), odd
        single = name in OF_NETWORKS or name in SHORT or name.startswith(("s", "isa"))
        self.dtype: Any = np.float32 if single else np.float64
        self.n = self.random.choice((1, 2, 3, 5))
        self.batch = self.random.choice((1, 3)) if "batch" in name else 0
        if name in SHORT:
            self.values, self.named = [self.of_short(each, place) for place, each in enumerate(SHORT[name])], {}
        elif name in OF_NETWORKS:
            by_position, by_name = OF_NETWORKS[name]
            self.values = [self.of_network(each) for each in by_position.split()]
            self.named = {key: self.of_network(each) for key, each in by_name.items() if self.random.random() < 0.5}
        else:
            parameters = inspect.signature(ROUTINES[name]).parameters.values()
            self.values = [self.of_blas(each.name) for each in parameters if each.default is each.empty]
            optional = [each.name for each in parameters if each.default is not each.empty]
            self.named = {each: self.of_blas(each) for each in optional if self.random.random() < 0.5}
        if self.is_odd() and self.values:
            self.values.pop()
        if self.is_odd():
            self.named["unknown"] = 1
        if self.is_odd():
            self.shared()

    def is_odd(self) -> bool:
        return self.random.random() < self.odd

    def of_blas(self, name: str) -> Any:
        if name in OPTIONS:
            return self.random.choice((1, "N", None, np.True_)) if self.is_odd() else self.random.random() < 0.5
        if name in NUMBERS:
            return self.number()
        if name == "threads":
            return self.random.choice((0, True, "1", -(10**30))) if self.is_odd() else self.random.choice((1, 2, None, 10**30))
        matrix = (self.batch, self.n, self.n) if self.batch else (self.n, self.n)
        return self.array(matrix if name in MATRICES else (self.n,))

    def of_short(self, dtype: Any, place: int) -> Any:
        """A, B or C of a product of short types; B is packed but for odd ones."""
        self.dtype, plain = dtype, self.odd
        self.odd = plain if place != 1 else 0
        array = self.array((self.n, self.n)) if place != 1 else np.ascontiguousarray(self.array((self.n, self.n)))
        self.odd = plain
        if place != 1 or self.is_odd():
            return array
        other = {np.int8: np.int16}.get(dtype, np.int8)
        return kernels.Packed(array.astype(other) if self.is_odd() else array)

    def of_network(self, what: str) -> Any:
        if what == "number":
            return self.number()
        if what in ("two", "stride", "padding", "option"):
            strange = (1, None, np.int64(2), 2.0, "2", 10**30, -1) if what != "option" else (1, "yes", None, np.True_)
            return self.random.choice(strange) if self.is_odd() else {"two": 2, "stride": 2, "padding": 0, "option": True}[what]
        array = self.array(
            {
                "rows": (3, self.n),
                "target": (3,),
                "images": (2, 4, 6, 5),
                "pooled": (2, 2, 3, 5),
                "queries": (2, 1, self.n),
                "keys": (2, 3, self.n),
            }.get(what, (self.n,))
        )
        if what == "target" and isinstance(array, np.ndarray) and array.dtype == np.float32:
            return np.full(array.shape, self.random.choice((-1, self.n)) if self.is_odd() else self.n - 1)
        return array > 0 if what == "keep" and isinstance(array, np.ndarray) and not self.is_odd() else array

    def number(self) -> Any:
        strange = (1e300, -1e39, float("inf"), float("nan"), 10**400, 2**63, "1", None, np.float32(2), True)
        return self.random.choice(strange) if self.is_odd() else self.random.choice((0.0, 1.0, -2.5, 3, 0, 1))

    def array(self, shape: tuple[int, ...]) -> Any:
        if self.is_odd():
            shape = tuple(self.random.choice((extent, 0, extent + 1)) for extent in shape)
        if self.is_odd():
            shape = self.random.choice((shape[1:], (2, *shape)))
        least = 0 if np.dtype(self.dtype).kind == "u" else -4
        values = np.array([self.random.randint(least, 4) for _ in range(int(np.prod(shape)))], self.dtype).reshape(shape)
        if self.is_odd():
            other = np.float64 if self.dtype is np.float32 else np.float32
            values = values.astype(self.random.choice((other, np.int32, values.dtype.newbyteorder())))
        if values.ndim == 0:
            return values
        layout = self.random.choice(("dense", "dense", "apart", "backwards", "columns", "part"))
        match layout if self.is_odd() or self.random.random() < 0.3 else "dense":
            case "apart":
                values = np.repeat(values, 2, axis=-1)[..., ::2]
            case "backwards":
                values = values[::-1].copy()[::-1] if values.ndim else values
            case "columns":
                values = np.array(values.T).T
            case "part":
                values = np.pad(values, 1)[(slice(1, -1),) * values.ndim]
        if self.is_odd():
            values.flags.writeable = False
        if self.is_odd():
            strange = (values.tolist(), None, np.ma.masked_array(values), values.view(np.matrix) if values.ndim == 2 else 3)
            return self.random.choice(strange)
        return values

    def shared(self) -> None:
        """What is written shares memory with what is read."""
        arrays = [each for each in self.values if type(each) is np.ndarray]
        if len(arrays) > 1 and "out" not in self.named:
            self.values[-1] = arrays[0]
        elif "out" in self.named:
            self.named["out"] = arrays[0] if arrays else None


def outcome(function: Callable[..., Any], arguments: Arguments) -> Any:
    """What a call gives, as text: its result or error, and the arguments afterwards."""
    try:
        with np.errstate(all="ignore"):
            found: Any = function(*arguments.values, **arguments.named)
    except Exception as error:
        found = (type(error), str(error))
    kind = getattr(found, "dtype", type(found))
    return (
        kind,
        np.shape(found),
        repr(np.asarray(found).tolist() if isinstance(found, np.ndarray) else found),
        repr([np.asarray(each).tolist() if isinstance(each, np.ndarray) else str(each) for each in arguments.values]),
    )


@pytest.mark.parametrize("name", ROUTINES)
def test_results_and_errors_are_those_of_python(name: str) -> None:
    routine = ROUTINES[name]
    outcome(routine, Arguments(name, 0, 0))  # the first call is Python's
    for seed in range(150):
        odd = (0.0, 0.02, 0.1)[seed % 3]
        arguments, again = Arguments(name, seed, odd), Arguments(name, seed, odd)
        assert outcome(routine, arguments) == outcome(routine.__wrapped__, again), (arguments.values, arguments.named)


@pytest.mark.parametrize("name", ROUTINES)
def test_plain_calls_do_without_python(name: str) -> None:
    routine, calls = ROUTINES[name], []
    for seed in range(10):
        arguments = Arguments(name, seed, 0)
        if any(not each.flags.c_contiguous for each in arguments.values if isinstance(each, np.ndarray)):
            continue
        routine(*arguments.values)
        sys.setprofile(lambda frame, event, _: calls.append(frame.f_code) if event == "call" else None)
        try:
            routine(*arguments.values)
        finally:
            sys.setprofile(None)
    assert calls
    assert routine.__wrapped__.__code__ not in calls


def test_what_a_status_stands_for_is_raised() -> None:
    x = np.ones(4, np.float32)
    kernels.saxpy(1.0, x, x.copy())
    with pytest.raises(ValueError, match="y shares memory with another argument"):
        kernels.saxpy(1.0, x, x)
