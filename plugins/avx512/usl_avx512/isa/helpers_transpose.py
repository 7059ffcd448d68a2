"""The C functions behind the transpositions of `movement`: whole squares of registers, and parts that are stored or added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Template

PS = {
    "s": "ps",
    "v": "__m512",
    "c": "float",
    "k": "__mmask16",
    "lanes": "16",
    "align": "64u",
}
PD = {
    "s": "pd",
    "v": "__m512d",
    "c": "double",
    "k": "__mmask8",
    "lanes": "8",
    "align": "64u",
}

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

/* A row, or zeros beyond the last one: then the first row is read, as a load of no lanes is slow where memory is not mapped. */
static inline $v usl_avx512_row_$s(int64_t rows, $k lanes, const $c *from, int64_t from_row, int64_t row)
{
    return _mm512_maskz_loadu_$s(($k)(row < rows ? lanes : 0), from + (row < rows ? row * from_row : 0));
}

#ifdef __AVX512VL__
static inline __m256$d usl_avx512_half_row_$s(int64_t rows, __mmask8 lanes, const $c *from, int64_t from_row, int64_t row)
{
    return _mm256_maskz_loadu_$s((__mmask8)(row < rows ? lanes : 0), from + (row < rows ? row * from_row : 0));
}

/* A row in the lower half, and half of the rows further below in the upper. */
static inline $v usl_avx512_two_rows_$s(int64_t rows, __mmask8 lanes, const $c *from, int64_t from_row, int64_t row)
{
    const __m256$d low = usl_avx512_half_row_$s(rows, lanes, from, from_row, row);
    const __m256$d high = usl_avx512_half_row_$s(rows, lanes, from, from_row, row + $half);
    return $two_halves;
}

static inline __m128$d usl_avx512_quarter_row_$s(int64_t rows, __mmask8 lanes, const $c *from, int64_t from_row, int64_t row)
{
    return _mm_maskz_loadu_$s((__mmask8)(row < rows ? lanes : 0), from + (row < rows ? row * from_row : 0));
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
#endif
"""

_TRANSPOSE_IN_PART = """
#ifdef __AVX512VL__
/* At most half a register of columns: half of the work. */
static inline void usl_avx512_mask_${name}_half_$s(
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
    $old_half
    $stored_half
}

/* At most a quarter of a register of columns. */
static inline void usl_avx512_mask_${name}_narrow_$s(
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
    $old_narrow
    $stored_narrow
}

/* At most a quarter of a register of rows. */
static inline void usl_avx512_mask_${name}_low_$s(
    int64_t rows, int64_t columns, $c *to, int64_t to_row, const $c *from, int64_t from_row)
{
    const $k in_row = ($k)((1u << columns) - 1u);
    const __mmask8 in_column = (__mmask8)((1u << rows) - 1u);
    $v r[$quarter];
    $low_rows
    usl_avx512_within_$s(r);
    $old_low
    $stored_low
}

/* At most half a register of rows. */
static inline void usl_avx512_mask_${name}_flat_$s(
    int64_t rows, int64_t columns, $c *to, int64_t to_row, const $c *from, int64_t from_row)
{
    const $k in_row = ($k)((1u << columns) - 1u);
    const __mmask8 in_column = (__mmask8)((1u << rows) - 1u);
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    $v r[$half];
    $flat_rows
    $within
    const $v joined[$half] = {$joined};
    $old_flat
    $stored_flat
}
#endif

static inline void usl_avx512_mask_${name}_$s(
    int64_t rows, int64_t columns, $c *to, int64_t to_row, const $c *from, int64_t from_row)
{
$from_side_by_side    if (columns == $lanes && rows == to_row && rows >= 2 && rows <= 4) { /* columns side by side */
        const $v a = _mm512_loadu_$s(from), b = _mm512_loadu_$s(from + from_row);
        if (rows == 2) {
            $to_pairs
            return;
        }
        const $v c = _mm512_loadu_$s(from + 2 * from_row);
        if (rows == 3) {
            $to_triples
            return;
        }
        const $v d = _mm512_loadu_$s(from + 3 * from_row);
        $to_quadruples
        return;
    }
#ifdef __AVX512VL__
    if (columns <= $quarter) {
        usl_avx512_mask_${name}_narrow_$s(rows, columns, to, to_row, from, from_row);
        return;
    }
    if (rows <= $quarter) {
        usl_avx512_mask_${name}_low_$s(rows, columns, to, to_row, from, from_row);
        return;
    }
    if (columns <= $half) {
        usl_avx512_mask_${name}_half_$s(rows, columns, to, to_row, from, from_row);
        return;
    }
    if (rows <= $half) {
        usl_avx512_mask_${name}_flat_$s(rows, columns, to, to_row, from, from_row);
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
    $old_in_part
    $stored_in_part
}
"""


_FROM_SIDE_BY_SIDE = """\
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
"""


