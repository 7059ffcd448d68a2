"""Several procedures as callables of one library."""

from __future__ import annotations

import numpy as np
import pytest

from usl_c11.backend import C11
from usl_c11.batch import jit_all, missing_features
from usl_core import proc_from_source
from usl_core.errors import BackendError, JitError
from usl_core.plugins.hookspecs import BatchBackend


def procedures():
    texts = (
        "def one(x: f32[4]):\n    x[0] = 1.0\n",
        "def two(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] += 2.0\n",
    )
    return [proc_from_source(text).ir for text in texts]


def test_each_procedure_is_a_callable_of_one_library():
    found = jit_all(procedures(), "both")
    assert set(found) == {"one", "two"}
    assert found["one"].library == found["two"].library
    x = np.zeros(4, np.float32)
    found["one"](x)
    found["two"](2, x[::2])
    assert x.tolist() == [3.0, 0.0, 2.0, 0.0]


def test_bf16_is_passed_as_its_bits():
    text = "def shift(x: bf16[4], y: bf16[4]):\n    for i in seq(0, 3):\n        y[i] = x[i + 1]\n"
    found = jit_all([proc_from_source(text).ir], "shift")
    x, y = np.array([0x3F80, 0x4000, 0x7FC1, 0x8001], np.uint16), np.zeros(4, np.uint16)
    found["shift"](x, y)
    assert y.tolist() == [0x4000, 0x7FC1, 0x8001, 0]
    with pytest.raises(JitError, match="must be an array of uint16, not of float32"):
        found["shift"](x.astype(np.float32), y)


def test_flags_reach_the_compiler():
    with pytest.raises(JitError, match="failed on the C of both"):
        jit_all(procedures(), "both", flags=("-fno-such-flag",))


def test_names_must_differ():
    with pytest.raises(BackendError, match="two exported procedures are called one"):
        jit_all([procedures()[0], procedures()[0]], "both")


def test_missing_features_are_those_that_no_processor_has():
    assert missing_features(("nosuchfeature",)) == ("nosuchfeature",)
    assert missing_features(()) == ()


def test_the_backend_can_run_conformance_tests():
    assert isinstance(C11(), BatchBackend)
