"""The programs in NumPy, Numba and JAX, in an environment of their own: `python peers.py` answers lines of JSON.

{"peer": "numba", "program": "floyd", "data": "in.npz", "result": "out.npz"} compiles, runs once and answers with the seconds of
both; {"peer": …, "program": …} runs it once more and answers with the seconds; {"peers": true} says what is there.
"""

from __future__ import annotations

import json
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

try:
    import numba
except ImportError:
    numba = None
try:
    import jax
    from jax import lax
    from jax import numpy as jnp
except ImportError:
    jax = None

PROGRAMS = {"NumPy": {}, "Numba": {}, "JAX": {}}


def numpy_program(function):
    PROGRAMS["NumPy"][function.__name__.removesuffix("_numpy")] = function
    return function


def numba_program(function):
    if numba is not None:
        name = function.__name__.removesuffix("_numba")
        PROGRAMS["Numba"][name] = numba.njit(fastmath=True, error_model="numpy")(function)
    return function


def jax_program(*static):
    def decorated(function):
        if jax is not None:
            jitted = jax.jit(function, static_argnums=static)
            PROGRAMS["JAX"][function.__name__.removesuffix("_jax")] = jitted
        return function

    return decorated


# -- matrix product


@numpy_program
def matmul_numpy(a, b):
    return a @ b


@jax_program()
def matmul_jax(a, b):
    return a @ b


# -- shortest paths


@numpy_program
def floyd_numpy(d):
    d = d.copy()
    for k in range(len(d)):
        np.minimum(d, d[:, k : k + 1] + d[k], out=d)
    return d


@numba_program
def floyd_numba(d):
    d = d.copy()
    n = len(d)
    for k in range(n):
        for i in range(n):
            to = d[i, k]
            for j in range(n):
                d[i, j] = min(d[i, j], to + d[k, j])
    return d


@jax_program()
def floyd_jax(d):
    return lax.fori_loop(0, len(d), lambda k, d: jnp.minimum(d, d[:, k][:, None] + d[k][None, :]), d)


# -- figure 7


@numpy_program
def fig7_numpy(a):
    return np.concatenate([a.sum(2), a.prod(2)], axis=1)


@numba_program
def fig7_numba(a):
    k, n, m = a.shape
    made = np.empty((k, 2 * n), np.float32)
    for i in range(k):
        for j in range(n):
            total, product = np.float32(0), np.float32(1)
            for e in range(m):
                total += a[i, j, e]
                product *= a[i, j, e]
            made[i, j], made[i, n + j] = total, product
    return made


@jax_program()
def fig7_jax(a):
    return jnp.concatenate([a.sum(2), a.prod(2)], axis=1)


@numpy_program
def fig7_index_numpy(a):
    return fig7_numpy(a)[5]


@numba_program
def fig7_index_numba(a):
    k, n, m = a.shape
    made = np.empty((k, 2 * n), np.float32)
    for i in range(k):
        for j in range(n):
            total, product = np.float32(0), np.float32(1)
            for e in range(m):
                total += a[i, j, e]
                product *= a[i, j, e]
            made[i, j], made[i, n + j] = total, product
    return made[5]


@jax_program()
def fig7_index_jax(a):
    return fig7_jax(a)[5]


# -- Sobol's numbers


@numpy_program
def sobol_numpy(n, v):
    i = np.arange(n, dtype=np.uint32)
    gray = i ^ (i >> 1)
    made = np.zeros((n, len(v)), np.uint32)
    for bit in range(32):
        made ^= np.where((gray >> np.uint32(bit)) & 1, np.uint32(0xFFFFFFFF), np.uint32(0))[:, None] & v[:, bit]
    return made


@numba_program
def sobol_numba(n, v):
    made = np.empty((n, len(v)), np.uint32)
    for i in range(n):
        gray = np.uint32(i) ^ (np.uint32(i) >> np.uint32(1))
        for d in range(len(v)):
            x = np.uint32(0)
            for bit in range(32):
                x ^= v[d, bit] & -((gray >> np.uint32(bit)) & np.uint32(1))
            made[i, d] = x
    return made


@jax_program(0)
def sobol_jax(n, v):
    i = jnp.arange(n, dtype=jnp.uint32)
    gray = i ^ (i >> 1)
    made = jnp.zeros((n, v.shape[0]), jnp.uint32)
    for bit in range(32):
        made = made ^ ((0 - ((gray >> bit) & 1))[:, None] & v[:, bit])
    return made


# -- options


@numpy_program
def black_scholes_numpy(s, x, t, rate, vol):
    one = np.float32(1)
    rate, vol = np.float32(rate), np.float32(vol)

    def normal(v):
        k = one / (one + np.float32(0.2316419) * abs(v))
        a, b, c, d, e = map(np.float32, (0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429))
        tail = np.float32(0.3989422804) * np.exp(np.float32(-0.5) * v * v) * (k * (a + k * (b + k * (c + k * (d + k * e)))))
        return np.where(v > 0, one - tail, tail)

    width = vol * np.sqrt(t)
    d1 = (np.log(s / x) + (rate + np.float32(0.5) * vol * vol) * t) / width
    return s * normal(d1) - x * np.exp(-rate * t) * normal(d1 - width)


if numba is not None:

    @numba.njit(fastmath=True, error_model="numpy")
    def normal_numba(v):
        k = np.float32(1) / (np.float32(1) + np.float32(0.2316419) * abs(v))
        inner = np.float32(-1.821255978) + k * np.float32(1.330274429)
        inner = np.float32(0.31938153) + k * (np.float32(-0.356563782) + k * (np.float32(1.781477937) + k * inner))
        tail = np.float32(0.3989422804) * np.exp(np.float32(-0.5) * v * v) * (k * inner)
        return np.float32(1) - tail if v > 0 else tail


@numba_program
def black_scholes_numba(s, x, t, rate, vol):
    rate, vol = np.float32(rate), np.float32(vol)
    made = np.empty(len(s), np.float32)
    for i in range(len(s)):
        width = vol * np.sqrt(t[i])
        d1 = (np.log(s[i] / x[i]) + (rate + np.float32(0.5) * vol * vol) * t[i]) / width
        made[i] = s[i] * normal_numba(d1) - x[i] * np.exp(-rate * t[i]) * normal_numba(d1 - width)
    return made


@jax_program()
def black_scholes_jax(s, x, t, rate, vol):
    def normal(v):
        k = 1 / (1 + 0.2316419 * abs(v))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804 * jnp.exp(-0.5 * v * v) * poly
        return jnp.where(v > 0, 1 - tail, tail)

    width = vol * jnp.sqrt(t)
    d1 = (jnp.log(s / x) + (rate + 0.5 * vol * vol) * t) / width
    return s * normal(d1) - x * jnp.exp(-rate * t) * normal(d1 - width)


# -- options by random paths

NEAR = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087)
NEAR += (-0.00125372503, -0.00417768164, 0.246640727, 1.50140941)
FAR = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773)
FAR += (-0.0076224613, 0.00943887047, 1.00167406, 2.83297682)
NEAR32, FAR32 = np.array(NEAR, np.float32), np.array(FAR, np.float32)


