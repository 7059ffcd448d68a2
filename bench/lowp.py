"""Products of bytes with 32-bit sums against oneDNN and MKL: squares, and the layers of BERT-base and ResNet-50.

`python -m bench lowp` runs this module in processes of its own (`bench.versus.run_pinned`). B is packed before, on all sides
that can be given it so: ours and MKL. Peers may use matrix registers (AMX), which `usl_avx512` does not; a run holds
them to the instructions that it has (VNNI): the first table, which is judged.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import peers, versus
from bench.toolchain import compiler, run_tool
from bench.versus import OURS, Case, TimingLoop

SQUARE = (128, 256, 512, 768, 1024, 2048)
BERT = tuple((tokens, k, n) for tokens in (1, 8, 128, 512) for k, n in ((768, 768), (768, 3072), (3072, 768)))
RESNET = (
    (3136, 64, 64),
    (3136, 64, 256),
    (784, 512, 128),
    (784, 1152, 128),
    (196, 1024, 256),
    (196, 2304, 256),
    (49, 4608, 512),
)
"""Rows, sums and columns of layers: convolutions as products."""
HELD = {"oneDNN": "AVX512_CORE_VNNI", "MKL": "AVX512_E1"}
"""The most that peers may use in that run."""

GEOMETRIC_MEAN = 1.03

THUNKS = """
struct product {
    void *function;
    int64_t m, n, k;
    const uint8_t *a;
    const int8_t *b;
    int32_t *c;
};
typedef int (*usl_gemm)(int64_t, int64_t, int64_t, const uint8_t *, int64_t, const int8_t *, int32_t *, int64_t);
typedef int (*dnnl_gemm)(char, char, char, int64_t, int64_t, int64_t, float, const uint8_t *, int64_t, uint8_t, const int8_t *,
                         int64_t, int8_t, float, int32_t *, int64_t, const int32_t *);
typedef void (*mkl_gemm)(int, int, int, int, int, int, int, float, const uint8_t *, int, uint8_t, const int8_t *, int, int8_t,
                         float, int32_t *, int, const int32_t *);
typedef void (*mkl_compute)(int, int, int, int, int, int, int, float, const void *, int, uint8_t, const void *, int, int8_t,
                            float, int32_t *, int, const int32_t *);
static const int32_t none;
void run_usl(void *state)
{
    const struct product *p = state;
    ((usl_gemm)p->function)(p->m, p->n, p->k, p->a, p->k, p->b, p->c, p->n);
}
void run_onednn(void *state)
{
    const struct product *p = state;
    ((dnnl_gemm)p->function)('N', 'N', 'F', p->m, p->n, p->k, 1, p->a, p->k, 0, p->b, p->n, 0, 1, p->c, p->n, &none);
}
void run_mkl(void *state)
{
    const struct product *p = state; /* row-major, not transposed, packed, one offset, which is 0 */
    ((mkl_compute)p->function)(101, 111, 151, 173, (int)p->m, (int)p->n, (int)p->k, 1, p->a, (int)p->k, 0, p->b, (int)p->n, 0,
                               1, p->c, (int)p->n, &none);
}
"""

PEAK = """\
#include <immintrin.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    const __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(5);
    __m512i @SUMS@;
    double best = 0.0;
    for (int repeat = 0; repeat < 9; repeat++) {
        const double begin = now();
        for (long round = 0; round < 1000000; round++) {
@STEPS@
        }
        const double rate = 1e6 * 24 * 128 / (now() - begin);
        best = rate > best ? rate : best;
    }
    printf("%.3f\\n", best / 1e9);
    return _mm512_reduce_add_epi32(@TOTAL@) == 1;
}
"""


class State(ctypes.Structure):
    """`struct product` of THUNKS."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        *((size, ctypes.c_int64) for size in "mnk"),
        *((matrix, ctypes.c_void_p) for matrix in "abc"),
    )


def shapes() -> list[tuple[str, int, int, int]]:
    """Name, M, N and K of every case."""
    squares = [(f"n = {n}", n, n, n) for n in SQUARE]
    return squares + [(f"{m} x {k} x {n}", m, n, k) for m, k, n in (*BERT, *RESNET)]


def peak(directory: str) -> float:
    """Gop/s of one core that does nothing but multiply bytes, with 24 sums in registers."""
    source, program = Path(directory, "peak.c"), Path(directory, "peak")
    steps = "\n".join(f'            __asm__ volatile("vpdpbusd %2, %1, %0" : "+v"(s{i}) : "v"(a), "v"(b));' for i in range(24))
    sums = ", ".join(f"s{i} = _mm512_set1_epi32({i})" for i in range(24))
    total = "s0"
    for i in range(1, 24):
        total = f"_mm512_add_epi32({total}, s{i})"
    text = PEAK.replace("@SUMS@", sums).replace("@STEPS@", steps).replace("@TOTAL@", total)
    source.write_text(text, encoding="utf-8")
    run_tool([*compiler(), "-O2", "-mavx512f", "-mavx512vnni", str(source), "-o", str(program)])
    return max(float(run_tool([str(program)])) for _ in range(3))


