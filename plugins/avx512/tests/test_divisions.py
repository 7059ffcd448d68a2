"""Division of lanes by one number is exact: for every pair of 16-bit numbers, and near all multiples at the ends of 32 bits."""

from __future__ import annotations

import ctypes
import subprocess

import pytest
from avx512_build import compiler, flags_of, require

from usl_avx512.isa.helpers import HELPERS

CHECKS = """
#include <immintrin.h>
#include <stdint.h>
%s
/* The first divisor, from one on, by which some 16-bit number is divided wrongly; 0 if there is none. */
int wrong_u16(void)
{
    const __m512i steps = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                                           15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (int d = 1; d < 65536; d++) {
        const __m512i by = _mm512_set1_epi16((short)d);
        __mmask32 wrong = 0;
        for (int x = 0; x < 65536; x += 32) {
            const __m512i n = _mm512_add_epi16(_mm512_set1_epi16((short)x), steps);
            const __m512i q = usl_avx512_div_epu16x32(n, (uint16_t)d);
            const __m512i rest = _mm512_sub_epi16(n, _mm512_mullo_epi16(q, by)); /* 0 <= rest < d, q * d < 2^16 */
            wrong |= _mm512_cmpge_epu16_mask(rest, by);
            wrong |= _mm512_test_epi16_mask(_mm512_mulhi_epu16(q, by), _mm512_set1_epi16(-1));
        }
        if (wrong)
            return d;
    }
    return 0;
}

int wrong_i16(void)
{
    for (int d = 1; d < 32768; d++) {
        const __m512i by = _mm512_set1_epi16((short)d);
        __mmask32 wrong = 0;
        for (int x = -32768; x < 32768; x += 32) {
            int16_t lanes[32];
            for (int i = 0; i < 32; i++)
                lanes[i] = (int16_t)(x + i);
            const __m512i n = _mm512_loadu_si512(lanes), q = usl_avx512_div_epi16x32(n, (int16_t)d);
            const __m512i rest = _mm512_sub_epi16(n, _mm512_mullo_epi16(q, by)); /* q * d is no less than -2^16 */
            wrong |= _mm512_cmpge_epu16_mask(rest, by);
            wrong |= _mm512_cmpgt_epi16_mask(_mm512_abs_epi16(q), _mm512_set1_epi16((short)((32767 + d) / d)));
        }
        if (wrong && d > 1)
            return d;
    }
    return 0;
}

static uint32_t usl_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 13;
}

/* A divisor by which some of many 32-bit numbers is divided wrongly, or 0. */
uint32_t wrong_32(int is_signed)
{
    uint32_t state = 7;
    for (int trial = 0; trial < 60000; trial++) {
        const uint32_t r = usl_random(&state);
        const uint32_t d = trial < 2000 ? (uint32_t)trial + 1 : r >> (r & 31u) | 1u;
        uint32_t n[16], q[16];
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t any = usl_random(&state);
            n[i] = i < 4 ? any : i < 12 ? any / d * d + i %% 3 - 1 : 0u - (i - 12) * d - (any & 1u);
        }
        if (is_signed) {
            const int32_t by = (int32_t)(d & 0x7fffffffu);
            _mm512_storeu_si512(q, usl_avx512_div_epi32x16(_mm512_loadu_si512(n), trial %% 64 == 5 ? -by : by));
            for (int i = 0; i < 16; i++) {
                const int64_t m = (int32_t)n[i], divisor = trial %% 64 == 5 ? -(int64_t)by : by;
                const int64_t exact = divisor == 0 ? 0 : m / divisor - (m %% divisor != 0 && (m < 0) != (divisor < 0));
                if ((int32_t)q[i] != (int32_t)exact)
                    return d;
            }
        } else {
            _mm512_storeu_si512(q, usl_avx512_div_epu32x16(_mm512_loadu_si512(n), d));
            for (int i = 0; i < 16; i++)
                if (q[i] != n[i] / d)
                    return d;
        }
    }
    return 0;
}

/* Bytes by every byte, remainders too. */
int wrong_8(int is_signed)
{
    for (int d = is_signed ? -128 : 0; d < (is_signed ? 128 : 256); d++)
        for (int x = is_signed ? -128 : 0; x < (is_signed ? 128 : 256); x += 64) {
            uint8_t n[64], q[64], r[64];
            for (int i = 0; i < 64; i++)
                n[i] = (uint8_t)(x + i);
            const __m512i v = _mm512_loadu_si512(n);
            _mm512_storeu_si512(q, is_signed ? usl_avx512_div_epi8x64(v, (int8_t)d) : usl_avx512_div_epu8x64(v, (uint8_t)d));
            _mm512_storeu_si512(r, is_signed ? usl_avx512_rem_epi8x64(v, (int8_t)d) : usl_avx512_rem_epu8x64(v, (uint8_t)d));
            for (int i = 0; i < 64; i++) {
                const int m = x + i, quotient = d == 0 ? 0 : m / d - (m %% d != 0 && (m < 0) != (d < 0));
                if (q[i] != (uint8_t)quotient || r[i] != (uint8_t)(d == 0 ? 0 : m - quotient * d))
                    return d == 0 ? 1000 : d;
            }
        }
    return 0;
}
"""


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    require("native")
    names = [f"usl_avx512_{op}_ep{sign}{x}" for op in ("div", "rem") for sign in "ui" for x in ("8x64", "16x32", "32x16")]
    source = tmp_path_factory.mktemp("divisions") / "checks.c"
    source.write_text(CHECKS % "".join(HELPERS[name] for name in names))
    command = [*compiler(), "-std=c11", "-O3", "-shared", "-fPIC", "-w", *flags_of("native"), str(source), "-o"]
    subprocess.run([*command, str(source.with_suffix(".so"))], check=True)
    return ctypes.CDLL(str(source.with_suffix(".so")))


def test_every_sixteen_bit_number_divided_by_every_other_is_exact(checks: ctypes.CDLL) -> None:
    assert checks.wrong_u16() == 0
    assert checks.wrong_i16() == 0


@pytest.mark.parametrize("is_signed", [0, 1])
def test_wide_numbers_near_multiples_of_the_divisor_and_near_the_ends_are_divided_exactly(
    checks: ctypes.CDLL, is_signed: int
) -> None:
    assert checks.wrong_32(is_signed) == 0


@pytest.mark.parametrize("is_signed", [0, 1])
def test_bytes_divided_by_every_byte_are_exact_by_zero_and_less_too(checks: ctypes.CDLL, is_signed: int) -> None:
    assert checks.wrong_8(is_signed) == 0
