"""The C text of register buffers, and what cannot be one."""

from __future__ import annotations

import pytest

from usl_avx512.memories import AVX2, AVX512, AVX512_YMM
from usl_core.errors import NOWHERE, BackendError


@pytest.mark.parametrize(
    ("ctype", "shape", "text"),
    [
        ("float", ["16"], "__m512 r = _mm512_setzero_ps();"),
        ("float", ["6", "4", "16"], "__m512 r[6][4];"),
        ("double", ["2", "8"], "__m512d r[2];"),
        ("uint32_t", ["4", "16"], "__m512i r[4];"),
        ("uint16_t", ["32"], "__m512i r = _mm512_setzero_si512();"),
        ("int64_t", ["2", "8"], "__m512i r[2];"),
    ],
)
def test_the_last_dimension_becomes_the_lanes_of_a_register(ctype: str, shape: list[str], text: str) -> None:
    assert AVX512.alloc("r", ctype, shape, NOWHERE) == text


def test_half_registers_hold_sixteen_u16() -> None:
    assert AVX512_YMM.alloc("r", "uint16_t", ["3", "16"], NOWHERE) == "__m256i r[3];"


def test_registers_of_256_bits_hold_half_as_many_lanes() -> None:
    assert AVX2.alloc("r", "float", ["6", "2", "8"], NOWHERE) == "__m256 r[6][2];"
    assert AVX2.alloc("r", "uint8_t", ["32"], NOWHERE) == "__m256i r = _mm256_setzero_si256();"
    assert AVX512_YMM.alloc("r", "float", ["8"], NOWHERE) == "__m256 r = _mm256_setzero_ps();"
    with pytest.raises(BackendError, match="must be 8, the lanes of __m256"):
        AVX2.alloc("r", "float", ["16"], NOWHERE)


def test_a_window_names_one_register() -> None:
    assert AVX512.window("C_tile", "float", ["ii", "jt", "0"], ["64", "16", "1"], NOWHERE) == "C_tile[ii][jt]"
    assert AVX512.window("b", "float", ["0"], ["1"], NOWHERE) == "b"


def test_a_last_dimension_that_is_not_the_lanes_is_refused() -> None:
    with pytest.raises(BackendError, match=r"r: the last dimension .* must be 16, the lanes of __m512; found \[6, 8\]"):
        AVX512.alloc("r", "float", ["6", "8"], NOWHERE)
    with pytest.raises(BackendError, match="found a scalar"):
        AVX512.alloc("r", "float", [], NOWHERE)


def test_a_number_of_registers_known_only_at_run_time_is_refused() -> None:
    with pytest.raises(BackendError, match="needs literal extents, found n"):
        AVX512.alloc("r", "float", ["n", "16"], NOWHERE)


def test_a_window_that_starts_inside_a_register_is_refused() -> None:
    with pytest.raises(BackendError, match="starts at lane 4"):
        AVX512.window("r", "float", ["2", "4"], ["16", "1"], NOWHERE)


def test_a_loop_over_lanes_that_no_instruction_has_replaced_is_named() -> None:
    with pytest.raises(BackendError, match="the loop i0 over the lanes was left without an instruction") as caught:
        AVX512.window("r", "float", ["2", "i0"], ["16", "1"], NOWHERE)
    assert "near_misses(p, instructions) shows which instruction comes closest" in str(caught.value)


def test_an_element_type_without_lanes_is_refused() -> None:
    with pytest.raises(BackendError, match="holds no elements of C type usl_f16"):
        AVX512.alloc("r", "usl_f16", ["32"], NOWHERE)


def test_plain_c_cannot_touch_lanes() -> None:
    with pytest.raises(BackendError, match="cannot be read by plain C"):
        AVX512.read("r", "float", NOWHERE)
    with pytest.raises(BackendError, match="cannot be written by plain C"):
        AVX512.write("r", "float", "0.0f", NOWHERE)
