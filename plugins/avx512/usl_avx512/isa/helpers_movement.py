"""The C functions behind the templates of `movement`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Template

_PS = {
    "s": "ps",
    "v": "__m512",
    "c": "float",
    "k": "__mmask16",
    "lanes": "16",
    "align": "64u",
}
_PD = {
    "s": "pd",
    "v": "__m512d",
    "c": "double",
    "k": "__mmask8",
    "lanes": "8",
    "align": "64u",
}

_OFFSETS = """\
/* The distances of eight elements from the first, by 64-bit arithmetic that wraps. */
static inline __m512i usl_avx512_offsets(int64_t stride)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i low = _mm512_mul_epu32(lane, _mm512_set1_epi64(stride));
    const __m512i high = _mm512_mul_epu32(lane, _mm512_srli_epi64(_mm512_set1_epi64(stride), 32));
    return _mm512_add_epi64(low, _mm512_slli_epi64(high, 32));
}
"""

_GATHER_PS = """\
/* Single loads: on Zen 4 twice as fast as the instruction that gathers. */
static inline __m512 usl_avx512_gather_ps(const float *x, int64_t stride)
{
    return _mm512_set_ps(
        x[15 * stride], x[14 * stride], x[13 * stride], x[12 * stride],
        x[11 * stride], x[10 * stride], x[9 * stride], x[8 * stride],
        x[7 * stride], x[6 * stride], x[5 * stride], x[4 * stride],
        x[3 * stride], x[2 * stride], x[stride], x[0]);
}
"""

_MASK_GATHER_PS = """\
static inline __m512 usl_avx512_join_ps(__m256 low, __m256 high)
{
    const __m512d whole = _mm512_castps_pd(_mm512_castps256_ps512(low));
    return _mm512_castpd_ps(_mm512_insertf64x4(whole, _mm256_castps_pd(high), 1));
}

static inline __m512 usl_avx512_mask_gather_ps(__m512 old, __mmask16 lanes, const float *x, int64_t stride)
{
    const __m512i offsets = usl_avx512_offsets(stride);
    const __mmask8 first = (__mmask8)lanes, last = (__mmask8)(lanes >> 8);
    const __m256 low = _mm512_mask_i64gather_ps(_mm512_castps512_ps256(old), first, offsets, x, 4);
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(old), 1));
    if (last != 0)
        high = _mm512_mask_i64gather_ps(high, last, offsets, x + 8 * stride, 4);
    return usl_avx512_join_ps(low, high);
}
"""

_SCATTER_PS = """\
static inline void usl_avx512_scatter_ps(float *x, int64_t stride, __mmask16 lanes, __m512 value)
{
    const __m512i offsets = usl_avx512_offsets(stride);
    const __mmask8 first = (__mmask8)lanes, last = (__mmask8)(lanes >> 8);
    _mm512_mask_i64scatter_ps(x, first, offsets, _mm512_castps512_ps256(value), 4);
    if (last != 0)
        _mm512_mask_i64scatter_ps(
            x + 8 * stride, last, offsets, _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(value), 1)), 4);
}
"""

_GATHER_PD = """\
/* Single loads: on Zen 4 twice as fast as the instruction that gathers. */
static inline __m512d usl_avx512_gather_pd(const double *x, int64_t stride)
{
    return _mm512_set_pd(
        x[7 * stride], x[6 * stride], x[5 * stride], x[4 * stride],
        x[3 * stride], x[2 * stride], x[stride], x[0]);
}
"""

_MASK_GATHER_PD = """\
static inline __m512d usl_avx512_mask_gather_pd(__m512d old, __mmask8 lanes, const double *x, int64_t stride)
{
    return _mm512_mask_i64gather_pd(old, lanes, usl_avx512_offsets(stride), x, 8);
}
"""

_SCATTER_PD = """\
static inline void usl_avx512_scatter_pd(double *x, int64_t stride, __mmask8 lanes, __m512d value)
{
    _mm512_mask_i64scatter_pd(x, lanes, usl_avx512_offsets(stride), value, 8);
}
"""

_QUARTERS = """\
/* The quarters (128 bits) of four registers that are `step` apart, transposed. */
static inline void usl_avx512_quarters_$s($v *r, int step)
{
    const $v even01 = _mm512_shuffle_$f(r[0], r[step], 0x88), odd01 = _mm512_shuffle_$f(r[0], r[step], 0xdd);
    const $v even23 = _mm512_shuffle_$f(r[2 * step], r[3 * step], 0x88);
    const $v odd23 = _mm512_shuffle_$f(r[2 * step], r[3 * step], 0xdd);
    r[0] = _mm512_shuffle_$f(even01, even23, 0x88);
    r[step] = _mm512_shuffle_$f(odd01, odd23, 0x88);
    r[2 * step] = _mm512_shuffle_$f(even01, even23, 0xdd);
    r[3 * step] = _mm512_shuffle_$f(odd01, odd23, 0xdd);
}
"""

_TRANSPOSE_PS = (
    Template(_QUARTERS).substitute(s="ps", v="__m512", f="f32x4")
    + """
