"""Products and layers of low precision against oneDNN and MKL: squares, and the layers of BERT-base and ResNet-50.

`python -m bench lowp` runs this module in a process of its own (`bench.versus.run_pinned`). oneDNN takes part twice. The
package of its newest version runs primitives through SYCL, in threads of its own, so that of it only the plain products are
called, on weights as they are. "matmul" is the primitive of the last package that runs where it is called, with weights in the
layout that it asks for and, in layers, everything else fused. MKL's weights are packed too, and ours. Peers are held to the
instructions that `usl_avx512` has, which has none for matrix registers (AMX); with --any they may use all they know.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import peers, versus
from bench.toolchain import compiler, run_tool
from bench.versus import OURS, Case, TimingLoop

SQUARE = (128, 256, 512, 768, 1024, 2048)
FEW = tuple((tokens, k, n) for tokens in (1, 8) for k, n in ((768, 768), (768, 3072), (3072, 768)))
BERT = tuple((tokens, k, n) for tokens in (128, 512) for k, n in ((768, 768), (768, 3072), (3072, 768)))
RESNET = (
    (3136, 64, 64),
    (3136, 576, 64),
    (3136, 64, 256),
    (3136, 256, 64),
    (784, 256, 128),
    (784, 1152, 128),
    (784, 128, 512),
    (784, 512, 128),
    (196, 512, 256),
    (196, 2304, 256),
    (196, 256, 1024),
    (196, 1024, 256),
    (49, 1024, 512),
    (49, 4608, 512),
    (49, 512, 2048),
    (49, 2048, 512),
)
"""Rows, sums and columns of ResNet-50's layers, its convolutions as products, one image."""
ENVIRONMENT = Path(__file__).parents[1] / ".venv-onednn"
"""Where `make bench WHAT=lowp` puts the oneDNN of "matmul"."""
MATMUL = "matmul"
HELD = {"oneDNN": "AVX512_CORE_BF16", "MKL": "AVX512_E3"}
"""The most that peers may use: VNNI and the products of bf16."""

GEOMETRIC_MEAN = 1.03
"""What is asked of the ratios to the best peer, none of which may be below 1."""
FEW_ROWS = 2.0
"""What is asked of one row and of eight."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A product or a layer: types of A, B and C, the C function, and the instruction with its operations."""

    a: str
    b: str
    c: str
    entry: str
    instruction: str
    operations: int
    mkl: str = ""
    """MKL's routine, without `cblas_` and what it appends."""
    onednn: str = ""
    """oneDNN's plain product."""

    @property
    def layer(self) -> bool:
        return "linear" in self.entry


KINDS = {
    "u8s8": Kind("uint8", "int8", "int32", "usl_gemm_u8s8s32", "vpdpbusd", 128, "gemm_s8u8s32", "gemm_u8s8s32"),
    "s8s8": Kind("int8", "int8", "int32", "usl_gemm_s8s8s32", "vpdpbusd", 128, onednn="gemm_s8s8s32"),
    "s16s16": Kind("int16", "int16", "int32", "usl_gemm_s16s16s32", "vpdpwssd", 64, "gemm_s16s16s32"),
    "bf16": Kind("bfloat16", "bfloat16", "float32", "usl_gemm_bf16f32", "vdpbf16ps", 64, "gemm_bf16bf16f32"),
    "u8s8u8": Kind("uint8", "int8", "uint8", "usl_linear_u8s8u8", "vpdpbusd", 128),
    "bf16bf16": Kind("bfloat16", "bfloat16", "bfloat16", "usl_linear_bf16bf16", "vdpbf16ps", 64),
}
DNNL = {"bfloat16": 2, "float32": 3, "int32": 4, "int8": 5, "uint8": 6}
"""`dnnl_data_type_t`."""