@numpy_program
def asian_numpy(n, v, path, drifts, start, strike, width):
    i = np.arange(1, n + 1, dtype=np.uint32)
    gray = i ^ (i >> np.uint32(1))
    x = np.zeros((n, len(v)), np.uint32)
    for bit in range(32):
        x ^= np.where((gray >> np.uint32(bit)) & 1, np.uint32(0xFFFFFFFF), np.uint32(0))[:, None] & v[:, bit]
    u = 2 * ((x >> np.uint32(9)).astype(np.float32) + np.float32(0.5)) * np.float32(2**-23) - 1
    far = -np.log((1 - u) * (1 + u))
    near = far < 5
    w = np.where(near, far - np.float32(2.5), np.sqrt(far) - np.float32(3))
    p = np.where(near, NEAR32[0], FAR32[0])
    for a, b in zip(NEAR32[1:], FAR32[1:], strict=True):
        p = p * w + np.where(near, a, b)
    walk = (np.float32(1.41421356) * p * u) @ path.T
    total = np.exp(drifts + np.float32(width) * walk).sum(1)
    return np.maximum(np.float32(start) * total / np.float32(len(v)) - np.float32(strike), 0).mean()


@numba_program
def asian_numba(n, v, path, drifts, start, strike, width):
    m = len(v)
    start, strike, width = np.float32(start), np.float32(strike), np.float32(width)
    z = np.empty(m, np.float32)
    price = 0.0
    for i in range(n):
        gray = np.uint32(i + 1) ^ (np.uint32(i + 1) >> np.uint32(1))
        for d in range(m):
            x = np.uint32(0)
            for bit in range(32):
                x ^= v[d, bit] & -((gray >> np.uint32(bit)) & np.uint32(1))
            half = np.float32(np.uint32(x) >> np.uint32(9)) + np.float32(0.5)
            u = np.float32(2) * (half * np.float32(1.1920929e-07)) - np.float32(1)
            far = -np.log((np.float32(1) - u) * (np.float32(1) + u))
            if far < np.float32(5):
                w, p = far - np.float32(2.5), NEAR32[0]
                for k in range(1, 9):
                    p = p * w + NEAR32[k]
            else:
                w, p = np.sqrt(far) - np.float32(3), FAR32[0]
                for k in range(1, 9):
                    p = p * w + FAR32[k]
            z[d] = np.float32(1.41421356) * p * u
        total = np.float32(0)
        for j in range(m):
            walk = np.float32(0)
            for d in range(m):
                walk += path[j, d] * z[d]
            total += np.exp(drifts[j] + width * walk)
        price += max(start * total / np.float32(m) - strike, np.float32(0))
    return price / n


@jax_program(0)
def asian_jax(n, v, path, drifts, start, strike, width):
    i = jnp.arange(1, n + 1, dtype=jnp.uint32)
    gray = i ^ (i >> 1)
    x = jnp.zeros((n, v.shape[0]), jnp.uint32)
    for bit in range(32):
        x = x ^ ((0 - ((gray >> bit) & 1))[:, None] & v[:, bit])
    u = 2 * (((x >> 9).astype(jnp.float32) + 0.5) * 1.1920929e-07) - 1
    far = -jnp.log((1 - u) * (1 + u))
    near = far < 5
    w = jnp.where(near, far - 2.5, jnp.sqrt(far) - 3)
    p = jnp.where(near, NEAR[0], FAR[0])
    for a, b in zip(NEAR[1:], FAR[1:], strict=True):
        p = p * w + jnp.where(near, a, b)
    walk = (1.41421356 * p * u) @ path.T
    total = jnp.exp(drifts + width * walk).sum(1)
    return jnp.maximum(start * total / v.shape[0] - strike, 0).mean()


# -- tridiagonal systems


@numpy_program
def tridag_numpy(a, b, c, d):
    m = a.shape[1]
    u, y = np.empty_like(b), np.empty_like(d)
    u[:, 0], y[:, 0] = b[:, 0], d[:, 0]
    for i in range(1, m):
        beta = a[:, i] / u[:, i - 1]
        u[:, i] = b[:, i] - beta * c[:, i - 1]
        y[:, i] = d[:, i] - beta * y[:, i - 1]
    x = np.empty_like(d)
    x[:, -1] = y[:, -1] / u[:, -1]
    for i in range(m - 2, -1, -1):
        x[:, i] = (y[:, i] - c[:, i] * x[:, i + 1]) / u[:, i]
    return x


@numba_program
def tridag_numba(a, b, c, d):
    n, m = a.shape
    x = np.empty_like(d)
    u, y = np.empty(m, np.float32), np.empty(m, np.float32)
    for r in range(n):
        u[0], y[0] = b[r, 0], d[r, 0]
        for i in range(1, m):
            beta = a[r, i] / u[i - 1]
            u[i] = b[r, i] - beta * c[r, i - 1]
            y[i] = d[r, i] - beta * y[i - 1]
        x[r, m - 1] = y[m - 1] / u[m - 1]
        for i in range(m - 2, -1, -1):
            x[r, i] = (y[i] - c[r, i] * x[r, i + 1]) / u[i]
    return x


@jax_program()
def tridag_jax(a, b, c, d):
    def forward(before, now):
        u, y = before
        a, b, c, d = now
        beta = a / u
        new = b - beta * c, d - beta * y
        return new, new

    first = b[:, 0], d[:, 0]
    _, (u, y) = lax.scan(forward, first, (a.T[1:], b.T[1:], c.T[:-1], d.T[1:]))
    u, y = jnp.concatenate([first[0][None], u]), jnp.concatenate([first[1][None], y])

    def backward(after, now):
        y, c, u = now
        x = (y - c * after) / u
        return x, x

    last = y[-1] / u[-1]
    _, x = lax.scan(backward, last, (y[:-1], c.T[:-1], u[:-1]), reverse=True)
    return jnp.concatenate([x, last[None]]).T


# -- local volatility


def second_differences(x):
    d = np.zeros((len(x), 3), np.float32)
    before, after = np.diff(x)[:-1], np.diff(x)[1:]
    d[1:-1, 0], d[1:-1, 2] = 2 / (before * (before + after)), 2 / (after * (before + after))
    d[:, 1] = -(d[:, 0] + d[:, 2])
    return d


