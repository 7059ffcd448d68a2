"""How many single-precision multiply-adds one core of this machine can do: the denominator of "percent of peak".

The probe keeps independent accumulators in registers and does nothing else. Each starts from a value of its own that the
compiler cannot know: accumulators that start equal stay equal, and a compiler that sees it computes one of them and reports a
multiple of the peak. A test looks at the machine code.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from bench.toolchain import compiler, run_tool

ACCUMULATORS = 12
"""Enough to hide a latency of 6 cycles at two multiply-adds a cycle; with the two operands they fit sixteen registers."""

SOURCE = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef float vector __attribute__((vector_size(VECTOR_BYTES)));
enum { LANES = VECTOR_BYTES / 4, ACCUMULATORS = @COUNT@ };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* acc = acc * scale + shift, contracted to one fused multiply-add. The values converge to 1 and never become denormal. */
__attribute__((noinline)) void fma_loop(int64_t rounds, const vector *start, vector scale, vector shift, vector *result)
{
@LOAD@
    for (int64_t r = 0; r < rounds; r++) {
@STEP@
    }
@STORE@
}

int main(int argc, char **argv)
{
    const int64_t rounds = argc > 1 ? strtoll(argv[1], NULL, 10) : 2000000;
    const int repeats = argc > 2 ? atoi(argv[2]) : 9;
    vector start[ACCUMULATORS], result[ACCUMULATORS], scale, shift;
    double best = 0.0, sink = 0.0;
    for (int a = 0; a < ACCUMULATORS; a++)
        for (int lane = 0; lane < LANES; lane++)
            start[a][lane] = 1.0f + 0.001f * (float)(a * LANES + lane + argc);
    for (int lane = 0; lane < LANES; lane++) {
        scale[lane] = 1.0f - 0.0001f * (float)argc;
        shift[lane] = 0.0001f * (float)argc;
    }
    for (int repeat = 0; repeat < repeats; repeat++) {
        const double begin = now();
        fma_loop(rounds, start, scale, shift, result);
        const double seconds = now() - begin;
        const double gflops = 2.0 * LANES * ACCUMULATORS * (double)rounds / seconds / 1e9;
        best = gflops > best ? gflops : best;
        for (int a = 0; a < ACCUMULATORS; a++)
            sink += (double)result[a][a % LANES];
    }
    printf("%.3f %.17g\\n", best, sink);
    return 0;
}
"""


@dataclass(frozen=True, slots=True)
class Variant:
    """A register width and the flags that let the compiler use it."""

    name: str
    vector_bytes: int
    flags: tuple[str, ...]


AVX512 = Variant("AVX-512", 64, ("-mavx512f", "-mfma"))
AVX = Variant("AVX", 32, ("-mavx",))
AVX2 = Variant("AVX2", 32, ("-mavx2", "-mfma"))
PORTABLE = Variant("128-bit vectors", 16, ())


def best_variant(features: frozenset[str]) -> Variant:
    """The widest registers that a processor with these features has."""
    if "avx512f" in features:
        return AVX512
    if {"avx2", "fma"} <= features:
        return AVX2
    return AVX if "avx" in features else PORTABLE


def probe_source() -> str:
    """C text of the probe; VECTOR_BYTES is given on the command line."""
    lines = {
        "@LOAD@": "    vector acc{a} = start[{a}];",
        "@STEP@": "        acc{a} = acc{a} * scale + shift;",
        "@STORE@": "    result[{a}] = acc{a};",
    }
    text = SOURCE.replace("@COUNT@", str(ACCUMULATORS))
    for mark, line in lines.items():
        text = text.replace(mark, "\n".join(line.format(a=a) for a in range(ACCUMULATORS)))
    return text


def compile_probe(variant: Variant, directory: Path, *, assembly: bool = False) -> Path:
    """Compile the probe into directory; the path of the program, or of its assembly text."""
    source, output = directory / "peak.c", directory / ("peak.s" if assembly else "peak")
    source.write_text(probe_source(), encoding="utf-8")
    # Contraction to fused multiply-add is what is measured, so it is asked for; -std=c11 would turn it off in gcc.
    # -Wno-psabi: fma_loop takes vectors by value and is called from this file only.
    flags = ["-std=gnu11", "-O2", "-ffp-contract=fast", "-Wno-psabi", f"-DVECTOR_BYTES={variant.vector_bytes}", *variant.flags]
    run_tool([*compiler(), *flags, *(["-S"] if assembly else []), str(source), "-o", str(output)])
    return output


class PeakProbe:
    """The compiled probe, which can be asked again and again; use as a context manager."""

    def __init__(self, features: frozenset[str]) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="usl-peak-"))
        try:
            self._program = compile_probe(best_variant(features), self._directory)
        except BaseException:
            self.close()
            raise

    def gflops(self, *, rounds: int = 2_000_000, repeats: int = 9) -> float:
        """Best of several measurements (a multiply-add counts as two operations)."""
        return float(run_tool([str(self._program), str(rounds), str(repeats)]).split()[0])

    def close(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> PeakProbe:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def fma_peak(features: frozenset[str], *, rounds: int = 2_000_000, repeats: int = 9) -> float:
    """Compile the probe and ask it once; in GFLOP/s."""
    with PeakProbe(features) as probe:
        return probe.gflops(rounds=rounds, repeats=repeats)