def measure(rounds: int, held: bool, only: Sequence[str]) -> dict[str, Any]:
    """Rows for every shape, or those named; peers held to HELD or not."""
    import numpy as np

    from usl_avx512.kernels import Packed
    from usl_avx512.kernels.short import short_path

    versus.pin()
    if held:
        os.environ["MKL_ENABLE_INSTRUCTIONS"] = HELD["MKL"]
    loaders = [lambda: peers.onednn(HELD["oneDNN"] if held else "DEFAULT"), peers.mkl]
    libraries, missing = peers.available(*loaders)
    ours = ctypes.CDLL(str(short_path("usl_gemm_u8s8s32")))
    own = ctypes.cast(ours.usl_gemm_u8s8s32, ctypes.c_void_p).value or 0
    random, rows, problems = np.random.default_rng(16), [], []
    with tempfile.TemporaryDirectory(prefix="usl-lowp-") as directory:
        most = peak(directory)
    print(f"peak of vpdpbusd: {most:.0f} Gop/s; peers held to VNNI: {'yes' if held else 'no'}")
    print(versus.heading([OURS, *(peer.name for peer in libraries)]))
    with TimingLoop(THUNKS) as loop:
        for label, m, n, k in shapes():
            if only and label not in only:
                continue
            a = random.integers(0, 128, (m, k), dtype=np.uint8)  # 7 bits: where there is no VNNI, others saturate
            b = random.integers(-128, 128, (k, n), dtype=np.int8)
            packed = Packed(b)
            sides = {OURS: (own, packed.panels, "run_usl")}
            for peer in libraries:
                if peer.name == "MKL":
                    sides["MKL"] = (peer.address("cblas_gemm_s8u8s32_compute"), _packed_by(peer, m, n, k, b), "run_mkl")
                else:
                    sides[peer.name] = (peer.address("gemm_u8s8s32"), b, "run_onednn")
            wanted = a.astype(np.float64) @ b.astype(np.float64)
            contestants, kept = {}, []
            for side, (function, weights, thunk) in sides.items():
                c = np.zeros((m, n), np.int32)
                state = State(function, m, n, k, a.ctypes.data, weights.ctypes.data, c.ctypes.data)
                loop.sample(loop.address(thunk), [ctypes.addressof(state)], 1)
                if not np.array_equal(c, wanted):
                    problems.append(f"{label}: {side} gives other sums")
                kept.append((state, c, weights))
                contestants[side] = (loop.address(thunk), [ctypes.addressof(state)])
            case = Case(label, 2.0 * m * n * k, float(m * k + k * n + 8 * m * n))
            rows.append(loop.measure(case, contestants, rounds))
            print(versus.line(rows[-1], most), flush=True)
    return {
        "rows": [row.as_json() for row in rows],
        "peak_gflops": most,
        "peers": [peer.version for peer in libraries],
        "missing": missing,
        "problems": problems,
    }


def _packed_by(peer: peers.Peer, m: int, n: int, k: int, b: Any) -> Any:
    """B as MKL packs it."""
    import numpy as np

    size = peer.library.cblas_gemm_s8u8s32_pack_get_size
    size.restype = ctypes.c_size_t
    packed = np.zeros(size(162, m, n, k) + 64, np.uint8)  # 162: B
    packed = packed[-packed.ctypes.data % 64 :]
    pointer = ctypes.c_void_p
    peer.library.cblas_gemm_s8u8s32_pack(101, 162, 111, m, n, k, pointer(b.ctypes.data), n, pointer(packed.ctypes.data))
    return packed


def judge(rows: Sequence[versus.Row]) -> list[str]:
    """The goals that are missed against peers with the same instructions: no row behind, ahead in geometric mean."""
    compared = [row for row in rows if row.peers]
    found = versus.missed(compared, 1.0)
    if compared:
        mean = versus.geometric_mean([versus.ratio_to_best(row).median for row in compared])
        if mean < GEOMETRIC_MEAN:
            found.append(f"geometric mean of the ratios to the best peer: {mean:.3f}, goal {GEOMETRIC_MEAN}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    print(json.dumps(measure(options.rounds, options.held, options.only)))


if __name__ == "__main__":
    main()