def _transpose(row: dict[str, str], in_place: str) -> str:
    numbers = range(int(row["lanes"]))
    stored = "\n    ".join(f"to[{i}] = r[{i}];" for i in numbers)
    to_memory = "\n    ".join(f"_mm512_storeu_{row['s']}(to + {i} * to_row, r[{i}]);" for i in numbers)
    loaded = ",\n        ".join(f"_mm512_loadu_{row['s']}(from + {i} * from_row)" for i in numbers)
    blanks = {"listed": ", ".join(f"from[{i}]" for i in numbers), "loaded": f"\n        {loaded},\n    "}
    blanks |= _widths(row["s"], len(numbers))
    return in_place + Template(_TRANSPOSE).substitute(row, **blanks, stored=stored, stored_to_memory=to_memory)


def _in_part(row: dict[str, str], adds: bool) -> str:
    s, lanes = row["s"], int(row["lanes"])
    blanks = _widths(s, lanes) | _masked(s, lanes, adds) | _to_side_by_side(s, lanes, adds)
    blanks["from_side_by_side"] = "" if adds else _from_side_by_side(row)
    name = "accumulate_transposeu" if adds else "transposeu"
    return Template(_TRANSPOSE_IN_PART).substitute(row, name=name, **blanks)


def _stores(s: str, values: Sequence[str], row: str, indent: int, adds: bool) -> str:
    """Stores whole registers, each so much behind the one before, or adds them to what is there."""

    def sum_at(place: str, value: str) -> str:
        return f"_mm512_add_{s}(_mm512_loadu_{s}({place}), {value})" if adds else value

    places = [f"to + {number} * {row}" for number in range(len(values))]
    stores = (f"_mm512_storeu_{s}({place}, {sum_at(place, value)});" for place, value in zip(places, values, strict=True))
    return f"\n{indent * ' '}".join(stores)


def _picked(s: str, lanes: int, first: str, numbers: Iterable[int], second: str) -> str:
    listed = ", ".join(map(str, numbers))
    return f"_mm512_permutex2var_{s}({first}, _mm512_setr_epi{512 // lanes}({listed}), {second})"


def _picked_of_three(s: str, lanes: int, places: Sequence[int]) -> str:
    """A register of what is at these places in a, b and c."""
    two = _picked(s, lanes, "a", (place if place < 2 * lanes else 0 for place in places), "b")
    return _picked(s, lanes, two, (i if place < 2 * lanes else place - lanes for i, place in enumerate(places)), "c")


def _from_side_by_side(row: dict[str, str]) -> str:
    """What stores the columns of two, three or four that are beside each other in as many registers."""
    s, lanes = row["s"], int(row["lanes"])

    def triple(column: int) -> str:
        return _picked_of_three(s, lanes, [3 * lane + column for lane in range(lanes)])

    def quadruple(column: int) -> str:
        places = [(4 * lane + column) % (2 * lanes) for lane in range(lanes)]
        low, high = (_cast(_picked(s, lanes, one, places, other), "pd", s) for one, other in ("ab", "cd"))
        return _cast(f"_mm512_insertf64x4({low}, _mm512_castpd512_pd256({high}), 1)", s, "pd")

    pairs = [_picked(s, lanes, "a", (2 * lane + column for lane in range(lanes)), "b") for column in (0, 1)]
    stores = {
        "of_pairs": _stores(s, pairs, "to_row", 12, False),
        "of_triples": _stores(s, [triple(column) for column in range(3)], "to_row", 12, False),
        "of_quadruples": _stores(s, [quadruple(column) for column in range(4)], "to_row", 8, False),
    }
    return Template(_FROM_SIDE_BY_SIDE).substitute(row, **stores)