THUNKS = """
struct product {
    void *function;
    int64_t m, n, k;
    const void *a, *b, *sums;
    void *c;
    const void *bias;
    const float *scale;
};
typedef int (*usl_gemm)(int64_t, int64_t, int64_t, const void *, int64_t, const void *, void *, int64_t);
typedef int (*usl_signed)(int64_t, int64_t, int64_t, const void *, int64_t, const void *, const void *, void *, int64_t);
typedef int (*usl_linear)(int64_t, int64_t, int64_t, const void *, int64_t, const void *, const void *, const float *, float,
                          float, void *, int64_t);
typedef int (*usl_floats)(int64_t, int64_t, int64_t, const void *, int64_t, const void *, const void *, float, float, void *,
                          int64_t);
typedef void (*mkl_integers)(int, int, int, int, int, int, int, float, const void *, int, int, const void *, int, int, float,
                             int32_t *, int, const int32_t *);
typedef void (*mkl_floats)(int, int, int, int, int, int, float, const void *, int, const void *, int, float, float *, int);
typedef int (*dnnl_integers)(char, char, char, int64_t, int64_t, int64_t, float, const void *, int64_t, int, const void *,
                             int64_t, int, float, int32_t *, int64_t, const int32_t *);
static const int32_t none;
void run_plain_onednn(void *state)
{
    const struct product *p = state;
    ((dnnl_integers)p->function)('N', 'N', 'F', p->m, p->n, p->k, 1, p->a, p->k, 0, p->b, p->n, 0,
                                 ADDS, p->c, p->n, &none);
}
void run_usl(void *state)
{
    const struct product *p = state;
    if (p->scale != NULL)
        ((usl_linear)p->function)(p->m, p->n, p->k, p->a, p->k, p->b, p->bias, p->scale, 0.0f, __builtin_inff(), p->c, p->n);
    else if (p->bias != NULL)
        ((usl_floats)p->function)(p->m, p->n, p->k, p->a, p->k, p->b, p->bias, 0.0f, __builtin_inff(), p->c, p->n);
    else if (p->sums != NULL)
        ((usl_signed)p->function)(p->m, p->n, p->k, p->a, p->k, p->b, p->sums, p->c, p->n);
    else
        ((usl_gemm)p->function)(p->m, p->n, p->k, p->a, p->k, p->b, p->c, p->n);
}
void run_mkl(void *state)
{
    const struct product *p = state; /* row-major, not transposed, packed, one offset, which is 0 */
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    ((mkl_integers)p->function)(101, 111, 151, 173, m, n, k, 1, p->a, k, 0, p->b, n, 0, 1, p->c, n, &none);
}
void run_mkl_floats(void *state)
{
    const struct product *p = state;
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    ((mkl_floats)p->function)(101, 111, 151, m, n, k, 1, p->a, k, p->b, n, 1, p->c, n);
}
"""
"""MKL's products add to C as ours do; oneDNN's write it, or add to it where ADDS is 1."""

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
    const __m512i a = _mm512_setzero_si512(), b = _mm512_setzero_si512();
    __m512i @SUMS@;
    double best = 0.0;
    for (int repeat = 0; repeat < 9; repeat++) {
        const double begin = now();
        for (long round = 0; round < 1000000; round++) {
@STEPS@
        }
        const double rate = 1e6 * 24 * @OPERATIONS@ / (now() - begin);
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
        *((matrix, ctypes.c_void_p) for matrix in ("a", "b", "sums", "c", "bias", "scale")),
    )


def shapes(kind: Kind) -> list[tuple[str, int, int, int]]:
    """Name, M, N and K of every case; layers are measured on the shapes of networks."""
    squares = [] if kind.layer else [(f"n = {n}", n, n, n) for n in SQUARE]
    return squares + [(f"{m} x {k} x {n}", m, n, k) for m, k, n in (*FEW, *BERT, *RESNET)]


def peak(directory: str, kind: Kind) -> float:
    """Gop/s of one core that does nothing but these products, with 24 sums in registers."""
    source, program = Path(directory, "peak.c"), Path(directory, "peak")
    step = f'            __asm__ volatile("{kind.instruction} %2, %1, %0" : "+v"(s{{}}) : "v"(a), "v"(b));'
    sums = ", ".join(f"s{i} = _mm512_set1_epi32({i})" for i in range(24))
    total = "s0"
    for i in range(1, 24):
        total = f"_mm512_add_epi32({total}, s{i})"
    text = PEAK.replace("@SUMS@", sums).replace("@STEPS@", "\n".join(step.format(i) for i in range(24)))
    source.write_text(text.replace("@TOTAL@", total).replace("@OPERATIONS@", str(kind.operations)), encoding="utf-8")
    run_tool([*compiler(), "-O2", "-mavx512f", str(source), "-o", str(program)])
    return max(float(run_tool([str(program)])) for _ in range(3))


