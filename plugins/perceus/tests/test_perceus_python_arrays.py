"""NumPy arrays as arguments and results of @fun: without a copy where nobody can tell, and never with two owners."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest
from programs_arrays import (
    Refused,
    added,
    cell,
    content,
    first_set,
    in_thread,
    inner,
    kept,
    looked_at,
    refused,
    running,
    same,
    step,
    twice,
)

from usl_perceus import PerceusError, live_blocks
from usl_perceus.ir import Program
from usl_perceus.passes import compile_program
from usl_perceus.python.call import _may_keep

MANY = 5000


@pytest.fixture(autouse=True)
def _nothing_is_left():
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()
    assert live_blocks() == before


def ramp(count: int = MANY) -> np.ndarray:
    return np.arange(count, dtype=np.float64)


def test_a_result_is_a_view_of_the_block_and_frees_it_with_its_last_view():
    before = live_blocks()
    result = added(2.0, ramp(), ramp())
    assert result.base is not None
    assert result.flags.writeable
    assert live_blocks() == before + 1
    part = result[10:20]
    del result
    gc.collect()
    assert live_blocks() == before + 1
    part[0] = 1.0
    assert part.tolist() == [1.0, *(3.0 * i for i in range(11, 20))]
    del part
    gc.collect()
    assert live_blocks() == before


def test_arguments_are_as_they_were():
    x, y = ramp(), ramp()
    x.flags.writeable = False
    result = added(1.0, x, y)
    assert result.tolist() == (2 * ramp()).tolist()
    assert y.tolist() == ramp().tolist()
    assert added(1.0, x, x).tolist() == result.tolist()
    assert first_set(y, y) == 7.0
    assert y[0] == 0.0


def test_a_result_that_is_an_argument_is_an_array_of_its_own():
    x = ramp()
    result = same(x)
    result[0] = 5.0
    assert x[0] == 0.0
    again = same(result)
    again[1] = 6.0
    assert result[1] == 1.0


def test_two_results_that_are_one_array_are_two():
    first, second = twice(ramp())
    first[0] = 5.0
    assert second[0] == 0.0


def test_what_a_program_keeps_does_not_change_with_the_argument():
    x = ramp()
    value, box = kept(x), cell(x)
    x[2] = 100.0
    assert looked_at(value) == 2.0
    assert content(box)[2] == 2.0
    del x
    gc.collect()
    assert looked_at(value) == 2.0


def test_an_array_in_a_cell_is_changed_in_place():
    box = cell(np.zeros(MANY))
    for _ in range(3):
        step(box, ramp())
    assert content(box).tolist() == (3 * ramp()).tolist()
    assert step.explain() == "nothing is allocated"


@pytest.mark.parametrize(
    "given",
    [
        np.arange(MANY * 2.0).reshape(MANY, 2).T,
        np.asfortranarray(np.arange(MANY * 2.0).reshape(2, MANY)),
        np.arange(MANY * 4.0)[::2],
        np.arange(MANY * 2.0, dtype=np.float32),
        np.arange(MANY * 2),
        np.arange(MANY * 2.0).astype(">f8"),
        np.arange(MANY * 2.0).reshape(5, 2, -1),
        np.arange(MANY * 2.0).tolist(),
    ],
    ids=["transposed", "fortran", "strided", "float32", "integers", "big-endian", "rank 3", "list"],
)
def test_arrays_of_any_rank_and_order_are_taken_row_by_row(given):
    assert same(given).tolist() == np.asarray(given, dtype=np.float64).ravel().tolist()


@pytest.mark.parametrize("given", [[[1.0, 2.0], [3.0]], 3.0, "text", np.zeros(MANY, complex), None], ids=str)
def test_what_is_no_array_of_numbers_is_refused_and_nothing_leaks(given):
    with pytest.raises(PerceusError, match="argument 3 of added: expected an array of float64"):
        added(1.0, ramp(), given)


def test_nothing_leaks_when_the_program_raises():
    with pytest.raises(Refused):
        refused(ramp(), ramp() + 1)
    with pytest.raises(ValueError, match="the length of y is not n"):
        added(1.0, ramp(), ramp(MANY + 1))


def test_small_and_empty_arrays_are_copied():
    result = same(np.arange(3.0))
    assert result.tolist() == [0.0, 1.0, 2.0]
    assert live_blocks() == 0 or result.base is None
    assert same(np.empty((0, 4))).shape == (0,)


def test_kernels_return_scalars():
    assert inner(ramp(), ramp()) == float(ramp() @ ramp())
    last, sums_so_far = running([[1.0, 9.0], [2.0, 9.0], [4.0, 9.0]], 3)
    assert (last, sums_so_far.tolist()) == (7.0, [1.0, 3.0, 7.0])


def test_programs_with_threads_get_copies():
    assert in_thread(ramp()) == ramp().sum()

    def compiled(function) -> Program:
        return compile_program(function.core().program)

    assert _may_keep(compiled(in_thread))
    assert not _may_keep(compiled(added))


INTERRUPTED = """
from __future__ import annotations
import os, signal, threading, time
import numpy as np
from usl_perceus import data, fun, live_blocks

@data
class L:
    N: ()
    C: (i64, "L")

@fun
def turns(x: array[f64], n: i64, i: i64) -> L:
    return C(i + i64(x[0]), C(1, N)) if n == 0 else turns(x, n - 1, (i * 5 + n) % 1013)

x = np.ones(5000)
turns(x, 1, 1)
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts with `&` ignores it
threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    turns(x, 400_000_000, 1)
    print("it ended")
except KeyboardInterrupt:
    pass
del x
while True:
    time.sleep(0.05)
    try:
        print(live_blocks())
        break
    except RuntimeError:
        pass
"""


def test_an_interrupted_call_gives_back_what_it_was_lent_and_what_it_made(tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=100)
    assert (done.stdout, done.returncode) == ("0\n", 0), done.stderr
