"""The programs of `examples/arrays`: compiled, and under their schedules, they give what NumPy or the interpreter gives."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import usl_core.schedules
from examples.arrays import (
    black_scholes,
    cfd,
    fig7,
    filtered,
    floyd,
    hotspot,
    interest,
    kmeans,
    locvol,
    mandelbrot,
    matmul,
    myocyte,
    nbody,
    nn,
    options,
    scanned,
    sobol,
    tridag,
)
from usl_perceus import live_blocks
from usl_soac import SoacError, schedules

rng = np.random.default_rng(3)


def f32(*shape: int, low: float = 0, high: float = 1) -> np.ndarray:
    return rng.uniform(low, high, shape).astype(np.float32)


CHIP = (f32(5, 19, low=323, high=341), f32(5, 19), 3, 0.5, 0.1, 0.1, 0.01)
SYSTEMS = (f32(18, 5, low=-1), f32(18, 5, low=3, high=4), f32(18, 5, low=-1), f32(18, 5, low=-1))

RUNS = [
    (matmul.matmul, (f32(3, 4), f32(4, 5))),
    (floyd.floyd, (f32(5, 5),)),
    (fig7.every, (f32(2, 3, 4),)),
    (fig7.fifth, (f32(6, 3, 4),)),
    (sobol.sobol, (9, options.directions())),
    (black_scholes.black_scholes, (f32(5, low=5, high=30), f32(5, low=1, high=100), f32(5, low=0.25, high=10), 0.02, 0.3)),
    (mandelbrot.mandelbrot, (37, 5, 20)),
    (filtered.positive, (f32(9, low=-1),)),
    (scanned.sums, (f32(9),)),
    (nbody.accelerations, tuple(f32(5) for _ in range(4))),
    (nn.nn, (f32(30), f32(30), 0.5, 0.5, 4)),
]


def same(found: object, expected: object) -> None:
    if isinstance(expected, tuple):
        for a, b in zip(found, expected, strict=True):
            same(a, b)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(("function", "args"), RUNS, ids=lambda each: each.name() if hasattr(each, "name") else "")
def test_programs_give_what_the_interpreter_gives(function, args):
    same(function(*args), function.interpret(*args))


def test_the_price_of_an_option_is_one_kernel_without_an_array_of_paths():
    data = options.asian_data(1.0, 0.05, 0.2, 100.0, 95.0, n=50)
    assert list(options.asian.kernels) == ["asian.k0"]
    assert [each.bytes for each in options.asian.allocations()] == ["4 * 1"]
    picture = options.asian.show("fusion")
    assert "walk = map: computed where it is read" in picture
    assert "normals = map: a loop" in picture
    tuned = options.tuned(options.asian)
    expected = options.asian.interpret(*data)
    same(options.asian(*data), expected)
    same(tuned(*data), expected)
    if schedules.has_vectors():
        assert "mm512_log_ps" in str(tuned.kernels["asian.k0"])


def test_prices_of_options_are_right():
    """Of paths to a date the price in closed form; the average over dates costs less."""
    data = options.asian_data(1.0, 0.05, 0.2, 100.0, 100.0, n=1 << 14)
    last = (data[0], data[1], data[2][-1:].repeat(8, 0), data[3][-1:].repeat(8), *data[4:])
    european = options.european(100, 100, 1.0, 0.05, 0.2)
    assert abs(options.asian(*last) * np.exp(-0.05) - european) < 0.01
    assert options.asian(*data) < european


def test_the_bridge_is_a_walk():
    path = options.asian_data(2.0, 0.0, 0.2, 100.0, 100.0, n=1)[2]
    times = np.arange(1, 9) / 4
    np.testing.assert_allclose(path @ path.T, np.minimum(times[:, None], times), atol=1e-6)


def test_heat_spreads_in_two_arrays_beside_the_argument_and_no_test_is_left_in_the_kernel():
    assert [each.depth for each in hotspot.hotspot.allocations()] == [0, 0]
    assert "bad" not in str(hotspot.hotspot.kernels["hotspot.k0"])
    expected = hotspot.hotspot.interpret(*CHIP)
    tuned = hotspot.tuned(hotspot.hotspot)
    for function in (hotspot.hotspot, tuned):
        same(function(*CHIP), expected)
    narrow = (CHIP[0][:, :2].copy(), CHIP[1][:, :2].copy(), *CHIP[2:])
    same(tuned(*narrow), hotspot.hotspot.interpret(*narrow))


def test_clusters_are_found():
    points = np.concatenate([f32(20, 3), f32(21, 3) + 5])
    expected = kmeans.kmeans.interpret(points, points[15:25], 4)
    tuned = kmeans.tuned(kmeans.kmeans)
    for function in (kmeans.kmeans, tuned):
        same(function(points, points[15:25], 4), expected)
    assert np.allclose(kmeans.kmeans(points, points[[0, 30]], 4), [points[:20].mean(0), points[20:].mean(0)], atol=1e-5)


def test_systems_are_solved_in_place_sixteen_at_once():
    expected = tridag.tridag.interpret(*SYSTEMS)
    for function in (tridag.tridag, tridag.tuned(tridag.tridag)):
        same(function(*SYSTEMS), expected)


def test_products_in_tiles_are_products():
    a, b = f32(13, 9), f32(9, 83)
    before = live_blocks()
    found = matmul.tuned(matmul.matmul)(a, b)
    np.testing.assert_allclose(found, a @ b, rtol=1e-5)
    del found
    assert live_blocks() == before


def test_the_schedule_for_all_kernels_says_which_targets_it_has():
    assert schedules.soac_default(floyd.floyd.kernels["floyd.k0"], target="c") is floyd.floyd.kernels["floyd.k0"]
    with pytest.raises(SoacError, match="no target 'gpu'; its targets: 'avx512', 'c'"):
        floyd.floyd.schedule(schedules.soac_default, target="gpu")
    assert usl_core.schedules.soac_default(floyd.floyd.kernels["floyd.k0"], target="c") is floyd.floyd.kernels["floyd.k0"]


def diffused(strikes, x, y, times, alpha, beta, nu):
    """`locvol` by dense systems in f64."""

    def differences(g):
        d = np.zeros((len(g), len(g)))
        for i in range(1, len(g) - 1):
            before, after = g[i] - g[i - 1], g[i + 1] - g[i]
            d[i, i - 1], d[i, i + 1] = 2 / (before * (before + after)), 2 / (after * (before + after))
            d[i, i] = -d[i, i - 1] - d[i, i + 1]
        return d

    strikes, x, y, times = (np.float64(each) for each in (strikes, x, y, times))
    n, m, half_y = len(x), len(y), 0.25 * nu**2
    dx, dy = differences(x), differences(y)
    variance = 0.25 * alpha**2 * np.exp(2 * (beta * np.log(x)[:, None] + y))
    found = []
    for strike in strikes:
        r = np.repeat(np.maximum(x - strike, 0)[:, None], m, 1)
        for k in reversed(range(len(times) - 1)):
            per, w = 1 / (times[k + 1] - times[k]), np.exp(-(nu**2) * times[k]) * variance
            along_y = half_y * (r @ dy.T)
            right = per * r + 2 * along_y + w * (dx @ r)
            half = np.stack([np.linalg.solve(per * np.eye(n) - w[:, [j]] * dx, right[:, j]) for j in range(m)], 1)
            r = np.linalg.solve(per * np.eye(m) - half_y * dy, (per * half - along_y).T).T
        found.append(r[n // 2, m // 2])
    return np.array(found)


def test_volatility_of_all_strikes_is_one_kernel_in_vectors_of_strikes():
    assert list(locvol.locvol.kernels) == ["locvol.k0", "locvol.k1", "locvol.k2", "locvol.k3"]
    assert [each.depth for each in locvol.locvol.allocations()] == [0] * 4
    data = locvol.locvol_data(19, 5, 6, 4)
    expected = diffused(*data)
    tuned = locvol.tuned(locvol.locvol)
    same(locvol.locvol(*data), expected)
    same(tuned(*data), expected)
    same(locvol.locvol.interpret(data[0][:2], *data[1:]), expected[:2])
    if schedules.has_vectors():
        assert "mm512_div_ps" in str(tuned.kernels["locvol.k3"])
    for narrow in (locvol.locvol_data(3, 1, 1, 2), locvol.locvol_data(2, 2, 3, 1), locvol.locvol_data(0, 3, 3, 3)):
        same(tuned(*narrow), diffused(*narrow))
    with pytest.raises(AssertionError, match="there are points"):
        tuned(*locvol.locvol_data(2, 0, 3, 3))


def test_interest_rates_are_calibrated_in_vectors_of_candidates():
    data = interest.interest_data(300, 20, 2)
    tuned = interest.tuned(interest.calibrated)
    n, c, rounds, numbers, path, level, strike, market, dt = data
    gray = np.arange(1, max(n, c * rounds) + 1, dtype=np.uint32)
    gray ^= gray >> np.uint32(1)
    bits = (gray[:, None] >> np.arange(32, dtype=np.uint32)) & 1
    uniform = (np.bitwise_xor.reduce(bits[:, None, :] * numbers[None], axis=2) >> np.uint32(9)) + 0.5
    uniform *= 2.0**-23
    normals = [[NormalDist().inv_cdf(each) for each in row] for row in uniform[:n]]
    dw = np.diff(np.array(normals) @ path.T, axis=1, prepend=0)
    a, sigma, least, width = 0.5, 0.02, np.inf, 1.0
    for r in range(rounds):
        box = 2 * uniform[r * c : (r + 1) * c] - 1
        tried = np.abs(a + 0.5 * width * box[:, 0]), np.abs(sigma + 0.02 * width * box[:, 1])
        rate, paid, errors = np.full((c, n), level[0], float), np.zeros((c, n)), np.zeros(c)
        for k in range(8):
            rate += tried[0][:, None] * (level[k] - rate) * dt + tried[1][:, None] * dw[:, k]
            paid += rate * dt
            errors += ((np.maximum(rate - strike[k], 0) * np.exp(-paid)).mean(1) * dt / market[k] - 1) ** 2
        at = errors.argmin()
        if errors[at] < least:
            a, sigma, least = tried[0][at], tried[1][at], errors[at]
        width /= 2
    for function in (interest.calibrated, tuned):
        np.testing.assert_allclose(function(*data), (a, sigma, least), rtol=2e-3)
    few = interest.interest_data(6, 3, 2)
    np.testing.assert_allclose(tuned(*few), interest.calibrated.interpret(*few), rtol=1e-4)
    assert [each.depth for each in interest.calibrated.allocations()].count(0) >= 3
    if schedules.has_vectors():
        assert all("mm512_" in str(tuned.kernels[f"calibrated.{name}"]) for name in ("k1", "k4"))


def streamed(d, x, y, z, e, near, normals, areas, far, steps):
    """`cfd` face by face, in f64."""
    state = np.array([d, x, y, z, e], float)

    def of(s):
        v = s[1:4] / s[0]
        p = 0.4 * (s[4] - 0.5 * s[0] * (v * v).sum(0))
        flows = np.array(
            [[s[k] * u + (p if k == axis + 1 else p * u if k == 4 else 0) for k in range(5)] for axis, u in enumerate(v)]
        )
        return flows, p, np.sqrt((v * v).sum(0)) + np.sqrt(1.4 * p / s[0])

    for _ in range(steps):
        old = state.copy()
        dt = 0.5 / (np.sqrt(areas) * of(old)[2])
        for stage in range(3):
            now, flux = state.copy(), np.zeros_like(state)
            for i in range(len(d)):
                flows, p, fast = of(now[:, i])
                for f in range(4):
                    normal, j = normals[f, :, i].astype(float), near[f, i]
                    if j == -2:
                        flux[1:4, i] += normal * p
                        continue
                    other, _, fast2 = of(now[:, j] if j >= 0 else far.astype(float))
                    flux[:, i] += 0.5 * normal @ (flows + other)
                    if j >= 0:
                        flux[:, i] += 0.1 * np.sqrt(normal @ normal) * (fast + fast2) * (now[:, j] - now[:, i])
            state = old + dt / (3 - stage) * flux
    return tuple(state)


def test_a_gas_streams_over_the_faces_of_cells():
    data = cfd.cfd_data(40, 2)
    expected = streamed(*data)
    for function in (cfd.cfd, cfd.tuned(cfd.cfd)):
        for one, other in zip(function(*data), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
    few = cfd.cfd_data(3, 1)
    same(cfd.cfd(*few), cfd.cfd.interpret(*few))
    assert {each.depth for each in cfd.cfd.allocations()} == {0}
    assert cfd.cfd(*cfd.cfd_data(0, 1))[0].shape == (0,)


def test_cells_of_a_muscle_are_excited():
    """The steps in f64; a strong stimulus makes an action potential, a weak one does not. The benchmark compares the schedule,
    as compiling it takes half a minute."""

    def rates(s):
        v, ca, m, h, j, d, f, x = s

        def ratio(a, b, at, c, to):
            return a * np.exp(b * (v + at)) / (np.exp(c * (v + to)) + 1)

        table = {
            2: ((v + 47) / (1 - np.exp(-0.1 * (v + 47))), 40 * np.exp(-0.056 * (v + 72))),
            3: (0.126 * np.exp(-0.25 * (v + 77)), ratio(1.7, 0, 0, -0.082, 22.5)),
            4: (ratio(0.055, -0.25, 78, -0.2, 78), ratio(0.3, 0, 0, -0.1, 32)),
            5: (ratio(0.095, -0.01, -5, -0.072, -5), ratio(0.07, -0.017, 44, 0.05, 44)),
            6: (ratio(0.012, -0.008, 28, 0.15, 28), ratio(0.0065, -0.02, 30, -0.2, 30)),
            7: (ratio(0.0005, 0.083, 50, 0.057, 50), ratio(0.0013, -0.06, 20, -0.04, 20)),
        }
        k1 = 4 * (np.exp(0.04 * (v + 85)) - 1) / (np.exp(0.08 * (v + 53)) + np.exp(0.04 * (v + 53)))
        k1 = 0.35 * (k1 + 0.2 * (v + 23) / (1 - np.exp(-0.04 * (v + 23))))
        x1 = 0.8 * x * (np.exp(0.04 * (v + 77)) - 1) / np.exp(0.04 * (v + 35))
        na, cal = (4 * m**3 * h * j + 0.003) * (v - 50), 0.09 * d * f * (v + 82.3 + 13.0287 * np.log(ca))
        gates = [opens * (1 - s[k]) - closes * s[k] for k, (opens, closes) in table.items()]
        return np.array([-(k1 + x1 + na + cal), 0.07 * (1e-7 - ca) - 1e-7 * cal, *gates])

    start, _, steps, dt = myocyte.myocyte_data(1, 150)
    stimulus = np.linspace(1, 60, 19).astype(np.float32)
    s = np.repeat(np.float64(start)[:, None], 19, 1)
    time = np.float32(0)
    for _ in range(steps):
        push = np.zeros_like(s)
        push[0] = stimulus if time < 2 else 0
        time += np.float32(dt)
        k1 = rates(s) + push
        k2 = rates(s + dt / 2 * k1) + push
        k3 = rates(s + dt / 2 * k2) + push
        k4 = rates(s + dt * k3) + push
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert s[0].min() < -75 and s[0].max() > 0
    np.testing.assert_allclose(myocyte.myocyte(start, stimulus, steps, dt), s[0], atol=0.05)
    few = (start, stimulus[:2], 2, dt)
    same(myocyte.myocyte(*few), myocyte.myocyte.interpret(*few))
