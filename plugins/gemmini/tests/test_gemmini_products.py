"""preload and compute on the simulator against NumPy, for each dimension."""

from __future__ import annotations

import gemmini_model as model
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from usl_gemmini.trace import trace_of
from usl_gemmini.words import ACC, ACC_ADD, GARBAGE, command

SEEDS = st.integers(0, 2**32 - 1)


class Bench:
    """A chip with random blocks in the scratchpad: rows of A, B and D, far enough apart for any stride."""

    def __init__(self, sim, seed):
        sim.reset()
        self.sim, self.dim = sim, sim.params.dim
        rng = np.random.default_rng(seed)
        self.rows = rng.integers(-128, 128, (8 * self.dim, self.dim), np.int8)
        self.rows[rng.random(self.rows.shape) < 0.2] = -128
        self.sums = rng.integers(-(2**31), 2**31, (self.dim, self.dim), np.int64).astype(np.int32)
        self.commands = [command("config_ld", stride=self.dim, block_stride=self.dim)]
        self.commands += [command("config_ld", id=1, stride=4 * self.dim, block_stride=self.dim)]
        for at in range(0, 8 * self.dim, self.dim):
            source = self.rows[at : at + self.dim].ctypes.data
            self.add("mvin", dram=source, local=at, cols=self.dim, rows=self.dim)
        self.add("mvin2", dram=self.sums.ctypes.data, local=ACC, cols=self.dim, rows=self.dim)

    def add(self, name, **fields):
        self.commands.append(command(name, **fields))

    def run(self):
        self.sim.run(trace_of(self.commands))

    def block(self, row, rows, cols, stride=1, transposed=False):
        """A logical operand at row, the rest zeros."""
        stored = self.rows[row::stride]
        stored = stored[: min(len(stored), self.dim)]
        full = np.zeros((self.dim, self.dim), np.int64)
        full[: len(stored)] = stored
        return model.block(full.T if transposed else full, rows, cols, self.dim)


def sizes(data, dim):
    return [data.draw(st.integers(1, dim), label=name) for name in "mkn"]


@settings(max_examples=25)
@given(st.data(), SEEDS, st.sampled_from([(0, 0), (0, 1), (1, 0)]), st.booleans(), st.booleans())
def test_weight_stationary_products_go_to_the_accumulator(sim, data, seed, transposes, accumulates, biased):
    bench = Bench(sim, seed)
    dim = bench.dim
    m, k, n = sizes(data, dim)
    a_t, b_t = transposes
    a_stride, c_stride = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    c_stride = 1 if accumulates else c_stride
    c_rows, c_cols = data.draw(st.integers(1, m)), data.draw(st.integers(1, dim))
    bench.add("config_ex", dataflow=1, a_transpose=a_t, b_transpose=b_t, a_stride=a_stride, c_stride=c_stride)
    to = ACC_ADD if accumulates else ACC + dim
    bench.add("preload", bd=2 * dim, bd_rows=k, bd_cols=n, c=to, c_rows=c_rows, c_cols=c_cols)
    d = 3 * dim if biased else GARBAGE
    bench.add("compute_preloaded", a=0, a_rows=m, a_cols=k, bd=d, bd_rows=m, bd_cols=c_cols)
    bench.run()
    left = bench.block(0, m, k, a_stride, bool(a_t))
    expected = left @ bench.block(2 * dim, k, n, 1, bool(b_t))
    if biased:
        expected += bench.block(3 * dim, m, c_cols)
    got = sim.local(ACC if accumulates else ACC + dim, dim)
    if accumulates:
        whole = bench.sums.astype(np.int64)
        whole[:c_rows, :c_cols] += expected[:c_rows, :c_cols]
        assert (got == model.wrapped(whole)).all()
    else:
        got = sim.local(ACC + dim, c_stride * dim)[::c_stride]
        assert (got[:c_rows, :c_cols] == expected[:c_rows, :c_cols]).all()
        assert got.count() == c_rows * c_cols


