"""mvin and mvout on the simulator against NumPy, for each dimension."""

from __future__ import annotations

import gemmini_model as model
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from usl_gemmini.trace import trace_of
from usl_gemmini.words import ACC, ACC_ADD, ACC_FULL, command

SCALES = st.sampled_from([1.0, 0.5, 0.25, 1.5, 0.037, 0.0, 3e38, 1e-40]) | st.floats(0, 4, width=32)
SEEDS = st.integers(0, 2**32 - 1)


def address(array):
    return array.ctypes.data


def bytes_of(seed, *shape):
    return np.random.default_rng(seed).integers(-128, 128, shape, np.int8)


def words_of(seed, *shape):
    """int32 of all magnitudes, the extremes among them."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-(2**31), 2**31, shape, np.int64) >> rng.integers(0, 32, shape)
    return np.where(rng.random(shape) < 0.02, rng.choice([-(2**31), 2**31 - 1, 2**24 + 1]), values).astype(np.int32)


def start(sim):
    sim.reset()
    return sim.params.dim


@settings(max_examples=25)
@given(st.data(), SEEDS, SCALES)
def test_mvin_brings_rows_of_int8_in_blocks(sim, data, seed, scale):
    dim = start(sim)
    rows, cols = data.draw(st.integers(1, dim)), data.draw(st.integers(1, sim.params.max_bytes))
    block_stride, channel = data.draw(st.integers(rows, 3 * dim)), data.draw(st.integers(0, 2))
    blocks = -(-cols // dim)
    span = (blocks - 1) * block_stride + rows
    row = data.draw(st.integers(0, sim.params.sp_rows - span))
    source = bytes_of(seed, rows, cols + data.draw(st.integers(0, 9)))
    name = ["mvin", "mvin2", "mvin3"][channel]
    sim.run(
        trace_of(
            [
                command("config_ld", id=channel, stride=source.strides[0], scale=scale, block_stride=block_stride),
                command(name, dram=address(source), local=row, cols=cols, rows=rows),
            ]
        )
    )
    got, expected = sim.local(row, span), np.ma.masked_all((span, dim), np.int8)
    for b in range(blocks):
        part = model.rounded(source[:, b * dim : min(cols, (b + 1) * dim)], scale)
        expected[b * block_stride : b * block_stride + rows, : part.shape[1]] = part
    assert (got.mask == expected.mask).all()
    assert (got == expected).all()


@settings(max_examples=25)
@given(st.data(), SEEDS, SCALES, st.booleans(), st.booleans())
def test_mvin_to_the_accumulator_overwrites_or_adds(sim, data, seed, scale, shrunk, repeated):
    dim = start(sim)
    rows, cols = data.draw(st.integers(1, dim)), data.draw(st.integers(1, dim))
    first = words_of(seed, dim, dim)
    second = bytes_of(seed, rows, cols) if shrunk else words_of(seed + 1, rows, cols)
    sim.run(
        trace_of(
            [
                command("config_ld", stride=first.strides[0], block_stride=dim),
                command("mvin", dram=address(first), local=ACC + dim, cols=dim, rows=dim),
                command(
                    "config_ld",
                    id=1,
                    stride=0 if repeated else second.strides[0],
                    scale=scale,
                    shrunk=int(shrunk),
                    block_stride=dim,
                ),
                command("mvin2", dram=address(second), local=ACC_ADD + dim, cols=cols, rows=rows),
                command("mvin2", dram=0, local=ACC_ADD + dim, cols=cols, rows=rows),
            ]
        )
    )
    added = np.broadcast_to(second[:1], second.shape) if repeated else second
    expected = first.astype(np.int64)
    expected[:rows, :cols] += model.rounded(added, scale) if shrunk else added
    assert (sim.local(ACC + dim, dim) == model.wrapped(expected)).all()


@settings(max_examples=25)
@given(st.data())
def test_a_null_pointer_fills_with_zeros_and_leaves_the_rest(sim, data):
    dim = start(sim)
    rows, cols = data.draw(st.integers(1, dim)), data.draw(st.integers(1, sim.params.max_bytes))
    acc = data.draw(st.booleans())
    blocks = -(-cols // dim)
    ones = np.ones((dim, dim), np.int32 if acc else np.int8)
    fill = [command("mvin", dram=address(ones), local=acc * ACC + b * dim, cols=dim, rows=dim) for b in range(blocks)]
    config = command("config_ld", stride=ones.strides[0], scale=1.0, block_stride=dim)
    sim.run(trace_of([config, *fill, command("mvin", dram=0, local=acc * ACC, cols=cols, rows=rows)]))
    expected = np.ones((blocks, dim, dim))
    for b in range(blocks):
        expected[b, :rows, : cols - b * dim] = 0
    assert (sim.local(acc * ACC, blocks * dim) == expected.reshape(-1, dim)).all()


@settings(max_examples=25)
@given(st.data(), SEEDS, SCALES, st.booleans(), st.booleans())
def test_mvout_scales_rounds_saturates_and_activates(sim, data, seed, scale, relu, full):
    dim = start(sim)
    blocks = 1 if full else data.draw(st.integers(1, sim.params.max_bytes // dim))
    rows, cols = data.draw(st.integers(1, dim)), data.draw(st.integers((blocks - 1) * dim + 1, blocks * dim))
    sums = words_of(seed, blocks, dim, dim)
    out = np.full((dim, cols + 3), 77, np.int32 if full else np.int8)
    loads = [command("mvin", dram=address(sums[b]), local=ACC + b * dim, cols=dim, rows=dim) for b in range(blocks)]
    sim.run(
        trace_of(
            [
                command("config_ld", stride=4 * dim, block_stride=dim),
                *loads,
                command("config_st", stride=out.strides[0], activation=int(relu), scale=scale),
                command("mvout", dram=address(out), local=ACC_FULL if full else ACC, cols=cols, rows=rows),
                command("fence"),
            ]
        )
    )
    wide = sums.transpose(1, 0, 2).reshape(dim, -1)[:rows, :cols]
    expected = np.full_like(out, 77)
    expected[:rows, :cols] = wide if full else model.read_out(wide, scale, relu)
    sim.host_reads(out)
    assert (out == expected).all()


@settings(max_examples=25)
@given(st.data(), SEEDS)
def test_mvout_from_the_scratchpad_copies_whatever_scale_and_activation(sim, data, seed):
    dim = start(sim)
    rows, cols = data.draw(st.integers(1, dim)), data.draw(st.integers(1, dim))
    source, out = bytes_of(seed, dim, dim), np.zeros((dim, dim), np.int8)
    sim.run(
        trace_of(
            [
                command("config_ld", stride=dim, block_stride=dim),
                command("mvin", dram=address(source), local=5, cols=dim, rows=dim),
                command("config_st", stride=dim, activation=1, scale=0.25),
                command("mvout", dram=address(out), local=5, cols=cols, rows=rows),
            ]
        )
    )
    assert (out[:rows, :cols] == source[:rows, :cols]).all()
    assert not out[rows:].any()
    assert not out[:, cols:].any()


@settings(max_examples=25)
@given(st.data(), SEEDS, SCALES, st.booleans())
def test_mvout_pools(sim, data, seed, scale, relu):
    dim = start(sim)
    size, stride = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    up, left = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    rows, cols = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    out_rows, out_cols = (rows + up - 1) // stride + 1, (cols + left - 1) // stride + 1
    channels, out_dim = data.draw(st.integers(1, dim)), out_cols + data.draw(st.integers(0, 3))
    pixels = words_of(seed, rows * cols, dim)
    out = np.full((out_rows, out_dim, channels + 1), 77, np.int8)
    fill = (
        command("mvin", dram=address(pixels[at:]), local=ACC + at, cols=dim, rows=min(dim, rows * cols - at))
        for at in range(0, rows * cols, dim)
    )
    pool = {"pool_size": size, "pool_stride": stride, "upad": up, "lpad": left, "pool_out_dim": out_dim}
    counts = {"porows": out_rows, "pocols": out_cols, "orows": rows, "ocols": cols}
    sim.run(
        trace_of(
            [
                command("config_ld", stride=4 * dim, block_stride=dim),
                *fill,
                command("config_st", stride=channels + 1, activation=int(relu), scale=scale, **pool, **counts),
                command("mvout", dram=address(out), local=ACC, cols=channels, rows=0),
            ]
        )
    )
    source = pixels.reshape(rows, cols, dim)[:, :, :channels]
    expected = np.full_like(out, 77)
    expected[:, :out_cols, :channels] = model.pooled(source, scale, relu, size, stride, up, left, out_rows, out_cols)
    assert (out == expected).all()


def test_read_out_rounds_as_the_sheet_observed(chip):
    sums = np.array([[1, 3, 5, 7, -3, 253, 255, 1000]], np.int32)
    out = np.zeros((1, 8), np.int8)
    chip.run(
        trace_of(
            [
                command("config_ld", stride=64),
                command("mvin", dram=address(sums), local=ACC, cols=8, rows=1),
                command("config_st", stride=8, scale=0.5),
                command("mvout", dram=address(out), local=ACC, cols=8, rows=1),
            ]
        )
    )
    assert out.tolist() == [[0, 2, 2, 4, -2, 126, 127, 127]]