/* Within each quarter of four registers, a 4 x 4 transposition. */
static inline void usl_avx512_within_ps(__m512 *r)
{
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(r[0], r[1])), b = _mm512_castps_pd(_mm512_unpackhi_ps(r[0], r[1]));
    const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(r[2], r[3])), d = _mm512_castps_pd(_mm512_unpackhi_ps(r[2], r[3]));
    r[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    r[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    r[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    r[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}

static inline void usl_avx512_transpose_in_place_ps(__m512 *r)
{
    usl_avx512_within_ps(r);
    usl_avx512_within_ps(r + 4);
    usl_avx512_within_ps(r + 8);
    usl_avx512_within_ps(r + 12);
    usl_avx512_quarters_ps(r, 4);
    usl_avx512_quarters_ps(r + 1, 4);
    usl_avx512_quarters_ps(r + 2, 4);
    usl_avx512_quarters_ps(r + 3, 4);
}
"""
)

_TRANSPOSE_PD = (
    Template(_QUARTERS).substitute(s="pd", v="__m512d", f="f64x2")
    + """
/* Within each quarter of two registers, a 2 x 2 transposition. */
static inline void usl_avx512_within_pd(__m512d *r)
{
    const __m512d low = _mm512_unpacklo_pd(r[0], r[1]);
    r[1] = _mm512_unpackhi_pd(r[0], r[1]);
    r[0] = low;
}

static inline void usl_avx512_transpose_in_place_pd(__m512d *r)
{
    usl_avx512_within_pd(r);
    usl_avx512_within_pd(r + 2);
    usl_avx512_within_pd(r + 4);
    usl_avx512_within_pd(r + 6);
    usl_avx512_quarters_pd(r, 2);
    usl_avx512_quarters_pd(r + 1, 2);
}
"""
)

_TRANSPOSE = """
static inline void usl_avx512_transpose_$s($v *to, const $v *from)
{
    $v r[$lanes] = {$listed};
    usl_avx512_transpose_in_place_$s(r);
    $stored
}

static inline void usl_avx512_transposeu_$s($c *to, int64_t to_row, const $c *from, int64_t from_row)
{
    $v r[$lanes] = {$loaded};
    usl_avx512_transpose_in_place_$s(r);
    $stored_to_memory
}

/* A row, or zeros beyond the last one. */
static inline $v usl_avx512_row_$s(int64_t rows, $k lanes, const $c *from, int64_t from_row, int64_t row)
{
    const uintptr_t start = (uintptr_t)from + sizeof($c) * (uintptr_t)row * (uintptr_t)from_row;
    return _mm512_maskz_loadu_$s(($k)(row < rows ? lanes : 0), (const $c *)start);
}

#ifdef __AVX512VL__
static inline __m256$d usl_avx512_half_row_$s(int64_t rows, __mmask8 lanes, const $c *from, int64_t from_row, int64_t row)
{
    const uintptr_t start = (uintptr_t)from + sizeof($c) * (uintptr_t)row * (uintptr_t)from_row;
    return _mm256_maskz_loadu_$s((__mmask8)(row < rows ? lanes : 0), (const $c *)start);
}

/* A row in the lower half, and half of the rows further below in the upper. */
static inline $v usl_avx512_two_rows_$s(int64_t rows, __mmask8 lanes, const $c *from, int64_t from_row, int64_t row)
{
    const __m256$d low = usl_avx512_half_row_$s(rows, lanes, from, from_row, row);
    const __m256$d high = usl_avx512_half_row_$s(rows, lanes, from, from_row, row + $half);
    return $two_halves;
}

/* At most half a register of columns: half of the work. */
static inline void usl_avx512_mask_transposeu_half_$s(
    int64_t rows, int64_t columns, $c *to, int64_t to_row, const $c *from, int64_t from_row)
{
    const __mmask8 in_row = (__mmask8)((1u << columns) - 1u);
    const $k in_column = ($k)((1u << rows) - 1u);
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    $v r[$half];
    if (rows == $lanes) {
        $two_whole_rows
    } else {
        $two_rows
    }
    $within
    $stored_half
}

static inline __m128$d usl_avx512_quarter_row_$s(int64_t rows, __mmask8 lanes, const $c *from, int64_t from_row, int64_t row)
{
    const uintptr_t start = (uintptr_t)from + sizeof($c) * (uintptr_t)row * (uintptr_t)from_row;
    return _mm_maskz_loadu_$s((__mmask8)(row < rows ? lanes : 0), (const $c *)start);
}

/* Four rows beside each other, each further below by a quarter of the rows. */
static inline $v usl_avx512_four_rows_$s(int64_t rows, __mmask8 lanes, const $c *from, int64_t from_row, int64_t row)
{
    const __m128$d a = usl_avx512_quarter_row_$s(rows, lanes, from, from_row, row);
    const __m128$d b = usl_avx512_quarter_row_$s(rows, lanes, from, from_row, row + $quarter);
    const __m128$d c = usl_avx512_quarter_row_$s(rows, lanes, from, from_row, row + 2 * $quarter);
    const __m128$d d = usl_avx512_quarter_row_$s(rows, lanes, from, from_row, row + 3 * $quarter);
    const __m256$d low = _mm256_insertf128_$s(_mm256_cast${s}128_${s}256(a), b, 1);
    const __m256$d high = _mm256_insertf128_$s(_mm256_cast${s}128_${s}256(c), d, 1);
    return $two_halves;
}

/* At most a quarter of a register of columns. */
static inline void usl_avx512_mask_transposeu_narrow_$s(
    int64_t rows, int64_t columns, $c *to, int64_t to_row, const $c *from, int64_t from_row)
{
    const __mmask8 in_row = (__mmask8)((1u << columns) - 1u);
    const $k in_column = ($k)((1u << rows) - 1u);
    $v r[$quarter];
    if (rows == $lanes) {
        $four_whole_rows
    } else {
        $four_rows
    }
    usl_avx512_within_$s(r);
    $stored_narrow
}

/* At most a quarter of a register of rows. */
static inline void usl_avx512_mask_transposeu_low_$s(
    int64_t rows, int64_t columns, $c *to, int64_t to_row, const $c *from, int64_t from_row)
{
    const $k in_row = ($k)((1u << columns) - 1u);
    const __mmask8 in_column = (__mmask8)((1u << rows) - 1u);
    $v r[$quarter];
    $low_rows
    usl_avx512_within_$s(r);
    $stored_low
}
#endif

static inline void usl_avx512_mask_transposeu_$s(
    int64_t rows, int64_t columns, $c *to, int64_t to_row, const $c *from, int64_t from_row)
{
    if (rows == $lanes && columns == from_row && columns >= 2 && columns <= 4) { /* rows side by side */
        const $v a = _mm512_loadu_$s(from), b = _mm512_loadu_$s(from + $lanes);
        if (columns == 2) {
            $of_pairs
            return;
        }
        const $v c = _mm512_loadu_$s(from + 2 * $lanes);
        if (columns == 3) {
            $of_triples
            return;
        }
        const $v d = _mm512_loadu_$s(from + 3 * $lanes);
        $of_quadruples
        return;
    }
#ifdef __AVX512VL__
    if (columns <= $quarter) {
        usl_avx512_mask_transposeu_narrow_$s(rows, columns, to, to_row, from, from_row);
        return;
    }
    if (rows <= $quarter) {
        usl_avx512_mask_transposeu_low_$s(rows, columns, to, to_row, from, from_row);
        return;
    }
    if (columns <= $half) {
        usl_avx512_mask_transposeu_half_$s(rows, columns, to, to_row, from, from_row);
        return;
    }
#endif
    const $k in_row = ($k)((1u << columns) - 1u), in_column = ($k)((1u << rows) - 1u);
    $v r[$lanes];
    if (rows == $lanes) {
        $whole_rows
    } else {
        $loaded_in_part
    }
    usl_avx512_transpose_in_place_$s(r);
    $stored_in_part
}
"""

_STREAM_COPY = """\
static inline void usl_avx512_stream_copy_$s(int64_t n, $c *to, const $c *from)
{
    int64_t i = 0;
    for (; i < n && ((uintptr_t)(to + i) & 63u) != 0; i++)
        to[i] = from[i];
    for (; i + $lanes <= n; i += $lanes)
        _mm512_stream_$s(to + i, _mm512_loadu_$s(from + i));
    for (; i < n; i++)
        to[i] = from[i];
    _mm_sfence();
}
"""

_STREAM_SET1 = """\
static inline void usl_avx512_stream_set1_$s(int64_t n, $c *to, $c value)
{
    int64_t i = 0;
    for (; i < n && ((uintptr_t)(to + i) & 63u) != 0; i++)
        to[i] = value;
    for (; i + $lanes <= n; i += $lanes)
        _mm512_stream_$s(to + i, _mm512_set1_$s(value));
    for (; i < n; i++)
        to[i] = value;
    _mm_sfence();
}
"""


_STREAMU = """\
/* Lines of the cache that are written whole go past it; where address is in the middle of one, x is stored as usual. */
static inline void usl_avx512_streamu_$s(void *address, $v x)
{
    if (((uintptr_t)address & 63u) == 0)
        _mm512_stream_$s(address, x);
    else
        _mm512_storeu_$s(address, x);
}
"""


def _transpose(row: dict[str, str], in_place: str) -> str:
    numbers = range(int(row["lanes"]))
    stored = "\n    ".join(f"to[{i}] = r[{i}];" for i in numbers)
    to_memory = "\n    ".join(f"_mm512_storeu_{row['s']}(to + {i} * to_row, r[{i}]);" for i in numbers)
    loaded = ",\n        ".join(f"_mm512_loadu_{row['s']}(from + {i} * from_row)" for i in numbers)
    blanks = {"listed": ", ".join(f"from[{i}]" for i in numbers), "loaded": f"\n        {loaded},\n    "}
    blanks |= _masked(row["s"], len(numbers))
    blanks |= _side_by_side(row["s"], len(numbers))
    return in_place + Template(_TRANSPOSE).substitute(row, **blanks, stored=stored, stored_to_memory=to_memory)


def _side_by_side(s: str, lanes: int) -> dict[str, str]:
    """What stores the columns of two, three or four that are beside each other in as many registers."""

    def lanes_of(numbers: Iterable[int]) -> str:
        return f"_mm512_setr_epi{512 // lanes}({', '.join(map(str, numbers))})"

    def picked(first: str, numbers: Iterable[int], second: str) -> str:
        return f"_mm512_permutex2var_{s}({first}, {lanes_of(numbers)}, {second})"

    def triple(column: int) -> str:
        places = [3 * lane + column for lane in range(lanes)]
        two = picked("a", (place if place < 2 * lanes else 0 for place in places), "b")
        return picked(two, (i if place < 2 * lanes else place - lanes for i, place in enumerate(places)), "c")

    def quadruple(column: int) -> str:
        places = [(4 * lane + column) % (2 * lanes) for lane in range(lanes)]
        low, high = (cast_to_pd(picked(one, places, other)) for one, other in ("ab", "cd"))
        joined = f"_mm512_insertf64x4({low}, _mm512_castpd512_pd256({high}), 1)"
        return joined if s == "pd" else f"_mm512_castpd_ps({joined})"

    def cast_to_pd(value: str) -> str:
        return value if s == "pd" else f"_mm512_castps_pd({value})"

    def stored(values: Sequence[str], indent: int) -> str:
        stores = (f"_mm512_storeu_{s}(to + {column} * to_row, {value});" for column, value in enumerate(values))
        return f"\n{indent * ' '}".join(stores)

    return {
        "of_pairs": stored([picked("a", (2 * lane + column for lane in range(lanes)), "b") for column in (0, 1)], 12),
        "of_triples": stored([triple(column) for column in range(3)], 12),
        "of_quadruples": stored([quadruple(column) for column in range(4)], 8),
    }


def _masked(s: str, lanes: int) -> dict[str, str]:
    """The parts of a transposition with masks, each line written out, so that rows stay in registers."""
    half = lanes // 2
    quarter = lanes // 4
    low = f"_mm512_cast{s}256_{s}512(low)"

    def stored(column: int, value: str, width: str = "512") -> str:
        store = f"_mm{width}_mask_storeu_{s}(to + {column} * to_row, in_column, {value});"
        return f"if (columns == {column})\n        return;\n    {store}" if column else store

    def cast(value: str, to: str, of: str, width: int | str = 512) -> str:
        return value if to == of else f"_mm{width}_cast{of}_{to}({value})"

    def joined(column: int) -> str:
        first = column % quarter
        one, other = (cast(f"r[{first + start}]", "pd", s) for start in (0, quarter))
        return cast(f"_mm512_permutex2var_pd({one}, {'even' if column < quarter else 'odd'}, {other})", s, "pd")

    def part(column: int) -> str:
        register = cast(f"r[{column % quarter}]", "ps", s)
        return cast(f"_mm512_extractf32x4_ps({register}, {column // quarter})", s, "ps", width="")

    def rows(function: str, extent: str, count: int) -> str:
        return f"\n{8 * ' '}".join(
            f"r[{i}] = usl_avx512_{function}_{s}({extent}, in_row, from, from_row, {i});" for i in range(count)
        )

    return {
        "half": str(half),
        "quarter": str(quarter),
        "four_rows": rows("four_rows", "rows", quarter),
        "four_whole_rows": rows("four_rows", str(lanes), quarter),
        "stored_narrow": "\n    ".join(stored(i, f"r[{i}]") for i in range(quarter)),
        "low_rows": rows("row", "rows", quarter),
        "stored_low": "\n    ".join(stored(i, part(i), "") for i in range(lanes)),
        "d": "d" if s == "pd" else "",
        "two_halves": cast(f"_mm512_insertf64x4({cast(low, 'pd', s)}, {cast('high', 'pd', s, 256)}, 1)", s, "pd"),
        "two_rows": rows("two_rows", "rows", half),
        "two_whole_rows": rows("two_rows", str(lanes), half),
        "within": f"usl_avx512_within_{s}(r);\n    usl_avx512_within_{s}(r + {quarter});",
        "stored_half": "\n    ".join(stored(i, joined(i)) for i in range(half)),
        "loaded_in_part": rows("row", "rows", lanes),
        "whole_rows": rows("row", str(lanes), lanes),
        "stored_in_part": "\n    ".join(stored(i, f"r[{i}]") for i in range(lanes)),
    }


_KEPT = """\
/* x, as a value that a compiler computes once: a load that is used twice, gcc 12 does twice. */
static inline $v usl_avx512_kept_$s($v x)
{
#if defined(__GNUC__) && !defined(SIMDE_NO_NATIVE)
    __asm__("" : "+v"(x));
#endif
    return x;
}
"""

_FUNCTIONS = {
    "gather_ps": _GATHER_PS,
    "gather_pd": _GATHER_PD,
    "mask_gather_ps": _MASK_GATHER_PS,
    "mask_gather_pd": _MASK_GATHER_PD,
    "scatter_ps": _SCATTER_PS,
    "scatter_pd": _SCATTER_PD,
    "transpose_ps": _transpose(_PS, _TRANSPOSE_PS),
    "transpose_pd": _transpose(_PD, _TRANSPOSE_PD),
    "stream_copy_ps": Template(_STREAM_COPY).substitute(_PS),
    "stream_copy_pd": Template(_STREAM_COPY).substitute(_PD),
    "stream_set1_ps": Template(_STREAM_SET1).substitute(_PS),
    "stream_set1_pd": Template(_STREAM_SET1).substitute(_PD),
    "kept_ps": Template(_KEPT).substitute(_PS),
    "kept_pd": Template(_KEPT).substitute(_PD),
    "offsets": _OFFSETS,
}

_USES = {
    "gather": ("gather",),
    "mask_gather": ("offsets", "mask_gather"),
    "scatter": ("offsets", "scatter"),
    "transpose": ("transpose",),
    "transposeu": ("transpose",),
    "mask_transposeu": ("transpose",),
    "stream_copy": ("stream_copy",),
    "stream_set1": ("stream_set1",),
    "kept": ("kept",),
}


def _guarded(name: str) -> str:
    guard = f"USL_AVX512_{name.upper()}"
    return f"#ifndef {guard}\n#define {guard}\n{_FUNCTIONS[name].strip()}\n#endif\n"


def _parts(needed: tuple[str, ...], suffix: str) -> str:
    return "".join(_guarded(part if part in _FUNCTIONS else f"{part}_{suffix}") for part in needed)


MOVEMENT = {f"usl_avx512_{use}_{s}": _parts(needed, s) for use, needed in _USES.items() for s in ("ps", "pd")}
"""The C that each function needs at file scope, itself included."""

STREAM_TEXTS = {
    f"streamu_{s}": Template(_STREAMU).substitute(v=v, s=s)
    for s, v in (("ps", "__m512"), ("pd", "__m512d"), ("si512", "__m512i"))
}
"""Stores past the caches, without guards, by name without `usl_avx512_`."""