def random_matrix(random: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """Small enough for exact sums in f32: integers of 3 bits for bf16; bytes of 7 bits, as without VNNI others saturate."""
    import numpy as np

    if dtype == "bfloat16":
        return (random.integers(-4, 5, shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    low = 0 if dtype == "uint8" else -128
    return random.integers(low, 128, shape).astype(dtype)


def values(array: Any) -> Any:
    """As numbers: bits of bf16 are those of f32's upper half."""
    import numpy as np

    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


class Sides:
    """The contestants on one case: each side's thunk and state, and the array of its results."""

    def __init__(
        self, kind: Kind, loop: TimingLoop, libraries: Sequence[peers.Peer], own: int, random: Any, size: tuple[int, int, int]
    ) -> None:
        import numpy as np

        self.kind, self.loop = kind, loop
        self.m, self.n, self.k = size
        self.a, self.b = random_matrix(random, (self.m, self.k), kind.a), random_matrix(random, (self.k, self.n), kind.b)
        self.scale: Any = None
        self.bias: Any = None
        if kind.layer:
            if kind.b == "int8":
                self.scale = np.full(self.n, 2.0**-8, np.float32)
            self.bias = random.integers(-100, 100, self.n).astype(np.float32)
        self.contestants: dict[str, tuple[int, list[int]]] = {}
        self.results: dict[str, Any] = {}
        self.kept: list[Any] = []
        self._ours(own)
        for peer in libraries:
            if peer.name == "MKL" and kind.mkl:
                self._mkl(peer)
            elif peer.name == "oneDNN" and kind.onednn:
                self._add("oneDNN", "run_plain_onednn", peer.address(kind.onednn), self.b)
            elif peer.name == MATMUL and kind.a in DNNL:
                self._matmul()

    def wanted(self) -> Any:
        """The sums, or what a layer makes of them, exactly."""
        import numpy as np

        sums = values(self.a) @ values(self.b)
        if self.scale is not None:
            sums = sums * self.scale.astype(np.float64)
        return sums if self.bias is None else np.maximum(sums + self.bias, 0)

    def _result(self, side: str) -> Any:
        import numpy as np

        dtype = "uint16" if self.kind.c == "bfloat16" else self.kind.c
        self.results[side] = np.zeros((self.m, self.n), dtype)
        return self.results[side]

    def _add(self, side: str, thunk: str, function: int, weights: Any, sums: Any = None, bias: Any = None) -> None:
        pointers = [None if each is None else each.ctypes.data for each in (self.a, weights, sums, self._result(side), bias)]
        scale = None if bias is None or self.scale is None else self.scale.ctypes.data
        state = State(function, self.m, self.n, self.k, *pointers, scale)
        self.kept += [state, weights, sums, bias]
        self.contestants[side] = (self.loop.address(thunk), [ctypes.addressof(state)])

    def _ours(self, own: int) -> None:
        import numpy as np

        from usl_avx512.kernels import Packed

        packed = Packed(self.b)
        sums = packed.sums if self.kind.a == "int8" else None
        bias = self.bias
        if self.scale is not None:  # ours is added before scaling
            bias = (bias / self.scale).astype(np.int32)
        self._add(OURS, "run_usl", own, packed.panels, sums, bias)

    def _mkl(self, peer: peers.Peer) -> None:
        import numpy as np

        routine = f"cblas_{self.kind.mkl}"
        size = getattr(peer.library, f"{routine}_pack_get_size")
        size.restype = ctypes.c_size_t
        packed = np.zeros(size(162, self.m, self.n, self.k) + 64, np.uint8)  # 162: B
        packed = packed[-packed.ctypes.data % 64 :]
        b, w = (ctypes.c_void_p(each.ctypes.data) for each in (self.b, packed))
        getattr(peer.library, f"{routine}_pack")(101, 162, 111, self.m, self.n, self.k, b, self.n, w)
        thunk = "run_mkl_floats" if self.kind.c == "float32" else "run_mkl"
        self._add("MKL", thunk, peer.address(f"{routine}_compute"), packed)

    def _matmul(self) -> None:
        types = (DNNL[each] for each in (self.kind.a, self.kind.b, self.kind.c))
        result = self._result(MATMUL)
        pointer = ctypes.c_void_p
        arrays = [None if x is None else pointer(x.ctypes.data) for x in (self.a, self.b, result, self.scale, self.bias)]
        create = self.loop.function("onednn_product")
        create.restype = pointer
        state = create(*types, *(ctypes.c_int64(size) for size in (self.m, self.n, self.k)), *arrays)
        if state is None:
            raise RuntimeError(f"oneDNN refuses {self.kind}")
        self.contestants[MATMUL] = (self.loop.address("run_onednn"), [state])

    def wrong(self) -> list[str]:
        """The sides whose results are not those wanted; what is rounded may be one step away."""
        import numpy as np

        wanted, found = self.wanted(), []
        for side, (work, states) in self.contestants.items():
            self.loop.sample(work, states, 1)
            result = values(self.results[side])
            if self.kind.c == "uint8":
                close = np.abs(result - np.clip(wanted, 0, 255)) <= 0.5 + 1e-3
            elif self.kind.c == "bfloat16":
                close = np.abs(result - wanted) <= 2.0**-8 * np.abs(wanted) + 1e-3
            else:
                close = result == wanted
            if not np.all(close):
                found.append(side)
        return found


def matmul() -> tuple[str, list[str]]:
    """C text with `run_onednn`, and the flags for the compiler; nothing where the library is not installed.

    The library is given with its path, which the loader keeps apart from another of the same name.
    """
    if not (ENVIRONMENT / "include" / "oneapi" / "dnnl" / "dnnl.h").exists():
        return "", []
    lib = ENVIRONMENT / "lib"
    flags = [f"-I{ENVIRONMENT}/include", f"-Wl,--disable-new-dtags,-rpath,{lib},--no-as-needed", f"{lib}/libdnnl.so"]
    return Path(__file__).with_name("lowp_onednn.c").read_text(encoding="utf-8"), flags


def measure(
    kinds: Sequence[str], rounds: int, held: bool, only: Sequence[str], adds: bool = False, without: Sequence[str] = ()
) -> dict[str, Any]:
    """Rows for every kind and shape, or those named; peers held to HELD or not, those of `without` left out."""
    import numpy as np

    from usl_avx512.kernels.short_library import short_path

    versus.pin()
    most_of_onednn = HELD["oneDNN"] if held else "DEFAULT"
    os.environ["DNNL_MAX_CPU_ISA"] = most_of_onednn
    if held:
        os.environ["MKL_ENABLE_INSTRUCTIONS"] = HELD["MKL"]
    text, flags = matmul()
    random, tables, problems = np.random.default_rng(16), {}, []
    with (
        TimingLoop(f"#define ADDS {int(adds)}\n{THUNKS}{text}", flags) as loop,
        tempfile.TemporaryDirectory(prefix="usl-lowp-") as directory,
    ):
        libraries, missing = peers.available(lambda: peers.onednn(most_of_onednn), peers.mkl)
        if text:
            loop.function("onednn_version").restype = ctypes.c_char_p
            libraries.append(
                peers.Peer(MATMUL, loop.library, "", f"{MATMUL}: oneDNN {loop.function('onednn_version')().decode()}")
            )
        else:
            missing.append(f"{MATMUL}: onednn-cpu-gomp is not installed in {ENVIRONMENT.name}")
        libraries = [each for each in libraries if each.name not in without]
        for name in kinds:
            kind = KINDS[name]
            most = peak(directory, kind)
            library = ctypes.CDLL(str(short_path(kind.entry)))
            own = ctypes.cast(getattr(library, kind.entry), ctypes.c_void_p).value or 0
            print(f"{name}: peak of {kind.instruction} {most:.0f} Gop/s")
            rows: list[versus.Row] = []
            for label, m, n, k in shapes(kind):
                if only and label not in only:
                    continue
                sides = Sides(kind, loop, libraries, own, random, (m, n, k))
                if not rows:
                    print(versus.heading(list(sides.contestants)))
                problems += [f"{name} {label}: {side} gives other results" for side in sides.wrong()]
                sizes = (sides.a.nbytes, sides.b.nbytes, 2 * sides.results[OURS].nbytes)
                rows.append(loop.measure(Case(label, 2.0 * m * n * k, float(sum(sizes))), sides.contestants, rounds))
                print(versus.line(rows[-1], most), flush=True)
            tables[name] = {"rows": [row.as_json() for row in rows], "peak_gflops": most, "missed": judge(rows)}
    return {"tables": tables, "peers": [peer.version for peer in libraries], "missing": missing, "problems": problems}


def judge(rows: Sequence[versus.Row]) -> list[str]:
    """The goals that are missed: no row behind, ahead in geometric mean, twice as fast with few rows."""
    few = {f"{m} x {k} x {n}" for m, k, n in FEW}
    compared = [row for row in rows if row.peers]
    found = versus.missed([row for row in compared if row.case.name not in few], 1.0)
    found += versus.missed([row for row in compared if row.case.name in few], FEW_ROWS)
    networks = {f"{m} x {k} x {n}" for m, k, n in (*BERT, *RESNET)}
    ratios = [versus.ratio_to_best(row).median for row in compared if row.case.name in networks]
    if ratios and (mean := versus.geometric_mean(ratios)) < GEOMETRIC_MEAN:
        found.append(f"geometric mean of the ratios to the best peer: {mean:.3f}, goal {GEOMETRIC_MEAN}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; all unless given")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--any", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--adds", action="store_true", help="oneDNN's products add to C, as ours do, instead of writing it")
    parser.add_argument("--without", nargs="*", default=[], help="peers that take no part: MKL takes most of the time")
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"there are the kinds {', '.join(KINDS)}, not {', '.join(unknown)}")
    kinds = options.kinds or list(KINDS)
    print(json.dumps(measure(kinds, options.rounds, not options.any, options.only, options.adds, options.without)))


if __name__ == "__main__":
    main()
