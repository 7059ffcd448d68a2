"""What compiled programs allocate: the runtime's count against `f.allocations()`, with sanitizers, in rounds of loops."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from usl_core import probe
from usl_soac.decorators import parse_program

TEXT = """
@soac
def heat(x: f64[n], k: i64) -> f64[n]:
    for i in range(k):
        x = map(lambda j: 0.5 * x[j] + 0.25 * (x[max(j - 1, 0)] + x[min(j + 1, n - 1)]), iota(n))
    return x

@soac
def means(x: f64[n], k: i64) -> f64[n]:
    for i in range(k):
        s = scan(add, 0.0, x)
        x = map(lambda v: v / s[n - 1], s)
    return x

@soac
def kept(x: f64[n], k: i64) -> f64[_]:
    return filter(lambda v: v > f64(k), x)

@soac
def added(x: f64[n], k: i64) -> f64[n]:
    for i in range(k):
        x = x.set(i % n, x[i % n] + 1.0)
    return x

@soac
def tried(x: f64[n], k: i64) -> f64[n]:
    best = f64(0.0)
    for i in range(k):
        candidates = map(lambda j: best + f64(i * j) * x[0], iota(k + 0))
        at = reduce(min, k - 1, map(lambda c: max(i64(c), 0), candidates))
        best = max(best, candidates[at])
    return map(lambda v: v * best, x)

@soac
def stages(x: f64[n], k: i64) -> f64[n]:
    for i in range(k):
        x0 = x
        for j in range(i % 4):
            x = map(lambda v, w: 0.5 * v + 0.25 * (w + x[0]), x0, x)
    return x

@soac
def restarted(x: f64[n], k: i64) -> f64[n]:
    total = f64(0.0)
    for i in range(k):
        y = x
        for j in range(3):
            y = map(lambda v: 0.5 * v + y[0] + total, y)
        total = total + reduce(add, 0.0, y)
    return map(lambda v: v * total, x)

@soac
def passed_on(x: f64[n], k: i64) -> f64[n]:
    for i in range(k):
        for j in range(2):
            for m in range(i % 3):
                x = map(lambda v: 0.5 * v + 0.25 * x[n - 1], x)
    return x
"""

MAIN = """
#include <stdio.h>
#include "NAME.h"

static void counted(usl_context *ctx, int64_t k)
{
    usl_value x = usl_raw_array_new(40, sizeof(double), "main", ctx);
    for (int i = 0; i < 40; i++)
        ((double *)usl_raw_elements(x))[i] = i;
    const int64_t before = usl_stats_read().allocated;
    struct tuple_i64_array_f64 result = NAME_ext(PARAMS, ctx);
    printf("%d\\n", (int)(usl_stats_read().allocated - before));
    usl_release(result.v1, ctx);
}

int main(void)
{
    usl_context *ctx = usl_context_acquire();
    for (int64_t k = 1; k < 100; k *= 7)
        counted(ctx, k);
    usl_context_release(ctx);
    printf("%d blocks\\n", (int)usl_live_blocks());
    return 0;
}
"""


@pytest.mark.skipif(probe.program("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", ["heat", "means", "kept", "added", "tried", "stages", "restarted", "passed_on"])
def test_the_debug_runtime_counts_as_many_arrays_as_allocations_says_and_no_more_in_more_rounds(
    name: str, tmp_path: Path
) -> None:
    function = parse_program(TEXT)[name]
    function.compiled().compiled.write_c(tmp_path, name)
    (tmp_path / "main.c").write_text(MAIN.replace("NAME", name).replace("PARAMS", "40, x, k"))
    sources = [str(tmp_path / "main.c"), str(tmp_path / f"{name}_all.c")]
    command = [
        "cc",
        "-std=c11",
        "-O0",
        "-DUSL_DEBUG",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        f"-I{tmp_path}",
        *sources,
        "-o",
        str(tmp_path / "main"),
        "-lm",
        "-lpthread",
    ]
    subprocess.run(command, check=True)
    said = subprocess.run([str(tmp_path / "main")], check=True, capture_output=True, text=True).stdout.splitlines()
    places = function.allocations()
    assert said[-1] == "0 blocks" and not any(each.depth for each in places)
    assert said[:-1] == [str(len(places))] * 3, places