def _to_side_by_side(s: str, lanes: int, adds: bool) -> dict[str, str]:
    """What stores two, three or four registers as columns that are beside each other."""

    def places(count: int, part: int) -> list[int]:
        """Where the elements of the first, second … register that is stored come from: lanes of so many registers."""
        return [number % count * lanes + number // count for number in range(part * lanes, (part + 1) * lanes)]

    pairs = [_picked(s, lanes, "a", places(2, part), "b") for part in range(2)]
    triples = [_picked_of_three(s, lanes, places(3, part)) for part in range(3)]
    halves = [_picked(s, lanes, one, places(2, part), other) for one, other in ("ab", "cd") for part in range(2)]
    joined = [
        [lanes * (lane // 2 % 2) + lanes // 2 * part + 2 * (lane // 4) + lane % 2 for lane in range(lanes)] for part in range(2)
    ]
    names = ("ab_low", "ab_high", "cd_low", "cd_high")
    vector = {"ps": "__m512", "pd": "__m512d"}[s]
    pieces = ", ".join(f"{name} = {value}" for name, value in zip(names, halves, strict=True))
    quadruples = [_picked(s, lanes, f"ab_{end}", half, f"cd_{end}") for end in ("low", "high") for half in joined]
    return {
        "to_pairs": _stores(s, pairs, str(lanes), 12, adds),
        "to_triples": _stores(s, triples, str(lanes), 12, adds),
        "to_quadruples": f"const {vector} {pieces};\n        " + _stores(s, quadruples, str(lanes), 8, adds),
    }


def _cast(value: str, to: str, of: str, width: int | str = 512) -> str:
    return value if to == of else f"_mm{width}_cast{of}_{to}({value})"


def _widths(s: str, lanes: int) -> dict[str, str]:
    half = f"_mm512_insertf64x4({_cast(f'_mm512_cast{s}256_{s}512(low)', 'pd', s)}, {_cast('high', 'pd', s, 256)}, 1)"
    return {
        "half": str(lanes // 2),
        "quarter": str(lanes // 4),
        "d": "d" if s == "pd" else "",
        "two_halves": _cast(half, s, "pd"),
    }


def _masked(s: str, lanes: int, adds: bool) -> dict[str, str]:
    """The parts of a transposition with masks, each line written out, so that rows stay in registers.

    Where it adds, all rows are loaded before any of them is stored: a load waits for a masked store before it that reaches
    over its start.
    """
    half, quarter = lanes // 2, lanes // 4

    def stored(column: int, value: str, width: str = "512") -> str:
        """A part of a register is kept from gcc, which would store it by a masked VEXTRACTF: that faults where no lane goes."""
        value = f"_mm{width}_add_{s}(old[{column}], {value})" if adds else value
        kept = (
            f'__m{width or 128}{"d" if s == "pd" else ""} part{column} = {value};\n    __asm__("" : "+v"(part{column}));\n    '
        )
        before, value = ("", value) if adds or width == "512" else (kept, f"part{column}")
        store = f"{before}_mm{width}_mask_storeu_{s}(to + {column} * to_row, in_column, {value});"
        return f"if (columns == {column})\n        return;\n    {store}" if column else store

    def old(count: int, kind: str, vector: str) -> str:
        if not adds:
            return ""
        rows = (f"usl_avx512_{kind}_{s}(columns, in_column, to, to_row, {i})" for i in range(count))
        return f"const {vector}{'d' if s == 'pd' else ''} old[{count}] = {{\n        {f',{chr(10)}        '.join(rows)}}};"

    def joined(column: int) -> str:
        first = column % quarter
        one, other = (_cast(f"r[{first + start}]", "pd", s) for start in (0, quarter))
        return _cast(f"_mm512_permutex2var_pd({one}, {'even' if column < quarter else 'odd'}, {other})", s, "pd")

    def part(column: int) -> str:
        register = _cast(f"r[{column % quarter}]", "ps", s)
        return _cast(f"_mm512_extractf32x4_ps({register}, {column // quarter})", s, "ps", width="")

    def half_of(column: int) -> str:
        """A row of 256 bits of two that are joined in a register."""
        pair = f"joined[{column % quarter * 2 + column // quarter % 2}]"
        if column < half:
            return f"_mm512_cast{s}512_{s}256({pair})"
        return _cast(f"_mm512_extractf64x4_pd({_cast(pair, 'pd', s)}, 1)", s, "pd", 256)

    def rows(function: str, extent: str, count: int) -> str:
        return f"\n{8 * ' '}".join(
            f"r[{i}] = usl_avx512_{function}_{s}({extent}, in_row, from, from_row, {i});" for i in range(count)
        )

    return {
        "four_rows": rows("four_rows", "rows", quarter),
        "four_whole_rows": rows("four_rows", str(lanes), quarter),
        "old_narrow": old(quarter, "row", "__m512"),
        "stored_narrow": "\n    ".join(stored(i, f"r[{i}]") for i in range(quarter)),
        "low_rows": rows("row", "rows", quarter),
        "old_low": old(lanes, "quarter_row", "__m128"),
        "stored_low": "\n    ".join(stored(i, part(i), "") for i in range(lanes)),
        "flat_rows": rows("row", "rows", half),
        "joined": ", ".join(joined(first + start) for first in range(quarter) for start in (0, quarter)),
        "old_flat": old(lanes, "half_row", "__m256"),
        "stored_flat": "\n    ".join(stored(i, half_of(i), "256") for i in range(lanes)),
        "two_rows": rows("two_rows", "rows", half),
        "two_whole_rows": rows("two_rows", str(lanes), half),
        "within": f"usl_avx512_within_{s}(r);\n    usl_avx512_within_{s}(r + {quarter});",
        "old_half": old(half, "row", "__m512"),
        "stored_half": "\n    ".join(stored(i, joined(i)) for i in range(half)),
        "loaded_in_part": rows("row", "rows", lanes),
        "whole_rows": rows("row", str(lanes), lanes),
        "old_in_part": old(lanes, "row", "__m512"),
        "stored_in_part": "\n    ".join(stored(i, f"r[{i}]") for i in range(lanes)),
    }


TRANSPOSITIONS = {
    "transpose_ps": _transpose(PS, _TRANSPOSE_PS),
    "transpose_pd": _transpose(PD, _TRANSPOSE_PD),
} | {
    f"{name}_{row['s']}": _in_part(row, adds)
    for name, adds in (("transpose_in_part", False), ("transpose_and_add", True))
    for row in (PS, PD)
}
"""The C by name, without guards; what stores or adds parts uses what transposes whole squares."""