@settings(max_examples=25)
@given(st.data(), SEEDS, st.booleans())
def test_weights_stay_for_further_products(sim, data, seed, zeroed):
    bench = Bench(sim, seed)
    dim = bench.dim
    m, k, n = sizes(data, dim)
    bench.add("config_ex", dataflow=1)
    bench.add("preload", bd=dim, bd_rows=k, bd_cols=n, c=ACC + dim, c_rows=m, c_cols=n)
    bench.add("compute_preloaded", a=0, a_rows=m, a_cols=k, bd=GARBAGE)
    bench.add("preload", bd=GARBAGE, c=ACC + 2 * dim, c_rows=m, c_cols=n)
    bench.add("compute_preloaded" if zeroed else "compute_accumulated", a=2 * dim, a_rows=m, a_cols=k, bd=GARBAGE)
    bench.run()
    weights = bench.block(dim, k, n)
    assert (sim.local(ACC + dim, m)[:, :n] == (bench.block(0, m, k) @ weights)[:m, :n]).all()
    again = np.zeros((dim, dim)) if zeroed else bench.block(2 * dim, m, k) @ weights
    assert (sim.local(ACC + 2 * dim, m)[:, :n] == again[:m, :n]).all()


@settings(max_examples=25)
@given(st.data(), SEEDS, st.booleans(), st.integers(0, 20), st.sampled_from([(0, 0), (1, 0), (1, 1)]))
def test_output_stationary_sums_stay_in_the_array(sim, data, seed, relu, shift, transposes):
    bench = Bench(sim, seed)
    dim = bench.dim
    m, k, n = sizes(data, dim)
    a_t, b_t = transposes
    to_acc = data.draw(st.booleans())
    shift = 0 if to_acc else shift
    fields = {"a_transpose": a_t, "b_transpose": b_t, "in_shift": shift, "activation": int(relu)}
    bench.add("config_ex", dataflow=0, **fields)
    biased = data.draw(st.booleans())
    bench.add("preload", bd=4 * dim if biased else GARBAGE, bd_rows=m, bd_cols=n, c=GARBAGE)
    bench.add("compute_preloaded", a=0, a_rows=m, a_cols=k, bd=dim, bd_rows=k, bd_cols=n)
    to = ACC + dim if to_acc else 9 * dim
    bench.add("preload", bd=GARBAGE, c=to, c_rows=m, c_cols=n)
    bench.add("compute_accumulated", a=2 * dim, a_rows=m, a_cols=k, bd=3 * dim, bd_rows=k, bd_cols=n)
    sums = bench.block(4 * dim, m, n) if biased else np.zeros((dim, dim), np.int64)
    sums = sums + bench.block(0, m, k, 1, bool(a_t)) @ bench.block(dim, k, n, 1, bool(b_t))
    sums = sums + bench.block(2 * dim, m, k, 1, bool(a_t)) @ bench.block(3 * dim, k, n, 1, bool(b_t))
    limit = 1 << (sim.params.sum_bits - 1)
    if to_acc and not ((sums[:m, :n] >= -limit) & (sums[:m, :n] < limit)).all():
        return  # refused, see test_gemmini_refusals
    bench.run()
    if to_acc:
        assert (sim.local(to, m)[:, :n] == sums[:m, :n]).all()
        return
    small = model.shifted(sums, shift)
    assert (sim.local(to, m)[:, :n] == (np.maximum(small, 0) if relu else small)[:m, :n]).all()


@settings(max_examples=25)
@given(st.data(), SEEDS, st.booleans())
def test_weight_stationary_results_in_the_scratchpad_saturate(sim, data, seed, relu):
    bench = Bench(sim, seed)
    dim = bench.dim
    m, k, n = sizes(data, dim)
    bench.add("config_ex", dataflow=1, activation=int(relu), in_shift=3)
    bench.add("preload", bd=dim, bd_rows=k, bd_cols=n, c=9 * dim, c_rows=m, c_cols=n)
    bench.add("compute_preloaded", a=0, a_rows=m, a_cols=k, bd=GARBAGE)
    bench.run()
    expected = np.clip(bench.block(0, m, k) @ bench.block(dim, k, n), 0 if relu else -128, 127)
    assert (sim.local(9 * dim, m)[:, :n] == expected[:m, :n]).all()


def test_only_the_strides_can_be_set(chip):
    bench = Bench(chip, 1)
    bench.add("config_ex", dataflow=1)
    bench.add("config_ex", dataflow=0, a_stride=2, c_stride=1, set_only_strides=1)
    bench.add("preload", bd=64, bd_rows=16, bd_cols=16, c=ACC, c_rows=16, c_cols=16)
    bench.add("compute_preloaded", a=0, a_rows=16, a_cols=16, bd=GARBAGE)
    bench.run()
    assert (chip.local(ACC, 16) == bench.block(0, 16, 16, 2) @ bench.block(64, 16, 16)).all()
