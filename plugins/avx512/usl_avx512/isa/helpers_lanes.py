"""The C functions behind the templates of `lanes_apart`: elements that are not side by side, into and out of registers.

A register of b bits times w lanes is named `bxw`. What is read is counted in elements, so that nothing beyond them is touched:
`usl_avx512_upto_8x64(x, 61)` loads 61 bytes and clears the other lanes. Where the count is a constant, as in whole registers, a
compiler sees which loads need no mask.
"""

from __future__ import annotations

from collections.abc import Iterator

REGISTERS = ((8, 16), (8, 32), (8, 64), (16, 16), (16, 32), (32, 16), (64, 8))
"""Bits of an element, and lanes, of the registers that functions are made for."""

_MACROS = {8: "USL_AVX512_LANES8", 16: "USL_AVX512_LANES", 32: "USL_AVX512_LANES32", 64: "USL_AVX512_LANES64"}


def _i(size: int) -> str:
    return {128: "_mm", 256: "_mm256", 512: "_mm512"}[size]


def _v(size: int) -> str:
    return f"__m{size}i"


def _load(size: int, pointer: str) -> str:
    """An unaligned load of so many bits."""
    cast = pointer if size == 512 else f"(const {_v(size)} *)({pointer})"
    return f"{_i(size)}_loadu_si{size}({cast})"


def _numbers(bits: int, values: list[int], size: int = 512) -> str:
    """A register of these numbers, the first in the lowest lane; -1 for lanes that do not matter."""
    if bits < 32:  # there is no setr of bytes for 512 bits: as words, of which the first number is the lowest part
        step = 32 // bits
        mask = (1 << bits) - 1
        words = [sum((values[at + part] & mask) << (bits * part) for part in range(step)) for at in range(0, len(values), step)]
        values = [word - (1 << 32) if word >= 1 << 31 else word for word in words]
        bits = 32
    listed = ", ".join("INT32_MIN" if value == -(1 << 31) else str(value) for value in values)
    return f"{_i(size)}_setr_epi{bits}{'x' if bits == 64 and size < 512 else ''}({listed})"


# ---- part of a register


def _upto(bits: int, lanes: int) -> str:
    size = bits * lanes
    return f"""
static inline {_v(size)} usl_avx512_upto_{bits}x{lanes}(const void *x, int64_t count)
{{
    if (count >= {lanes})
        return {_load(size, "x")};
    return count > 0 ? {_i(size)}_maskz_loadu_epi{bits}({_MACROS[lanes]}(count), x) : {_i(size)}_setzero_si{size}();
}}
"""


def _put(bits: int, lanes: int) -> str:
    size = bits * lanes
    return f"""
/* The lanes in which, of the first count. */
static inline void usl_avx512_put_{bits}x{lanes}(void *x, {_v(size)} value, __mmask{lanes} which, int64_t count)
{{
    if (count > 0)
        {_i(size)}_mask_storeu_epi{bits}(x, (__mmask{lanes})(which & {_MACROS[lanes]}(count)), value);
}}
"""


# ---- every k-th element


def _strided(k: int, bits: int, lanes: int) -> str:
    size = bits * lanes
    return f"""
/* Every {"second third fourth".split()[k - 2]} of count elements. */
static inline {_v(size)} usl_avx512_load{k}_{bits}x{lanes}(const void *from, int64_t count)
{{
    const char *x = (const char *)from;
{_every(k, bits, lanes)}
}}
"""


def _part(name: str, bits: int, lanes: int, first: int) -> str:
    """A declaration of what is loaded from element first on."""
    at = f"x + {first * bits // 8}" if first else "x"
    rest = f"count - {first}" if first else "count"
    return f"    const {_v(bits * lanes)} {name} = usl_avx512_upto_{bits}x{lanes}({at}, {rest});"


