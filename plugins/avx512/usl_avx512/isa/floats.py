"""Arithmetic on lanes of f32 and f64, with masked forms: what `basics` does not have.

`min` and `max` are `a < b ? a : b` and `a > b ? a : b` in the object language, which is what the instructions compute, NaN and
zeros of both signs included; `relu` is max(x, 0). A fused multiply-add rounds once where its body rounds twice (`roundings=1`).
Sums of lanes are added as a tree: each lane is rounded fewer times than by the body, one after another; and as NaN and
infinities depend on the order, they are not specified. So it is with the greatest and least of lanes.
Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, MINPS, MAXPS.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from usl_avx512.isa.families import Table, family, lanewise
from usl_avx512.isa.lanes import PD, PS

FUSED = 'roundings=1, special="unspecified"'
FUSED_TWICE = 'roundings=2, special="unspecified"'
"""One product is rounded, the other is not: two roundings on the way of one, one on that of the other."""

ROWS = (PS, PD)
MASKED = ("mask_",)

ELEMENTWISE = chain(
    lanewise("add", "dst[i] += src[i]", "_mm512_add_$s({dst}, {src})", *ROWS, forms=MASKED, alias=False),
    lanewise("add_neg", "dst[i] += -src[i]", "_mm512_sub_$s({dst}, {src})", *ROWS, alias=False),
    lanewise("add_abs", "dst[i] += abs(src[i])", "_mm512_add_$s({dst}, _mm512_abs_$s({src}))", *ROWS, alias=False),
    lanewise("add3", "dst[i] = a[i] + b[i]", "_mm512_add_$s({a}, {b})", *ROWS),
    lanewise("sub", "dst[i] = a[i] - b[i]", "_mm512_sub_$s({a}, {b})", *ROWS),
    lanewise("mul", "dst[i] = a[i] * b[i]", "_mm512_mul_$s({a}, {b})", *ROWS, forms=MASKED),
    lanewise("div", "dst[i] = a[i] / b[i]", "_mm512_div_$s({a}, {b})", *ROWS),
    lanewise("min", "dst[i] = min(a[i], b[i])", "_mm512_min_$s({a}, {b})", *ROWS),
    lanewise("max", "dst[i] = max(a[i], b[i])", "_mm512_max_$s({a}, {b})", *ROWS),
    lanewise("min_into", "dst[i] @= min(src[i])", "_mm512_min_$s({dst}, {src})", *ROWS, alias=False),
    lanewise("max_into", "dst[i] @= max(src[i])", "_mm512_max_$s({dst}, {src})", *ROWS, alias=False),
    lanewise("mul_into", "dst[i] *= src[i]", "_mm512_mul_$s({dst}, {src})", *ROWS, alias=False),
    lanewise("relu", "dst[i] = relu(src[i])", "_mm512_max_$s({src}, _mm512_setzero_$s())", *ROWS),
    lanewise("neg", "dst[i] = -src[i]", "usl_avx512_neg_$s({src})", *ROWS),
    lanewise("abs", "dst[i] = abs(src[i])", "_mm512_abs_$s({src})", *ROWS),
    lanewise("sqrt", "dst[i] = sqrt(src[i])", "_mm512_sqrt_$s({src})", *ROWS),
    *(
        lanewise(name, f"dst[i] = {name}(src[i])", f"_mm512_roundscale_$s({{src}}, {mode})", *ROWS)
        for name, mode in (
            ("rint", "_MM_FROUND_TO_NEAREST_INT"),
            ("floor", "_MM_FROUND_TO_NEG_INF"),
            ("ceil", "_MM_FROUND_TO_POS_INF"),
            ("trunc", "_MM_FROUND_TO_ZERO"),
        )
    ),
    lanewise("fma", "dst[i] = fma(a[i], b[i], c[i])", "_mm512_fmadd_$s({a}, {b}, {c})", *ROWS),
    lanewise("fnma", "dst[i] = fma(-a[i], b[i], c[i])", "_mm512_fnmadd_$s({a}, {b}, {c})", *ROWS),
    lanewise("mov", "dst[i] = src[i]", "{src}", *ROWS, forms=MASKED),
)
"""Register by register. In `add`, `add_neg`, `add_abs` and what ends in `_into` the target is one of the operands."""

WITH_SCALAR = chain(
    lanewise("add_set1", "dst[i] = a + src[i]", "_mm512_add_$s(_mm512_set1_$s({a}), {src})", *ROWS),
    lanewise("mul_set1", "dst[i] = a * src[i]", "_mm512_mul_$s(_mm512_set1_$s({a}), {src})", *ROWS),
    lanewise("div_set1", "dst[i] = src[i] / a", "_mm512_div_$s({src}, _mm512_set1_$s({a}))", *ROWS),
)
"""With one number for all lanes."""

MULTIPLY_ADD = chain(
    lanewise("fmadd3", "dst[i] = a[i] * b[i] + c[i]", "_mm512_fmadd_$s({a}, {b}, {c})", *ROWS, options=FUSED),
    lanewise("fmsub3", "dst[i] = a[i] * b[i] - c[i]", "_mm512_fmsub_$s({a}, {b}, {c})", *ROWS, options=FUSED),
    lanewise("fnmadd3", "dst[i] = c[i] - a[i] * b[i]", "_mm512_fnmadd_$s({a}, {b}, {c})", *ROWS, options=FUSED),
    lanewise("fnmadd", "dst[i] += -a[i] * b[i]", "_mm512_fnmadd_$s({a}, {b}, {dst})", *ROWS, options=FUSED, alias=False),
    lanewise(
        "fmadd3_set1",
        "dst[i] = a * b[i] + c[i]",
        "_mm512_fmadd_$s(_mm512_set1_$s({a}), {b}, {c})",
        *ROWS,
        options=FUSED,
    ),
    lanewise(
        "fnmadd3_set1",
        "dst[i] = c[i] - a * b[i]",
        "_mm512_fnmadd_$s(_mm512_set1_$s({a}), {b}, {c})",
        *ROWS,
        options=FUSED,
    ),
    lanewise(
        "fnmadd_set1",
        "dst[i] += -a * b[i]",
        "_mm512_fnmadd_$s(_mm512_set1_$s({a}), {b}, {dst})",
        *ROWS,
        options=FUSED,
        alias=False,
    ),
    lanewise(
        "axpby",
        "dst[i] = a * x[i] + b * y[i]",
        "_mm512_fmadd_$s(_mm512_set1_$s({a}), {x}, _mm512_mul_$s(_mm512_set1_$s({b}), {y}))",
        *ROWS,
        options=FUSED_TWICE,
    ),
    lanewise(
        "axmby",
        "dst[i] = a * x[i] - b * y[i]",
        "_mm512_fmsub_$s(_mm512_set1_$s({a}), {x}, _mm512_mul_$s(_mm512_set1_$s({b}), {y}))",
        *ROWS,
        options=FUSED_TWICE,
    ),
)
"""The two halves of a plane rotation are `axpby` and `axmby`."""

SELECTION = chain(
    lanewise(
        "select",
        "dst[i] = select(a[i], b[i], x[i], y[i])",
        "_mm512_mask_mov_$s({y}, _mm512_cmp_${s}_mask({a}, {b}, _CMP_LT_OQ), {x})",
        *ROWS,
    ),
    family(
        """
        @instr("{dst} = _mm512_mask_mov_$e({y}, _mm512_cmp_${s}_mask({a}, {b}, _CMP_LT_OQ), {x});",
               aliasable=("dst", "x", "y"))
        def mm512_select_${s}_$e(dst: [$j][$l] @ AVX512, a: [$t][$l] @ AVX512, b: [$t][$l] @ AVX512,
                                 x: [$j][$l] @ AVX512, y: [$j][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = select(a[i], b[i], x[i], y[i])
        """,
        *ROWS,
    ),
    family(
        """
        @instr("{dst} = _mm512_mask_mov_$e({dst}, $mask, "
               "_mm512_mask_mov_$e({y}, _mm512_cmp_${s}_mask({a}, {b}, _CMP_LT_OQ), {x}));", aliasable=("dst", "x", "y"))
        def mm512_mask_select_${s}_$e(n: size, dst: [$j][$l] @ AVX512, a: [$t][$l] @ AVX512, b: [$t][$l] @ AVX512,
                                      x: [$j][$l] @ AVX512, y: [$j][$l] @ AVX512):
            for i in seq(0, $l):
                if i < n:
                    dst[i] = select(a[i], b[i], x[i], y[i])
        """,
        *ROWS,
    ),
)
"""A choice between lanes; the second form chooses between integers (positions of a maximum) by comparing floats."""


def sums_of(count: int) -> str:
    """The instruction that adds sums of the lanes of so many registers to the first lanes of another."""
    names = "abcdefgh"[:count]
    least = 4 if count <= 4 else 8
    given = ", ".join([f"{{{name}}}" for name in names] + ["_mm512_setzero_$s()"] * (least - count))
    sums = f"\n{12 * ' '}".join(
        f"for i in seq(0, $l):\n{16 * ' '}dst[{place}] += {name}[i]" for place, name in enumerate(names)
    )
    registers = ", ".join(f"{name}: [$t][$l] @ AVX512" for name in names)
    return f"""
        @instr("{{dst}} = _mm512_mask_add_$s({{dst}}, {(1 << count) - 1:#x}, {{dst}}, usl_avx512_sums{least}_$s({given}));",
               roundings=$add, special="unspecified")
        def mm512_add_sums{count}_$s(dst: [$t][$l] @ AVX512, {registers}):
            {sums}
        """


REDUCTIONS = chain(
    family(
        """
        @instr("*{dst.ptr} += _mm512_reduce_add_$s({src});", roundings=$add, special="unspecified")
        def mm512_reduce_add_$s(dst: $t @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst += src[i]
        """,
        *ROWS,
    ),
    family(
        """
        @instr("*{dst.ptr} += _mm512_mask_reduce_add_$s($mask, {src});", roundings=$add, special="unspecified")
        def mm512_mask_reduce_add_$s(n: size, dst: $t @ DRAM, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                if i < n:
                    dst += src[i]
        """,
        *ROWS,
    ),
    *(family(sums_of(count), *ROWS) for count in range(2, 9)),
    *(
        family(
            f"""
            @instr("usl_avx512_reduce_{pick}_$s({{dst.ptr}}, $mask, {{src}});", special="unspecified")
            def mm512_mask_reduce_{pick}_$s(n: size, dst: $t @ DRAM, src: [$t][$l] @ AVX512):
                for i in seq(0, $l):
                    if i < n:
                        dst @= {pick}(src[i])
            """,
            *ROWS,
        )
        for pick in ("min", "max")
    ),
    *(
        family(
            f"""
            @instr("usl_avx512_reduce_{pick}_$s({{dst.ptr}}, $all, {{src}});", special="unspecified")
            def mm512_reduce_{pick}_$s(dst: $t @ DRAM, src: [$t][$l] @ AVX512):
                for i in seq(0, $l):
                    dst @= {pick}(src[i])
            """,
            *ROWS,
        )
        for pick in ("min", "max")
    ),
)
"""All lanes onto a number in memory."""

TABLE = Table(__name__, ELEMENTWISE, WITH_SCALAR, MULTIPLY_ADD, SELECTION, REDUCTIONS)


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