@numpy_program
def locvol_numpy(strikes, x, y, times, alpha, beta, nu):
    """Planes of all strikes at once, of which each elimination goes along one dimension."""
    n, m, one = len(x), len(y), np.float32(1)
    dx, dy = second_differences(x), second_differences(y)
    variance = np.float32(0.25 * alpha * alpha) * np.exp(2 * (np.float32(beta) * np.log(x)[:, None] + y))
    half_y = np.float32(0.25 * nu * nu)

    def along(r, d):
        found = d[:, 1, None, None] * r
        found[1:] += d[1:, 0, None, None] * r[:-1]
        found[:-1] += d[:-1, 2, None, None] * r[1:]
        return found

    def solved(w, per, d, z):
        u = per - w * d[:, 1, None]
        for k in range(len(z) - 1):
            factor = w[k + 1] * d[k + 1, 0] / u[k]
            u[k + 1] -= factor * (w[k] * d[k, 2])
            z[k + 1] += factor[:, None] * z[k]
        z[-1] /= u[-1][:, None]
        for k in range(len(z) - 2, -1, -1):
            z[k] = (z[k] + (w[k] * d[k, 2])[:, None] * z[k + 1]) / u[k][:, None]
        return z

    r = np.broadcast_to(np.maximum(x[:, None, None] - strikes, 0), (n, m, len(strikes))).copy()
    for k in range(len(times) - 2, -1, -1):
        per = one / (times[k + 1] - times[k])
        w = np.exp(np.float32(-nu * nu) * times[k]) * variance
        along_y = half_y * along(r.transpose(1, 0, 2), dy).transpose(1, 0, 2)
        half = solved(w, per, dx, per * r + 2 * along_y + w[:, :, None] * along(r, dx))
        rows = np.ascontiguousarray((per * half - along_y).transpose(1, 0, 2))
        r = np.ascontiguousarray(solved(np.full((m, n), half_y), per, dy, rows).transpose(1, 0, 2))
    return r[n // 2, m // 2]


@numba_program
def locvol_numba(strikes, x, y, times, alpha, beta, nu):
    """Some strikes at once, whose numbers stand side by side; what they share is computed once."""
    n, m, o = len(x), len(y), len(strikes)
    lanes = min(o, 32)  # a constant would be unrolled, and not be vectorised
    beta, half_y = np.float32(beta), np.float32(0.25 * nu * nu)
    dx, dy = np.zeros((n, 3), np.float32), np.zeros((m, 3), np.float32)
    for d, g in ((dx, x), (dy, y)):
        for i in range(1, len(g) - 1):
            before, after = g[i] - g[i - 1], g[i + 1] - g[i]
            d[i, 0], d[i, 2] = np.float32(2) / (before * (before + after)), np.float32(2) / (after * (before + after))
            d[i, 1] = -(d[i, 0] + d[i, 2])
    variance = np.empty((m, n), np.float32)
    for j in range(m):
        for i in range(n):
            variance[j, i] = np.float32(0.25 * alpha * alpha) * np.exp(np.float32(2) * (beta * np.log(x[i]) + y[j]))
    r, half = np.zeros((n, m, lanes), np.float32), np.zeros((n, m, lanes), np.float32)
    along = np.zeros((n, m, lanes), np.float32)
    ux, uy, fx, fy = np.empty(n, np.float32), np.empty(m, np.float32), np.empty(n, np.float32), np.empty(m, np.float32)
    w = np.empty(n, np.float32)
    found = np.empty(o, np.float32)
    for first in range(0, o, lanes):
        for i in range(n):
            for j in range(m):
                for s in range(lanes):
                    r[i, j, s] = max(x[i] - strikes[min(first + s, o - 1)], np.float32(0))
        for k in range(len(times) - 2, -1, -1):
            per, fade = np.float32(1) / (times[k + 1] - times[k]), np.exp(np.float32(-nu * nu) * times[k])
            for i in range(n):
                for j in range(m):
                    a, b, c = half_y * dy[j, 0], half_y * dy[j, 1], half_y * dy[j, 2]
                    lo, hi = max(j - 1, 0), min(j + 1, m - 1)
                    for s in range(lanes):
                        along[i, j, s] = a * r[i, lo, s] + b * r[i, j, s] + c * r[i, hi, s]
            for j in range(m):
                for i in range(n):
                    w[i] = fade * variance[j, i]
                for i in range(n):
                    ux[i] = per - w[i] * dx[i, 1]
                    fx[i] = np.float32(0)
                    if i > 0:
                        fx[i] = w[i] * dx[i, 0] / ux[i - 1]
                        ux[i] -= fx[i] * w[i - 1] * dx[i - 1, 2]
                for i in range(n):
                    a, b, c = w[i] * dx[i, 0], w[i] * dx[i, 1], w[i] * dx[i, 2]
                    lo, hi, factor = max(i - 1, 0), min(i + 1, n - 1), fx[i]
                    for s in range(lanes):
                        right = per * r[i, j, s] + np.float32(2) * along[i, j, s]
                        right += a * r[lo, j, s] + b * r[i, j, s] + c * r[hi, j, s]
                        half[i, j, s] = right + factor * half[lo, j, s]
                for i in range(n - 1, -1, -1):
                    hi, factor, per_u = min(i + 1, n - 1), w[i] * dx[i, 2], np.float32(1) / ux[i]
                    for s in range(lanes):
                        half[i, j, s] = (half[i, j, s] + factor * half[hi, j, s]) * per_u
            for j in range(m):
                uy[j] = per - half_y * dy[j, 1]
                fy[j] = np.float32(0)
                if j > 0:
                    fy[j] = half_y * dy[j, 0] / uy[j - 1]
                    uy[j] -= fy[j] * half_y * dy[j - 1, 2]
            for i in range(n):
                for j in range(m):
                    factor, lo = fy[j], max(j - 1, 0)
                    for s in range(lanes):
                        r[i, j, s] = per * half[i, j, s] - along[i, j, s] + factor * r[i, lo, s]
                for j in range(m - 1, -1, -1):
                    hi, factor, per_u = min(j + 1, m - 1), half_y * dy[j, 2], np.float32(1) / uy[j]
                    for s in range(lanes):
                        r[i, j, s] = (r[i, j, s] + factor * r[i, hi, s]) * per_u
        for s in range(min(lanes, o - first)):
            found[first + s] = r[n // 2, m // 2, s]
    return found


@jax_program()
def locvol_jax(strikes, x, y, times, alpha, beta, nu):
    n, m = len(x), len(y)

    def differences(g):
        before, after = jnp.diff(g)[:-1], jnp.diff(g)[1:]
        lo, hi = (jnp.pad(2 / (each * (before + after)), 1) for each in (before, after))
        return lo, -(lo + hi), hi

    dx, dy = differences(x), differences(y)
    variance = 0.25 * alpha * alpha * jnp.exp(2 * (beta * jnp.log(x)[:, None] + y))
    half_y = 0.25 * nu * nu

    def along(r, d):
        lo, mid, hi = (each[:, None, None] for each in d)
        return lo * jnp.concatenate([r[:1], r[:-1]]) + mid * r + hi * jnp.concatenate([r[1:], r[-1:]])

    def solved(w, per, d, z):
        """Along the first dimension; what strikes share is computed once."""
        a, b, c = (w * each[:, None] for each in d)

        def pivot(before, now):
            a, b, c = now
            factor = a / before
            return per - b - factor * c, (factor, per - b - factor * c)

        start = per - b[0]
        _, (factor, u) = lax.scan(pivot, start, (a[1:], b[1:], c[:-1]))
        u = jnp.concatenate([start[None], u])

        def forward(before, now):
            z, factor = now
            new = z + factor[:, None] * before
            return new, new

        _, rest = lax.scan(forward, z[0], (z[1:], factor))
        z = jnp.concatenate([z[:1], rest])

        def backward(after, now):
            z, c, u = now
            new = (z + c[:, None] * after) / u[:, None]
            return new, new

        last = z[-1] / u[-1][:, None]
        _, rest = lax.scan(backward, last, (z[:-1], c[:-1], u[:-1]), reverse=True)
        return jnp.concatenate([rest, last[None]])

    def step(i, r):
        k = len(times) - 2 - i
        per, w = 1 / (times[k + 1] - times[k]), jnp.exp(-nu * nu * times[k]) * variance
        along_y = half_y * along(r.transpose(1, 0, 2), dy).transpose(1, 0, 2)
        half = solved(w, per, dx, per * r + 2 * along_y + w[:, :, None] * along(r, dx))
        found = solved(jnp.full((m, n), half_y, jnp.float32), per, dy, (per * half - along_y).transpose(1, 0, 2))
        return found.transpose(1, 0, 2)

    start = jnp.broadcast_to(jnp.maximum(x[:, None, None] - strikes, 0), (n, m, len(strikes)))
    return lax.fori_loop(0, len(times) - 1, step, start)[n // 2, m // 2]


# -- interest rates


def uniform_numpy(i, row):
    gray = (i ^ (i >> np.uint32(1))).astype(np.uint32)
    x = np.zeros(len(i), np.uint32)
    for bit in range(32):
        x ^= np.where((gray >> np.uint32(bit)) & 1, row[bit], np.uint32(0))
    return ((x >> np.uint32(9)).astype(np.float32) + np.float32(0.5)) * np.float32(2**-23)


def normal_numpy(u):
    x = 2 * u - 1
    far = -np.log((1 - x) * (1 + x))
    near = far < 5
    w = np.where(near, far - np.float32(2.5), np.sqrt(far) - np.float32(3))
    p = np.where(near, NEAR32[0], FAR32[0])
    for a, b in zip(NEAR32[1:], FAR32[1:], strict=True):
        p = p * w + np.where(near, a, b)
    return np.float32(1.41421356) * p * x


@numpy_program
def interest_numpy(n, c, rounds, numbers, path, level, strike, market, dt):
    m, dt = len(level), np.float32(dt)
    normals = np.stack([normal_numpy(uniform_numpy(np.arange(1, n + 1, dtype=np.uint32), row)) for row in numbers])
    dw = np.diff(path, axis=0, prepend=np.float32(0)) @ normals
    best, least, width = [np.float32(0.5), np.float32(0.02)], np.float32(np.inf), np.float32(1)
    for r in range(rounds):
        at = np.arange(1, c + 1, dtype=np.uint32) + np.uint32(r * c)
        box = zip(best, (0.5, 0.02), numbers, strict=False)
        tried = [abs(b + np.float32(s) * width * (2 * uniform_numpy(at, row) - 1)) for b, s, row in box]
        a, sigma = (each[:, None] for each in tried)
        rate, paid, found = np.full((c, n), level[0]), np.zeros((c, n), np.float32), np.zeros(c, np.float32)
        for k in range(m):
            rate = rate + a * (level[k] - rate) * dt + sigma * dw[k]
            paid = paid + rate * dt
            price = (np.maximum(rate - strike[k], 0) * np.exp(-paid)).sum(1) * dt / np.float32(n)
            found += (price / market[k] - 1) ** 2
        where = found.argmin()
        if found[where] < least:
            best, least = [each[where] for each in tried], found[where]
        width = width / 2
    return best[0], best[1], least


if numba is not None:

    @numba.njit(fastmath=True, error_model="numpy")
    def uniform_numba(i, row):
        gray = np.uint32(i) ^ (np.uint32(i) >> np.uint32(1))
        x = np.uint32(0)
        for bit in range(32):
            x ^= row[bit] & -((gray >> np.uint32(bit)) & np.uint32(1))
        return (np.float32(np.uint32(x) >> np.uint32(9)) + np.float32(0.5)) * np.float32(1.1920929e-07)

    @numba.njit(fastmath=True, error_model="numpy")
    def normal_numba_inverse(u):
        x = np.float32(2) * u - np.float32(1)
        far = -np.log((np.float32(1) - x) * (np.float32(1) + x))
        if far < np.float32(5):
            w, p = far - np.float32(2.5), NEAR32[0]
            for k in range(1, 9):
                p = p * w + NEAR32[k]
        else:
            w, p = np.sqrt(far) - np.float32(3), FAR32[0]
            for k in range(1, 9):
                p = p * w + FAR32[k]
        return np.float32(1.41421356) * p * x


@numba_program
def interest_numba(n, c, rounds, numbers, path, level, strike, market, dt):
    """Candidates innermost, so that their numbers stand side by side."""
    m, dt, one = len(level), np.float32(dt), np.float32(1)
    dw, z = np.empty((n, m), np.float32), np.empty(m, np.float32)
    for i in range(n):
        for d in range(m):
            z[d] = normal_numba_inverse(uniform_numba(i + 1, numbers[d]))
        before = np.float32(0)
        for j in range(m):
            walk = np.float32(0)
            for d in range(m):
                walk += path[j, d] * z[d]
            dw[i, j] = walk - before
            before = walk
    a, sigma = np.empty(c, np.float32), np.empty(c, np.float32)
    rate, paid, total = np.empty(c, np.float32), np.empty(c, np.float32), np.empty((m, c), np.float32)
    best_a, best_sigma, least, width = np.float32(0.5), np.float32(0.02), np.float32(np.inf), one
    for r in range(rounds):
        for i in range(c):
            a[i] = abs(best_a + np.float32(0.5) * width * (2 * uniform_numba(i + r * c + 1, numbers[0]) - one))
            sigma[i] = abs(best_sigma + np.float32(0.02) * width * (2 * uniform_numba(i + r * c + 1, numbers[1]) - one))
        total[:] = np.float32(0)
        for p in range(n):
            rate[:] = level[0]
            paid[:] = np.float32(0)
            for k in range(m):
                mean, limit, move = level[k], strike[k], dw[p, k]
                for i in range(c):
                    rate[i] += a[i] * (mean - rate[i]) * dt + sigma[i] * move
                    paid[i] += rate[i] * dt
                    total[k, i] += max(rate[i] - limit, np.float32(0)) * np.exp(-paid[i])
        where, error = c, np.float32(np.inf)
        for i in range(c):
            found = np.float32(0)
            for k in range(m):
                apart = total[k, i] * dt / np.float32(n) / market[k] - one
                found += apart * apart
            if found < error:
                where, error = i, found
        if error < least:
            best_a, best_sigma, least = a[where], sigma[where], error
        width = width * np.float32(0.5)
    return best_a, best_sigma, least


@jax_program(0, 1)
def interest_jax(n, c, rounds, numbers, path, level, strike, market, dt):
    def uniform(i, row):
        gray = i ^ (i >> 1)
        x = jnp.zeros(i.shape, jnp.uint32)
        for bit in range(32):
            x = x ^ ((0 - ((gray >> bit) & 1)) & row[bit])
        return ((x >> 9).astype(jnp.float32) + 0.5) * 1.1920929e-07

    def normal(u):
        x = 2 * u - 1
        far = -jnp.log((1 - x) * (1 + x))
        near = far < 5
        w = jnp.where(near, far - 2.5, jnp.sqrt(far) - 3)
        p = jnp.where(near, NEAR[0], FAR[0])
        for a, b in zip(NEAR[1:], FAR[1:], strict=True):
            p = p * w + jnp.where(near, a, b)
        return 1.41421356 * p * x

    m = level.shape[0]
    normals = jnp.stack([normal(uniform(jnp.arange(1, n + 1, dtype=jnp.uint32), numbers[d])) for d in range(m)])
    dw = jnp.diff(path, axis=0, prepend=jnp.zeros((1, m), jnp.float32)) @ normals

    def error(a, sigma):
        rate, paid, found = jnp.full(n, level[0]), jnp.zeros(n, jnp.float32), 0.0
        for k in range(m):
            rate = rate + a * (level[k] - rate) * dt + sigma * dw[k]
            paid = paid + rate * dt
            price = (jnp.maximum(rate - strike[k], 0) * jnp.exp(-paid)).sum() * dt / n
            found += (price / market[k] - 1) ** 2
        return found

    def one_round(r, state):
        best_a, best_sigma, least, width = state
        at = jnp.arange(1, c + 1, dtype=jnp.uint32) + (r * c).astype(jnp.uint32)
        a = jnp.abs(best_a + 0.5 * width * (2 * uniform(at, numbers[0]) - 1))
        sigma = jnp.abs(best_sigma + 0.02 * width * (2 * uniform(at, numbers[1]) - 1))
        found = lax.map(lambda each: error(*each), (a, sigma))
        where = found.argmin()
        better = found[where] < least
        chosen = (jnp.where(better, *each) for each in ((a[where], best_a), (sigma[where], best_sigma), (found[where], least)))
        return (*chosen, width / 2)

    start = (jnp.float32(0.5), jnp.float32(0.02), jnp.float32(jnp.inf), jnp.float32(1))
    return lax.fori_loop(0, rounds, one_round, start)[:3]


# -- gas


def state_numpy(d, x, y, z, e):
    u, v, w = x / d, y / d, z / d
    q = u * u + v * v + w * w
    p = np.float32(0.4) * (e - np.float32(0.5) * d * q)
    return u, v, w, p, np.sqrt(q) + np.sqrt(np.float32(1.4) * p / d)


@numpy_program
def cfd_numpy(d, x, y, z, e, near, normals, areas, far, steps):
    half = np.where(near == -2, np.float32(0), np.float32(0.5))
    at, away = np.maximum(near, 0), near < 0
    for _ in range(steps):
        old = d, x, y, z, e
        dt = np.float32(0.5) / (np.sqrt(areas) * state_numpy(*old)[4])
        for stage in range(3):
            now = d, x, y, z, e
            u, v, w, p, fast = state_numpy(*now)
            total = [np.zeros_like(d) for _ in range(5)]
            for f in range(4):
                a, b, c = normals[f]
                other = [np.where(away[f], one, each[at[f]]) for one, each in zip(far, now, strict=True)]
                u2, v2, w2, p2, fast2 = state_numpy(*other)
                smooth = np.where(away[f], 0, np.float32(0.1) * np.sqrt(a * a + b * b + c * c) * (fast + fast2))
                press = np.where(near[f] == -2, p, np.float32(0.5) * (p + p2))
                m1, m2 = half[f] * (a * u + b * v + c * w), half[f] * (a * u2 + b * v2 + c * w2)
                more = 0, a * press, b * press, c * press, m1 * p + m2 * p2
                for sum_, one, two, extra in zip(total, now, other, more, strict=True):
                    sum_ += m1 * one + m2 * two + extra + smooth * (two - one)
            part = dt * np.float32(1 / (3 - stage))
            d, x, y, z, e = (one + part * sum_ for one, sum_ in zip(old, total, strict=True))
    return d, x, y, z, e


@numba_program
def cfd_numba(d, x, y, z, e, near, normals, areas, far, steps):
    n = len(d)
    s0, s1, s2 = np.empty((n, 5), np.float32), np.empty((n, 5), np.float32), np.empty((n, 5), np.float32)
    dt = np.empty(n, np.float32)
    for i in range(n):
        s0[i, 0], s0[i, 1], s0[i, 2], s0[i, 3], s0[i, 4] = d[i], x[i], y[i], z[i], e[i]
    for _ in range(steps):
        for i in range(n):
            q = (s0[i, 1] * s0[i, 1] + s0[i, 2] * s0[i, 2] + s0[i, 3] * s0[i, 3]) / (s0[i, 0] * s0[i, 0])
            sound = np.sqrt(np.float32(0.56) * (s0[i, 4] - np.float32(0.5) * s0[i, 0] * q) / s0[i, 0])
            dt[i] = np.float32(0.5) / (np.sqrt(areas[i]) * (np.sqrt(q) + sound))
            s1[i] = s0[i]
        for stage in range(3):
            part = np.float32(1) / np.float32(3 - stage)
            for i in range(n):
                d1, x1, y1, z1, e1 = s1[i, 0], s1[i, 1], s1[i, 2], s1[i, 3], s1[i, 4]
                per = np.float32(1) / d1
                u1, v1, w1 = x1 * per, y1 * per, z1 * per
                q1 = u1 * u1 + v1 * v1 + w1 * w1
                p1 = np.float32(0.4) * (e1 - np.float32(0.5) * d1 * q1)
                fast1 = np.sqrt(q1) + np.sqrt(np.float32(1.4) * p1 * per)
                fd, fx, fy, fz, fe = np.float32(0), np.float32(0), np.float32(0), np.float32(0), np.float32(0)
                for f in range(4):
                    j = near[f, i]
                    a, b, c = normals[f, 0, i], normals[f, 1, i], normals[f, 2, i]
                    if j == -2:
                        fx += a * p1
                        fy += b * p1
                        fz += c * p1
                        continue
                    if j >= 0:
                        d2, x2, y2, z2, e2 = s1[j, 0], s1[j, 1], s1[j, 2], s1[j, 3], s1[j, 4]
                    else:
                        d2, x2, y2, z2, e2 = far[0], far[1], far[2], far[3], far[4]
                    per2 = np.float32(1) / d2
                    u2, v2, w2 = x2 * per2, y2 * per2, z2 * per2
                    q2 = u2 * u2 + v2 * v2 + w2 * w2
                    p2 = np.float32(0.4) * (e2 - np.float32(0.5) * d2 * q2)
                    smooth = np.float32(0)
                    if j >= 0:
                        fast2 = np.sqrt(q2) + np.sqrt(np.float32(1.4) * p2 * per2)
                        smooth = np.float32(0.1) * np.sqrt(a * a + b * b + c * c) * (fast1 + fast2)
                    half = np.float32(0.5)
                    m1, m2, press = half * (a * u1 + b * v1 + c * w1), half * (a * u2 + b * v2 + c * w2), half * (p1 + p2)
                    fd += m1 * d1 + m2 * d2 + smooth * (d2 - d1)
                    fx += m1 * x1 + m2 * x2 + a * press + smooth * (x2 - x1)
                    fy += m1 * y1 + m2 * y2 + b * press + smooth * (y2 - y1)
                    fz += m1 * z1 + m2 * z2 + c * press + smooth * (z2 - z1)
                    fe += m1 * (e1 + p1) + m2 * (e2 + p2) + smooth * (e2 - e1)
                h = part * dt[i]
                s2[i, 0], s2[i, 1], s2[i, 2] = s0[i, 0] + h * fd, s0[i, 1] + h * fx, s0[i, 2] + h * fy
                s2[i, 3], s2[i, 4] = s0[i, 3] + h * fz, s0[i, 4] + h * fe
            s1, s2 = s2, s1
        s0, s1 = s1, s0
    return s0[:, 0].copy(), s0[:, 1].copy(), s0[:, 2].copy(), s0[:, 3].copy(), s0[:, 4].copy()


@jax_program()
def cfd_jax(d, x, y, z, e, near, normals, areas, far, steps):
    half, at, away = jnp.where(near == -2, 0, 0.5), jnp.maximum(near, 0), near < 0

    def derived(state):
        d, x, y, z, e = state
        u, v, w = x / d, y / d, z / d
        q = u * u + v * v + w * w
        p = 0.4 * (e - 0.5 * d * q)
        return u, v, w, p, jnp.sqrt(q) + jnp.sqrt(1.4 * p / d)

    def flux(now):
        u, v, w, p, fast = derived(now)
        total = [0.0] * 5
        for f in range(4):
            a, b, c = normals[f]
            other = [jnp.where(away[f], far[i], each[at[f]]) for i, each in enumerate(now)]
            u2, v2, w2, p2, fast2 = derived(other)
            smooth = jnp.where(away[f], 0, 0.1 * jnp.sqrt(a * a + b * b + c * c) * (fast + fast2))
            press = jnp.where(near[f] == -2, p, 0.5 * (p + p2))
            m1, m2 = half[f] * (a * u + b * v + c * w), half[f] * (a * u2 + b * v2 + c * w2)
            more = 0, a * press, b * press, c * press, m1 * p + m2 * p2
            parts = zip(total, now, other, more, strict=True)
            total = [sum_ + m1 * one + m2 * two + extra + smooth * (two - one) for sum_, one, two, extra in parts]
        return total

    def step(_, old):
        dt = 0.5 / (jnp.sqrt(areas) * derived(old)[4])
        now = old
        for stage in range(3):
            now = tuple(one + dt / (3 - stage) * sum_ for one, sum_ in zip(old, flux(now), strict=True))
        return now

    return lax.fori_loop(0, steps, step, (d, x, y, z, e))


# -- cells of a heart muscle


def rates_of(exp, log, where):
    """The rates of Beeler and Reuter for arrays; where two are 0/0 the limit is taken."""

    def rates(v, ca, m, h, j, d, f, x):
        opens_m = where(v == -47, 10, (v + 47) / (1 - exp(-0.1 * (v + 47))))
        closes_m = 40 * exp(-0.056 * (v + 72))
        opens_h = 0.126 * exp(-0.25 * (v + 77))
        closes_h = 1.7 / (exp(-0.082 * (v + 22.5)) + 1)
        opens_j = 0.055 * exp(-0.25 * (v + 78)) / (exp(-0.2 * (v + 78)) + 1)
        closes_j = 0.3 / (exp(-0.1 * (v + 32)) + 1)
        opens_d = 0.095 * exp(-0.01 * (v - 5)) / (exp(-0.072 * (v - 5)) + 1)
        closes_d = 0.07 * exp(-0.017 * (v + 44)) / (exp(0.05 * (v + 44)) + 1)
        opens_f = 0.012 * exp(-0.008 * (v + 28)) / (exp(0.15 * (v + 28)) + 1)
        closes_f = 0.0065 * exp(-0.02 * (v + 30)) / (exp(-0.2 * (v + 30)) + 1)
        opens_x = 0.0005 * exp(0.083 * (v + 50)) / (exp(0.057 * (v + 50)) + 1)
        closes_x = 0.0013 * exp(-0.06 * (v + 20)) / (exp(-0.04 * (v + 20)) + 1)
        potassium = 4 * (exp(0.04 * (v + 85)) - 1) / (exp(0.08 * (v + 53)) + exp(0.04 * (v + 53)))
        leak = where(v == -23, 5, 0.2 * (v + 23) / (1 - exp(-0.04 * (v + 23))))
        potassium = 0.35 * (potassium + leak)
        outward = 0.8 * x * (exp(0.04 * (v + 77)) - 1) * exp(-0.04 * (v + 35))
        sodium = (4 * m * m * m * h * j + 0.003) * (v - 50)
        calcium = 0.09 * d * f * (v + 82.3 + 13.0287 * log(ca))
        return (
            -(potassium + outward + sodium + calcium), 0.07 * (1e-07 - ca) - 1e-07 * calcium,
            opens_m * (1 - m) - closes_m * m, opens_h * (1 - h) - closes_h * h, opens_j * (1 - j) - closes_j * j,
            opens_d * (1 - d) - closes_d * d, opens_f * (1 - f) - closes_f * f, opens_x * (1 - x) - closes_x * x,
        )  # fmt: skip

    return rates


@numpy_program
def myocyte_numpy(start, stimulus, steps, dt):
    rates, time = rates_of(np.exp, np.log, np.where), np.float32(0)
    dt = np.float32(dt)
    state = [np.full_like(stimulus, each) for each in start]
    for _ in range(steps):
        push = stimulus if time < 2 else np.float32(0)
        now, total = state, state
        for ahead, part in ((dt / 2, dt / 6), (dt / 2, dt / 3), (dt, dt / 3), (np.float32(0), dt / 6)):
            slope = rates(*now)
            slope = (slope[0] + push, *slope[1:])
            total = [one + part * other for one, other in zip(total, slope, strict=True)]
            now = [one + ahead * other for one, other in zip(state, slope, strict=True)]
        state = total
        time += dt
    return state[0]


@numba_program
def myocyte_numba(start, stimulus, steps, dt):
    """Cells innermost, which stand side by side."""
    n, dt, one = len(stimulus), np.float32(dt), np.float32(1)
    state, total, now = (np.empty((8, n), np.float32), np.empty((8, n), np.float32), np.empty((8, n), np.float32))
    aheads = np.array([dt / 2, dt / 2, dt, 0], np.float32)
    parts = np.array([dt / 6, dt / 3, dt / 3, dt / 6], np.float32)
    for k in range(8):
        state[k] = start[k]
    time = np.float32(0)
    c = np.float32
    for _ in range(steps):
        total[:] = state
        now[:] = state
        for stage in range(4):
            ahead, part = aheads[stage], parts[stage]
            for i in range(n):
                v, ca, m, h = now[0, i], now[1, i], now[2, i], now[3, i]
                j, d, f, x = now[4, i], now[5, i], now[6, i], now[7, i]
                opens_m = c(10) if v == c(-47) else (v + c(47)) / (one - np.exp(c(-0.1) * (v + c(47))))
                closes_m = c(40) * np.exp(c(-0.056) * (v + c(72)))
                opens_h = c(0.126) * np.exp(c(-0.25) * (v + c(77)))
                closes_h = c(1.7) / (np.exp(c(-0.082) * (v + c(22.5))) + one)
                opens_j = c(0.055) * np.exp(c(-0.25) * (v + c(78))) / (np.exp(c(-0.2) * (v + c(78))) + one)
                closes_j = c(0.3) / (np.exp(c(-0.1) * (v + c(32))) + one)
                opens_d = c(0.095) * np.exp(c(-0.01) * (v - c(5))) / (np.exp(c(-0.072) * (v - c(5))) + one)
                closes_d = c(0.07) * np.exp(c(-0.017) * (v + c(44))) / (np.exp(c(0.05) * (v + c(44))) + one)
                opens_f = c(0.012) * np.exp(c(-0.008) * (v + c(28))) / (np.exp(c(0.15) * (v + c(28))) + one)
                closes_f = c(0.0065) * np.exp(c(-0.02) * (v + c(30))) / (np.exp(c(-0.2) * (v + c(30))) + one)
                opens_x = c(0.0005) * np.exp(c(0.083) * (v + c(50))) / (np.exp(c(0.057) * (v + c(50))) + one)
                closes_x = c(0.0013) * np.exp(c(-0.06) * (v + c(20))) / (np.exp(c(-0.04) * (v + c(20))) + one)
                both = np.exp(c(0.08) * (v + c(53))) + np.exp(c(0.04) * (v + c(53)))
                potassium = c(4) * (np.exp(c(0.04) * (v + c(85))) - one) / both
                leak = c(5) if v == c(-23) else c(0.2) * (v + c(23)) / (one - np.exp(c(-0.04) * (v + c(23))))
                potassium = c(0.35) * (potassium + leak)
                outward = c(0.8) * x * (np.exp(c(0.04) * (v + c(77))) - one) * np.exp(c(-0.04) * (v + c(35)))
                sodium = (c(4) * m * m * m * h * j + c(0.003)) * (v - c(50))
                calcium = c(0.09) * d * f * (v + c(82.3) + c(13.0287) * np.log(ca))
                push = stimulus[i] if time < c(2) else c(0)
                dv = push - (potassium + outward + sodium + calcium)
                dca = c(0.07) * (c(1e-07) - ca) - c(1e-07) * calcium
                dm, dh = opens_m * (one - m) - closes_m * m, opens_h * (one - h) - closes_h * h
                dj, dd = opens_j * (one - j) - closes_j * j, opens_d * (one - d) - closes_d * d
                df, dx = opens_f * (one - f) - closes_f * f, opens_x * (one - x) - closes_x * x
                total[0, i] += part * dv
                total[1, i] += part * dca
                total[2, i] += part * dm
                total[3, i] += part * dh
                total[4, i] += part * dj
                total[5, i] += part * dd
                total[6, i] += part * df
                total[7, i] += part * dx
                now[0, i], now[1, i] = state[0, i] + ahead * dv, state[1, i] + ahead * dca
                now[2, i], now[3, i] = state[2, i] + ahead * dm, state[3, i] + ahead * dh
                now[4, i], now[5, i] = state[4, i] + ahead * dj, state[5, i] + ahead * dd
                now[6, i], now[7, i] = state[6, i] + ahead * df, state[7, i] + ahead * dx
        state, total = total, state
        time += dt
    return state[0].copy()


@jax_program()
def myocyte_jax(start, stimulus, steps, dt):
    rates = rates_of(jnp.exp, jnp.log, jnp.where)

    def step(_, carried):
        time, state = carried
        push = jnp.where(time < 2, stimulus, 0)
        now, total = state, state
        for ahead, part in ((dt / 2, dt / 6), (dt / 2, dt / 3), (dt, dt / 3), (0, dt / 6)):
            slope = rates(*now)
            slope = (slope[0] + push, *slope[1:])
            total = tuple(one + part * other for one, other in zip(total, slope, strict=True))
            now = tuple(one + ahead * other for one, other in zip(state, slope, strict=True))
        return time + dt, total

    first = jnp.float32(0), tuple(jnp.full_like(stimulus, start[k]) for k in range(8))
    return lax.fori_loop(0, steps, step, first)[1][0]


# -- heat


@numpy_program
def hotspot_numpy(t, p, steps, cap, rx, ry, rz):
    cap, rx, ry, rz = map(np.float32, (cap, rx, ry, rz))
    two, ambient = np.float32(2), np.float32(80)
    for _ in range(steps):
        e = np.pad(t, 1, "edge")
        up, down, west, east = e[:-2, 1:-1], e[2:, 1:-1], e[1:-1, :-2], e[1:-1, 2:]
        t = t + cap * (p + (down + up - two * t) * ry + (east + west - two * t) * rx + (ambient - t) * rz)
    return t


@numba_program
def hotspot_numba(t, p, steps, cap, rx, ry, rz):
    cap, rx, ry, rz = np.float32(cap), np.float32(rx), np.float32(ry), np.float32(rz)
    two, ambient = np.float32(2), np.float32(80)
    n, m = t.shape
    old, new = t.copy(), np.empty_like(t)
    for _ in range(steps):
        for i in range(n):
            up, down = max(i - 1, 0), min(i + 1, n - 1)
            for j in range(1, m - 1):
                c = old[i, j]
                rows = (old[down, j] + old[up, j] - two * c) * ry
                new[i, j] = c + cap * (p[i, j] + rows + (old[i, j + 1] + old[i, j - 1] - two * c) * rx + (ambient - c) * rz)
            for j in (0, m - 1):
                c = old[i, j]
                rows = (old[down, j] + old[up, j] - two * c) * ry
                across = (old[i, min(j + 1, m - 1)] + old[i, max(j - 1, 0)] - two * c) * rx
                new[i, j] = c + cap * (p[i, j] + rows + across + (ambient - c) * rz)
        old, new = new, old
    return old


@jax_program()
def hotspot_jax(t, p, steps, cap, rx, ry, rz):
    def step(_, t):
        e = jnp.pad(t, 1, "edge")
        up, down, west, east = e[:-2, 1:-1], e[2:, 1:-1], e[1:-1, :-2], e[1:-1, 2:]
        return t + cap * (p + (down + up - 2 * t) * ry + (east + west - 2 * t) * rx + (80 - t) * rz)

    return lax.fori_loop(0, steps, step, t)


# -- k-means


@numpy_program
def kmeans_numpy(points, centres, rounds):
    c, d = centres, points.shape[1]
    for _ in range(rounds):
        at = ((c * c).sum(1) - 2 * (points @ c.T)).argmin(1)
        counts = np.bincount(at, minlength=len(c)).astype(np.float32)
        sums = np.stack([np.bincount(at, points[:, j], len(c)) for j in range(d)], axis=1).astype(np.float32)
        c = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], c)
    return c


@numba_program
def kmeans_numba(points, centres, rounds):
    n, d = points.shape
    k = len(centres)
    c = centres.copy()
    for _ in range(rounds):
        sums, counts = np.zeros((k, d), np.float32), np.zeros(k, np.float32)
        for i in range(n):
            best, at = np.float32(np.inf), 0
            for j in range(k):
                distance = np.float32(0)
                for e in range(d):
                    distance += (points[i, e] - c[j, e]) * (points[i, e] - c[j, e])
                if distance < best:
                    best, at = distance, j
            counts[at] += np.float32(1)
            for e in range(d):
                sums[at, e] += points[i, e]
        for j in range(k):
            if counts[j] > 0:
                for e in range(d):
                    c[j, e] = sums[j, e] / counts[j]
    return c


@jax_program()
def kmeans_jax(points, centres, rounds):
    def step(_, c):
        at = ((c * c).sum(1) - 2 * (points @ c.T)).argmin(1)
        counts = jnp.zeros(len(c), jnp.float32).at[at].add(1)
        sums = jnp.zeros_like(c).at[at].add(points)
        return jnp.where(counts[:, None] > 0, sums / jnp.maximum(counts, 1)[:, None], c)

    return lax.fori_loop(0, rounds, step, centres)


# -- nearest records


@numpy_program
def nn_numpy(lat, lng, y, x, k):
    d = np.sqrt((lat - np.float32(y)) ** 2 + (lng - np.float32(x)) ** 2)
    near = np.argpartition(d, k)[:k]
    near = near[np.lexsort((near, d[near]))]
    return near, d[near]


@numba_program
def nn_numba(lat, lng, y, x, k):
    y, x = np.float32(y), np.float32(x)
    at, found = np.full(k, -1), np.full(k, np.float32(np.inf))
    for i in range(len(lat)):
        d = np.sqrt((lat[i] - y) * (lat[i] - y) + (lng[i] - x) * (lng[i] - x))
        if d < found[k - 1]:
            j = k - 1
            while j > 0 and found[j - 1] > d:
                found[j], at[j] = found[j - 1], at[j - 1]
                j -= 1
            found[j], at[j] = d, i
    return at, found


@jax_program(4)
def nn_jax(lat, lng, y, x, k):
    found, at = lax.top_k(-jnp.sqrt((lat - y) ** 2 + (lng - x) ** 2), k)
    return at, -found


# -- Mandelbrot's set


@numpy_program
def mandelbrot_numpy(width, height, limit):
    one = np.float32(1)
    x0 = np.arange(width, dtype=np.float32) * (np.float32(3) / np.float32(width)) - np.float32(2)
    y0 = np.arange(height, dtype=np.float32) * (np.float32(2) / np.float32(height)) - one
    x0, y0 = np.broadcast_to(x0, (height, width)), np.broadcast_to(y0[:, None], (height, width))
    x, y, n = x0.copy(), y0.copy(), np.zeros((height, width), np.int32)
    with np.errstate(all="ignore"):
        for _ in range(limit):
            n += x * x + y * y <= 4
            x, y = x * x - y * y + x0, 2 * x * y + y0
    return n


@numba_program
def mandelbrot_numba(width, height, limit):
    n = np.empty((height, width), np.int32)
    dx, dy = np.float32(3) / np.float32(width), np.float32(2) / np.float32(height)
    for j in range(height):
        y0 = np.float32(j) * dy - np.float32(1)
        for i in range(width):
            x0 = np.float32(i) * dx - np.float32(2)
            x, y, count = x0, y0, 0
            while count < limit and x * x + y * y <= np.float32(4):
                x, y = x * x - y * y + x0, np.float32(2) * x * y + y0
                count += 1
            n[j, i] = count
    return n


@jax_program(0, 1)
def mandelbrot_jax(width, height, limit):
    x0 = jnp.arange(width, dtype=jnp.float32) * (jnp.float32(3) / width) - 2
    y0 = jnp.arange(height, dtype=jnp.float32) * (jnp.float32(2) / height) - 1
    x0, y0 = jnp.broadcast_to(x0, (height, width)), jnp.broadcast_to(y0[:, None], (height, width))

    def going(state):
        step, inside = state[0], state[-1]
        return (step < limit) & inside.any()

    def step(state):
        step, x, y, n, inside = state
        n = n + inside
        x, y = jnp.where(inside, x * x - y * y + x0, x), jnp.where(inside, 2 * x * y + y0, y)
        return step + 1, x, y, n, x * x + y * y <= 4

    start = 0, x0, y0, jnp.zeros((height, width), jnp.int32), x0 * x0 + y0 * y0 <= 4
    return lax.while_loop(going, step, start)[3]


# -- filter and scan


@numpy_program
def filtered_numpy(x):
    return x[x > 0]


@numba_program
def filtered_numba(x):
    made, count = np.empty_like(x), 0
    for v in x:
        made[count] = v
        count += v > 0
    return made[:count]


@jax_program()
def filtered_jax(x):
    return jnp.nonzero(x > 0, size=len(x), fill_value=0)[0], jnp.count_nonzero(x > 0)


@numpy_program
def scanned_numpy(x):
    return np.cumsum(x, dtype=np.float32)


@numba_program
def scanned_numba(x):
    made, total = np.empty_like(x), np.float32(0)
    for i in range(len(x)):
        total += x[i]
        made[i] = total
    return made


@jax_program()
def scanned_jax(x):
    return jnp.cumsum(x)


# -- bodies


@numpy_program
def nbody_numpy(x, y, z, mass):
    dx, dy, dz = (each[None, :] - each[:, None] for each in (x, y, z))
    r2 = dx * dx + dy * dy + dz * dz + np.float32(0.01)
    s = mass / (r2 * np.sqrt(r2))
    return (dx * s).sum(1), (dy * s).sum(1), (dz * s).sum(1)


@numba_program
def nbody_numba(x, y, z, mass):
    n = len(x)
    ax, ay, az = np.empty(n, np.float32), np.empty(n, np.float32), np.empty(n, np.float32)
    for i in range(n):
        tx, ty, tz = np.float32(0), np.float32(0), np.float32(0)
        for j in range(n):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            r2 = dx * dx + dy * dy + dz * dz + np.float32(0.01)
            s = mass[j] / (r2 * np.sqrt(r2))
            tx += dx * s
            ty += dy * s
            tz += dz * s
        ax[i], ay[i], az[i] = tx, ty, tz
    return ax, ay, az


@jax_program()
def nbody_jax(x, y, z, mass):
    dx, dy, dz = (each[None, :] - each[:, None] for each in (x, y, z))
    r2 = dx * dx + dy * dy + dz * dz + 0.01
    s = mass / (r2 * jnp.sqrt(r2))
    return (dx * s).sum(1), (dy * s).sum(1), (dz * s).sum(1)


# -- what answers


def device(args):
    return [jax.device_put(each) if isinstance(each, np.ndarray) and each.ndim else each for each in args]


class Runner:
    def __init__(self):
        self.kept = {}

    def run(self, peer, program, args):
        function = PROGRAMS[peer][program]
        begin = time.perf_counter()
        result = function(*args)
        if peer == "JAX":
            jax.block_until_ready(result)
        return result, time.perf_counter() - begin

    def answer(self, asked):
        if "peers" in asked:
            versions = {"NumPy": np.__version__}
            versions |= {"Numba": numba.__version__} if numba else {}
            versions |= {"JAX": jax.__version__} if jax else {}
            return {"versions": versions, "programs": {peer: sorted(has) for peer, has in PROGRAMS.items() if has}}
        key = asked["peer"], asked["program"]
        if "data" in asked:
            found = np.load(asked["data"])
            args = [found[f"arr_{i}"] for i in range(len(found.files))]
            args = [each if each.ndim else each.item() for each in args]
            args = device(args) if asked["peer"] == "JAX" else args
            self.kept = {known: each for known, each in self.kept.items() if known[1] == key[1]}
            self.kept[key] = args
            result, first = self.run(*key, args)
            _, second = self.run(*key, args)
            results = result if isinstance(result, tuple) else (result,)
            np.savez(asked["result"], *(np.asarray(each) for each in results))
            return {"first": first, "seconds": second}
        _, seconds = self.run(*key, self.kept[key])
        return {"seconds": seconds}


def main():
    runner = Runner()
    for line in sys.stdin:
        try:
            found = runner.answer(json.loads(line))
        except Exception as error:  # whoever asks shows it
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
