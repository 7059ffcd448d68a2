"""On a processor without AVX-512 every kernel says so at once; none is scheduled, and none runs into an illegal instruction."""

from __future__ import annotations

import subprocess
import sys

import pytest

CALLS = """
import sys, time
import numpy as np
from usl_c11 import cpu
from usl_core.errors import JitError
if {known}:
    cpu.listed_features = lambda: frozenset(("sse2", "avx", "avx2", "fma"))
else:  # a system without such a list, where a small program asks the processor
    cpu.listed_features = lambda: None
    cpu._probe = lambda feature, compiler: not feature.startswith("avx512")
from usl_avx512 import kernels
refused = 0
for letter, dtype in (("s", np.float32), ("d", np.float64)):
    x, y, A, B, C = np.ones(4, dtype), np.ones(4, dtype), np.ones((4, 4), dtype), np.ones((4, 4), dtype), np.ones((4, 4), dtype)
    arguments = dict(
        gemm=(A, B, C), axpy=(1.0, x, y), scal=(2.0, x), dot=(x, y), asum=(x,), nrm2=(x,), iamax=(x,), copy=(x, y), swap=(x, y),
        rot=(x, y, 0.6, 0.8), gemv=(1.0, A, x, 0.0, y), ger=(1.0, x, y, A), symv=(1.0, A, x, 0.0, y), trmv=(A, x), trsv=(A, x),
        symm=(1.0, A, B, 1.0, C), syrk=(1.0, A, 1.0, C), syr2k=(1.0, A, B, 1.0, C), trmm=(1.0, A, C), trsm=(1.0, A, C),
        gemm_batch_strided=(A[None], B[None], C[None]),
    )
    calls = {{"i" + letter + "amax" if name == "iamax" else letter + name: given for name, given in arguments.items()}}
    if letter == "s":
        calls["conv2d"] = np.ones((1, 4, 4, 2), dtype), np.ones((3, 3, 2, 4), dtype)
        bytes, shorts, sums = np.ones((4, 4), np.int8), np.ones((4, 4), np.int16), np.ones((4, 4), np.int32)
        calls |= dict(gemm_u8s8s32=(bytes.view(np.uint8), bytes, sums), gemm_s8s8s32=(bytes, bytes, sums))
        calls |= dict(gemm_s16s16s32=(shorts, shorts, sums), Packed=(bytes,), QuantizedLinear=(bytes,))
        rows = "softmax log_softmax silu sigmoid gelu_tanh gelu argmax cumsum row_sums row_maxima".split()
        images, halves = np.ones((1, 2, 4, 4), dtype), np.ones((1, 4, 4), np.uint16)
        calls |= dict.fromkeys(rows, (A,)) | dict.fromkeys(("max_pool2d", "avg_pool2d"), (images, 2))
        calls |= dict(layer_norm=(A, x, y), rms_norm=(A, x), cross_entropy=(A, np.zeros(4, np.int64)), compress=(x > 0, x))
        calls |= dict(gemm_bf16=(halves[0], halves[0], C), LinearBF16=(halves[0],))
        calls |= dict(attention=(A[None],) * 3, attention_bf16=(halves,) * 3)
    for name, given in calls.items():
        try:
            getattr(kernels, name)(*given)
        except JitError as error:
            refused += 1
            assert "this processor lacks avx512f, which the kernels of usl_avx512 need" in str(error), (name, error)
    assert all((each == 1).all() for each in (x, y, A, C))
assert not [module for module in sys.modules if module in ("usl_avx512.gemm", "usl_avx512.blas1", "usl_avx512.blas2")]
print(refused, len(kernels.__all__) - 1)  # Conv2d is a class
"""


@pytest.mark.parametrize("known", [True, False], ids=["listed", "asked"])
def test_every_kernel_names_the_feature_that_is_lacking(known: bool) -> None:
    code = CALLS.format(known=known)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refused, kernels = done.stdout.split()
    assert refused == kernels