def _every(k: int, bits: int, lanes: int) -> str:
    size = bits * lanes
    if k == 3 and bits == 8:
        return _every_third_byte(lanes)
    if bits >= 32 or k == 3:
        return _permuted(k, bits, lanes)
    whole, parts = 512 // bits, k * size // 512
    names = [f"r{number}" for number in range(max(parts, 1))]
    if size * k == 256:
        return f"{_part('r0', bits, 32, 0)}\n    return _mm256_cvtepi16_epi8(r0);"
    loads = "\n".join(_part(name, bits, whole, number * whole) for number, name in enumerate(names))
    narrow = f"_mm512_cvtepi{bits * k}_epi{bits}"
    if parts == 1:
        return f"{loads}\n    return {narrow}(r0);"
    if size < 512:  # each part gives half of the lanes
        return f"{loads}\n    return _mm256_inserti128_si256(_mm256_castsi128_si256({narrow}(r0)), {narrow}(r1), 1);"
    return f"{loads}\n{_packed(k, bits, names)}"


def _packed(k: int, bits: int, names: list[str]) -> str:
    """Whole registers: what is not wanted is cleared, and what is packed with saturation, which then keeps it as it is."""
    ones = {(8, 2): "epi16(0x00ff)", (8, 4): "epi32(0x000000ff)", (16, 2): "epi32(0x0000ffff)", (16, 4): "epi64(0xffff)"}
    lines = [f"    const __m512i wanted = _mm512_set1_{ones[bits, k]};"]
    kept = [f"_mm512_and_si512({name}, wanted)" for name in names]
    if k == 2:
        pack = "_mm512_packus_epi16" if bits == 8 else "_mm512_packus_epi32"
        lines.append(f"    const __m512i packed = {pack}({kept[0]}, {kept[1]});")
        lines.append(f"    return _mm512_permutexvar_epi64({_numbers(64, [0, 2, 4, 6, 1, 3, 5, 7])}, packed);")
        return "\n".join(lines)
    first = "_mm512_packus_epi32"
    second = "_mm512_packus_epi16" if bits == 8 else "_mm512_packus_epi32"
    lines.append(f"    const __m512i low = {first}({kept[0]}, {kept[1]});")
    lines.append(f"    const __m512i high = {first}({kept[2]}, {kept[3]});")
    order = [4 * (word % 4) + word // 4 for word in range(16)]
    lines.append(f"    return _mm512_permutexvar_epi32({_numbers(32, order)}, {second}(low, high));")
    return "\n".join(lines)


def _permuted(k: int, bits: int, lanes: int) -> str:
    """By permutations of two registers: the lanes from the first two, then those from the next two."""
    whole = 512 // bits
    needed = -(-(k * (lanes - 1) + 1) // whole)
    names = [f"r{number}" for number in range(needed)]
    lines = [_part(name, bits, whole, number * whole) for number, name in enumerate(names)]
    wanted = [k * lane for lane in range(lanes)] + [0] * (whole - lanes)
    first = _numbers(bits, [element % (2 * whole) for element in wanted])
    result = f"_mm512_permutex2var_epi{bits}(r0, {first}, r1)"
    later = sum(1 << lane for lane, element in enumerate(wanted) if element >= 2 * whole)
    mask = f"(__mmask{whole}){later:#x}u"
    if needed == 3:
        index = _numbers(bits, [element % whole for element in wanted])
        result = f"_mm512_mask_permutexvar_epi{bits}({result}, {mask}, {index}, r2)"
    if needed == 4:
        lines.append(f"    const __m512i order = {first};")
        pairs = [f"_mm512_permutex2var_epi{bits}({a}, order, {b})" for a, b in (("r0", "r1"), ("r2", "r3"))]
        result = f"_mm512_mask_mov_epi{bits}({pairs[0]}, {mask}, {pairs[1]})"
    kept = {512: result, 256: f"_mm512_castsi512_si256({result})"}[bits * lanes]
    return "\n".join([*lines, f"    return {kept};"])


def _every_third_byte(lanes: int) -> str:
    """Each 16 lanes come from 48 bytes: three parts, of which a shuffle picks five or six bytes each."""
    size, lines = 8 * lanes, []
    i, quarters = _i(size), lanes // 16
    for part in range(3):
        chunks = [f"usl_avx512_upto_8x16(x + {48 * q + 16 * part}, count - {48 * q + 16 * part})" for q in range(quarters)]
        value = chunks[0]
        if quarters == 2:
            value = f"_mm256_inserti128_si256(_mm256_castsi128_si256({chunks[0]}), {chunks[1]}, 1)"
        elif quarters == 4:
            value = f"_mm512_castsi128_si512({chunks[0]})"
            for q in (1, 2, 3):
                value = f"_mm512_mask_broadcast_i32x4({value}, (__mmask16){0xF << (4 * q):#x}u, {chunks[q]})"
        lines.append(f"    const {_v(size)} r{part} = {value};")
    picked = []
    for part in range(3):
        order = [3 * lane - 16 * part if 0 <= 3 * lane - 16 * part < 16 else 0x80 for lane in range(16)] * quarters
        picked.append(f"{i}_shuffle_epi8(r{part}, {_numbers(8, order, size)})")
    either = f"{i}_or_si{size}"
    return "\n".join([*lines, f"    return {either}({either}({picked[0]}, {picked[1]}), {picked[2]});"])


def _spread(k: int, bits: int, lanes: int) -> str:
    return f"""
/* The first lanes, {k} elements apart, as many as are within count elements. */
static inline void usl_avx512_store{k}_{bits}x{lanes}(void *to, {_v(bits * lanes)} value, int64_t count)
{{
    char *x = (char *)to;
{_stores(k, bits, lanes)}
}}
"""


def _every_mask(k: int, lanes: int, first: int = 0) -> str:
    """The lanes whose number, counted from first on, k divides."""
    mask = sum(1 << lane for lane in range(lanes) if (first + lane) % k == 0)
    return f"(__mmask{lanes}){mask:#x}{'ull' if lanes == 64 else 'u'}"


def _at(first: int, bits: int) -> tuple[str, str]:
    return (f"x + {first * bits // 8}", f"count - {first}") if first else ("x", "count")


def _stores(k: int, bits: int, lanes: int) -> str:
    size = bits * lanes
    lines: list[str] = []
    if bits >= 32 or (bits == 16 and k == 3):
        whole = 512 // bits
        value = "value" if size == 512 else "_mm512_castsi256_si512(value)"
        for first in range(0, k * lanes, whole):
            at, rest = _at(first, bits)
            order = _numbers(bits, [(first + lane) // k % whole for lane in range(whole)])
            moved = f"_mm512_permutexvar_epi{bits}({order}, {value})"
            lines.append(f"    usl_avx512_put_{bits}x{whole}({at}, {moved}, {_every_mask(k, whole, first)}, {rest});")
    elif k == 3:
        for quarter in range(lanes // 16):
            for part in range(3):
                picked = [(16 * part + byte) // 3 if (16 * part + byte) % 3 == 0 else 0x80 for byte in range(16)]
                at, rest = _at(48 * quarter + 16 * part, 8)
                moved = f"_mm_shuffle_epi8({_chunk('value', size, quarter, 128)}, {_numbers(8, picked, 128)})"
                lines.append(f"    usl_avx512_put_8x16({at}, {moved}, {_every_mask(3, 16, 16 * part)}, {rest});")
    else:  # each lane widened
        taken = min(512 // k, size)
        wide = taken * k // bits
        for number in range(size // taken):
            at, rest = _at(number * wide, bits)
            moved = f"{_i(taken * k)}_cvtepu{bits}_epi{bits * k}({_chunk('value', size, number, taken)})"
            lines.append(f"    usl_avx512_put_{bits}x{wide}({at}, {moved}, {_every_mask(k, wide)}, {rest});")
    return "\n".join(lines)


def _chunk(value: str, size: int, number: int, taken: int) -> str:
    """A part of a register."""
    if taken == size:
        return value
    if number == 0:
        return f"_mm{'' if size == 128 else size}_castsi{size}_si{taken}({value})"
    if size == 256:
        return f"_mm256_extracti128_si256({value}, {number})"
    return f"_mm512_extracti64x4_epi64({value}, {number})" if taken == 256 else f"_mm512_extracti32x4_epi32({value}, {number})"


# ---- the other way round, doubled, clamped, any distance


def _reversed(bits: int, lanes: int) -> str:
    size = bits * lanes
    order = list(range(lanes - 1, -1, -1))
    if bits == 8 or size < 512:
        within = [16 - bits // 8 - at + part for at in range(0, 16, bits // 8) for part in range(bits // 8)]
        value = f"{_i(size)}_shuffle_epi8(x, {_numbers(8, within * (size // 128), size)})"
        if size == 256:
            value = f"_mm256_permute4x64_epi64({value}, 0x4e)"
        elif size == 512:
            value = f"_mm512_permutexvar_epi64({_numbers(64, [6, 7, 4, 5, 2, 3, 0, 1])}, {value})"
    else:
        value = f"_mm512_permutexvar_epi{bits}({_numbers(bits, order)}, x)"
    return f"""
static inline {_v(size)} usl_avx512_reversed_{bits}x{lanes}({_v(size)} x)
{{
    return {value};
}}
"""


def _backwards(bits: int, lanes: int) -> str:
    size = bits * lanes
    return f"""
/* The last elements before x + count, the last one first, as many as there are up to {lanes}. */
static inline {_v(size)} usl_avx512_backwards_{bits}x{lanes}(const void *x, int64_t count)
{{
    const char *from = (const char *)((uintptr_t)x + {bits // 8}u * (uintptr_t)(count - {lanes}));
    const __mmask{lanes} none = (__mmask{lanes})(count < {lanes} ? {_MACROS[lanes]}({lanes} - count) : 0);
    return usl_avx512_reversed_{bits}x{lanes}({_i(size)}_maskz_loadu_epi{bits}((__mmask{lanes})~none, from));
}}
"""


def _store_backwards(bits: int, lanes: int) -> str:
    size = bits * lanes
    return f"""
static inline void usl_avx512_store_backwards_{bits}x{lanes}(void *x, {_v(size)} value, int64_t count)
{{
    char *to = (char *)((uintptr_t)x + {bits // 8}u * (uintptr_t)(count - {lanes}));
    const __mmask{lanes} none = (__mmask{lanes})(count < {lanes} ? {_MACROS[lanes]}({lanes} - count) : 0);
    {_i(size)}_mask_storeu_epi{bits}(to, (__mmask{lanes})~none, usl_avx512_reversed_{bits}x{lanes}(value));
}}
"""


def _doubled(bits: int, lanes: int) -> str:
    size, half = bits * lanes, lanes // 2
    i, wide = _i(size), f"cvtepu{bits}_epi{2 * bits}"
    source = f"usl_avx512_upto_{bits}x{half}" if bits * half >= 128 else "usl_avx512_upto_8x16"
    most = "" if bits * half >= 128 else f"count > {half} ? {half} : "
    counts = (f"{most}count", f"{most.replace('count', 'count - odd')}count - odd")
    odd = f"(const char *)x + odd * {bits // 8}" if bits > 8 else "(const char *)x + odd"
    return f"""
/* Each of count elements twice; where odd is 1, the lanes with odd numbers are one element further on. */
static inline {_v(size)} usl_avx512_doubled_{bits}x{lanes}(const void *x, int64_t count, int64_t odd)
{{
    const {_v(size)} low = {i}_{wide}({source}(x, {counts[0]}));
    const {_v(size)} high = {i}_{wide}({source}({odd}, {counts[1]}));
    return {i}_or_si{size}(low, {i}_slli_epi{2 * bits}(high, {bits}));
}}
"""


def _clamped(bits: int, lanes: int) -> str:
    size, element = bits * lanes, f"{'u' if bits < 64 else ''}int{bits}_t"
    i, one = _i(size), {8: "(char)", 16: "(short)", 32: "(int)", 64: "(long long)"}[bits]
    return f"""
/* Lane i is x[clamp(first + i, lo, hi)], lo <= hi: a load, and at the borders the lanes beyond them set to the last element. */
static inline {_v(size)} usl_avx512_clamped_{bits}x{lanes}(const void *from, int64_t first, int64_t lo, int64_t hi)
{{
    const {element} *x = (const {element} *)from;
    const void *start = (const void *)((uintptr_t)from + {bits // 8}u * (uintptr_t)first);
    if (first >= lo && first <= hi - {lanes - 1})
        return {_load(size, "start")};
    const int64_t below = lo - first, upto = hi - first + 1;
    const __mmask{lanes} low = (__mmask{lanes})(below > 0 ? {_MACROS[lanes]}(below) : 0);
    const __mmask{lanes} inside = (__mmask{lanes})(upto > 0 ? {_MACROS[lanes]}(upto) : 0);
    {_v(size)} value = {i}_maskz_loadu_epi{bits}((__mmask{lanes})(inside & ~low), start);
    value = {i}_mask_mov_epi{bits}(value, low, {i}_set1_epi{bits}({one}x[lo]));
    return {i}_mask_mov_epi{bits}(value, (__mmask{lanes})~inside, {i}_set1_epi{bits}({one}x[hi]));
}}
"""


def _apart(bits: int, lanes: int) -> str:
    size = bits * lanes
    return f"""
static inline {_v(size)} usl_avx512_apart_{bits}x{lanes}(const void *from, int64_t stride, int64_t count)
{{
    const uint{bits}_t *x = (const uint{bits}_t *)from;
    uint{bits}_t lanes[{lanes}] = {{0}};
    for (int64_t i = 0; i < {lanes} && i < count; i++)
        lanes[i] = x[i * stride];
    return {_load(size, "(const void *)lanes") if size == 512 else _load(size, "lanes")};
}}
"""


def _store_apart(bits: int, lanes: int) -> str:
    size = bits * lanes
    return f"""
static inline void usl_avx512_store_apart_{bits}x{lanes}(void *to, int64_t stride, {_v(size)} value, int64_t count)
{{
    uint{bits}_t *x = (uint{bits}_t *)to, lanes[{lanes}];
    {_i(size)}_storeu_si{size}({"lanes" if size == 512 else f"({_v(size)} *)lanes"}, value);
    for (int64_t i = 0; i < {lanes} && i < count; i++)
        x[i * stride] = lanes[i];
}}
"""


def _interleaved(bits: int, lanes: int, store: str = "_mm512_storeu_si512", name: str = "interleaved") -> str:
    """Two loops' worth of `store2` in whole registers: within each quarter first, then the quarters in order."""
    halves = [[0, 1, 8, 9, 2, 3, 10, 11], [4, 5, 12, 13, 6, 7, 14, 15]]
    stores = [
        f"{store}({at}, _mm512_permutex2var_epi64(low, {_numbers(64, order)}, high));"
        for at, order in zip(("to", "(char *)to + 64"), halves, strict=True)
    ]
    return f"""
/* The lanes of two registers by turns. */
static inline void usl_avx512_{name}_{bits}x{lanes}(void *to, __m512i even, __m512i odd)
{{
    const __m512i low = _mm512_unpacklo_epi{bits}(even, odd), high = _mm512_unpackhi_epi{bits}(even, odd);
    {stores[0]}
    {stores[1]}
}}
"""


_MAKERS = {
    "put": _put,
    "reversed": _reversed,
    "backwards": _backwards,
    "store_backwards": _store_backwards,
    "clamped": _clamped,
    "apart": _apart,
    "store_apart": _store_apart,
}


def _all() -> Iterator[tuple[str, str]]:
    """Each function with its name."""
    for bits, lanes in (*REGISTERS, (32, 8), (16, 8)):
        yield f"upto_{bits}x{lanes}", _upto(bits, lanes)
    for bits, lanes in REGISTERS:
        for name, make in _MAKERS.items():
            yield f"{name}_{bits}x{lanes}", make(bits, lanes)
        for k in (2, 3, 4):
            yield f"load{k}_{bits}x{lanes}", _strided(k, bits, lanes)
            yield f"store{k}_{bits}x{lanes}", _spread(k, bits, lanes)
        if bits < 64 and bits * lanes == 512:
            yield f"interleaved_{bits}x{lanes}", _interleaved(bits, lanes)
            yield (
                f"streamu_interleaved_{bits}x{lanes}",
                _interleaved(bits, lanes, "usl_avx512_streamu_si512", "streamu_interleaved"),
            )
        if bits < 64:
            yield f"doubled_{bits}x{lanes}", _doubled(bits, lanes)


LANE_TEXTS = dict(_all())
"""The functions, without guards, by name without `usl_avx512_`; each stands after those that it calls."""
