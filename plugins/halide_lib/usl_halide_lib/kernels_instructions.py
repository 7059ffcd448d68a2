"""Instructions that image kernels need and `usl_avx512` does not have: division of u16 by 3."""

from __future__ import annotations

from usl_avx512 import AVX512
from usl_core import instr


# floor(x / 3) = (x * 43691) >> 17 for x below 2^16, as 3 * 43691 = 2^17 + 1 (Granlund and Montgomery 1994, theorem 4.2).
@instr(
    "{dst} = _mm512_srli_epi16(_mm512_mulhi_epu16({src}, _mm512_set1_epi16((short)43691)), 1);",
    includes=("immintrin.h",),
    features=("avx512f", "avx512bw"),
)
def mm512_div3_epu16(dst: [u16][32] @ AVX512, src: [u16][32] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 32):
        dst[i] = src[i] / 3
