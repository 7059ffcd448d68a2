"""Truth values, `b8`, in mask registers: comparisons, their combinations, choices and counts by them.

In memory a truth value is a byte, in `AVX512_MASK` a bit. The number in a name is that of the lanes: `kand_mask16`. The names
`mm512_cmplt_ps_mask` and so on compare what the registers of their suffix hold; a comparison with NaN is false.
Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, VPCMP, VCMPPS, VPTESTM, KAND.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from usl_avx512.isa.families import Lanes, Source, Table, plain
from usl_avx512.isa.lanes import AVX512BW, AVX512BW_VL, AVX512F, MACROS, OF_LANES

COMPARISONS = {"lt": ("<", "_CMP_LT_OQ"), "le": ("<=", "_CMP_LE_OQ"), "eq": ("==", "_CMP_EQ_OQ")}
OPERATIONS = {"and": "&", "or": "|", "xor": "^"}
_BYTES = {8: ("_mm", "128"), 16: ("_mm", "128"), 32: ("_mm256", "256"), 64: ("_mm512", "512")}
"""The registers in which so many bytes are loaded and stored."""


def _both(
    prefix: str, name: str, target: Lanes | int, operands: str, statement: str, value: str, blended: str, *features: str
) -> Iterator[Source]:
    """What is done in all lanes of a target, and (`mask_`) in those below n: the C that leaves `{dst}` as it then is.

    target is a kind of registers, or a mask's number of lanes.
    """
    own = f"[b8][{target}] @ AVX512_MASK" if isinstance(target, int) else f"[{target.t}][{target.l}] @ {target.memory}"
    lanes = target if isinstance(target, int) else target.l
    alike = [each.partition(":")[0] for each in operands.split(", ") if each.endswith(own) and " = " in statement]
    alias = f", aliasable={('dst', *alike)!r}" if alike else ""
    for form, c in (("", value), ("mask_", blended)):
        size, guard = ("n: size, ", f"if i < n:\n{' ' * 24}") if form else ("", "")
        yield from plain(
            f"""
            @instr("{{dst}} = {c};"{alias})
            def {prefix}{form}{name}({size}dst: {own}{", " if operands else ""}{operands}):
                for i in seq(0, {lanes}):
                    {guard}{statement}
            """,
            *features,
        )


def _into_mask(
    prefix: str, name: str, lanes: int, operands: str, statement: str, value: str, *features: str
) -> Iterator[Source]:
    """`_both` with a mask as target. value is C for all its lanes."""
    k, some = f"__mmask{lanes}", f"{MACROS[lanes]}({{n}})"
    blended = f"({k})(({{dst}} & ~{some}) | (({value}) & {some}))"
    yield from _both(prefix, name, lanes, operands, statement, f"({k})({value})", blended, *features)


def _masks(lanes: int) -> Iterator[Source]:
    """What is done with masks of so many lanes alone."""
    own, features = f"[b8][{lanes}] @ AVX512_MASK", AVX512F if lanes <= 16 else AVX512BW
    ones = f"{MACROS[lanes]}({lanes})"

    def both(name: str, operands: str, statement: str, value: str) -> Iterator[Source]:
        yield from _into_mask("", f"{name}_mask{lanes}", lanes, operands, statement, value, *features)

    for op, sign in OPERATIONS.items():
        yield from both(f"k{op}", f"a: {own}, b: {own}", f"dst[i] = a[i] {sign} b[i]", f"{{a}} {sign} {{b}}")
        yield from both(f"k{op}_into", f"src: {own}", f"dst[i] {sign}= src[i]", f"{{dst}} {sign} {{src}}")
    yield from both("kxnor", f"a: {own}, b: {own}", "dst[i] = a[i] == b[i]", "~({a} ^ {b})")
    yield from both("knot", f"src: {own}", "dst[i] = not src[i]", "~{src}")
    yield from both("kmov", f"src: {own}", "dst[i] = src[i]", "{src}")
    yield from both("kset1", "a: b8 @ DRAM", "dst[i] = a", f"{{a}} ? {ones} : 0")
    yield from both("kfalse", "", "dst[i] = False", "0")
    yield from both("ktrue", "", "dst[i] = True", ones)
    choice = "({m} & {x}) | (~{m} & {y})"
    yield from both("kblend", f"m: {own}, x: {own}, y: {own}", "dst[i] = select(m[i], x[i], y[i])", choice)
    ends = {"and": f"{{src}} == {ones}", "or": "{src} != 0", "xor": "__builtin_parityll({src})"}
    for op, sign in OPERATIONS.items():
        yield from plain(
            f"""
            @instr("*{{dst.ptr}} = (uint8_t)((*{{dst.ptr}} != 0) {sign} ({ends[op]}));")
            def reduce_{op}_mask{lanes}(dst: b8 @ DRAM, src: {own}):
                for i in seq(0, {lanes}):
                    dst {sign}= src[i]
            """,
            *features,
        )


def _movement(lanes: int) -> Iterator[Source]:
    """Loads and stores, a byte in memory for each lane."""
    own, bytes_, some = f"[b8][{lanes}] @ AVX512_MASK", "[b8]", f"{MACROS[lanes]}({{n}})"
    i, bits = _BYTES[lanes]
    k, pointer = f"__mmask{lanes}", "" if bits == "512" else f"(const __m{bits}i *)"
    whole = "_mm_loadl_epi64((const __m128i *){src.ptr})" if lanes == 8 else f"{i}_loadu_si{bits}({pointer}{{src.ptr}})"
    to, value = f"(__m{bits}i *)" if pointer else "", f"{i}_maskz_mov_epi8({{src}}, {i}_set1_epi8(1))"
    put = f"_mm_storel_epi64({to}{{dst.ptr}}, {value})" if lanes == 8 else f"{i}_storeu_si{bits}({to}{{dst.ptr}}, {value})"
    part, zeros = f"{i}_maskz_loadu_epi8({some}, {{src.ptr}})", f"{i}_setzero_si{bits}()"
    features = AVX512BW if lanes == 64 else AVX512BW_VL
    yield from plain(
        f"""
        @instr("{{dst}} = ({k}){i}_cmpneq_epi8_mask({whole}, {zeros});")
        def loadu_mask{lanes}(dst: {own}, src: {bytes_}[{lanes}]):
            for i in seq(0, {lanes}):
                dst[i] = src[i]
        """,
        *features,
    )
    yield from plain(
        f"""
        @instr("{{dst}} = ({k})(({{dst}} & ~{some}) | {i}_cmpneq_epi8_mask({part}, {zeros}));")
        def mask_loadu_mask{lanes}(n: size, dst: {own}, src: {bytes_}[n]):
            for i in seq(0, {lanes}):
                if i < n:
                    dst[i] = src[i]
        """,
        *features,
    )
    yield from plain(
        f"""
        @instr("{put};")
        def storeu_mask{lanes}(dst: {bytes_}[{lanes}], src: {own}):
            for i in seq(0, {lanes}):
                dst[i] = src[i]
        """,
        *features,
    )
    yield from plain(
        f"""
        @instr("{i}_mask_storeu_epi8({{dst.ptr}}, {some}, {value});")
        def mask_storeu_mask{lanes}(n: size, dst: {bytes_}[n], src: {own}):
            for i in seq(0, {lanes}):
                if i < n:
                    dst[i] = src[i]
        """,
        *features,
    )


def _compared(row: Lanes) -> Iterator[Source]:
    """Comparisons of registers of one kind."""
    register = f"[{row.t}][{row.l}] @ {row.memory}"
    for name, (sign, predicate) in COMPARISONS.items():
        value = row.extra["less"].replace("_CMP_LT_OQ", predicate).replace("_cmplt_", f"_cmp{name}_")
        value = value.replace("_cmpeq_epu", "_cmpeq_epi")
        operands, statement = f"a: {register}, b: {register}", f"dst[i] = a[i] {sign} b[i]"
        yield from _into_mask(f"{row.p}_", f"cmp{name}_{row.s}_mask", row.l, operands, statement, value, *row.features)


def _chosen(row: Lanes) -> Iterator[Source]:
    """What is done in registers of one kind by a mask."""
    own, mask, x = f"[{row.t}][{row.l}] @ {row.memory}", f"[b8][{row.l}] @ AVX512_MASK", row.extra
    one = x["one"].replace("{a}", "1")
    zero = x["one"].replace("{a}", "0")
    forms = {
        "blendm": (f"m: {mask}, x: {own}, y: {own}", "dst[i] = select(m[i], x[i], y[i])", f"{x['mov']}({{y}}, {{m}}, {{x}})"),
        "cast_b8": (f"src: {mask}", f"dst[i] = {row.t}(src[i])", f"{x['mov']}({zero}, {{src}}, {one})"),
    }
    if row.t[0] != "f":  # where it is false, a sum with 0.0 would change -0.0
        added = f"{x['mov']}({{dst}}, {{src}}, {x['i']}_add_epi{x['bits']}({{dst}}, {one}))"
        forms["count"] = (f"src: {mask}", f"dst[i] += {row.t}(src[i])", added)
    features = row.features if row.memory == "AVX512" else AVX512BW_VL
    for name, (operands, statement, value) in forms.items():
        blended = f"{x['mov']}({{dst}}, {x['mask']}, {value})"
        yield from _both(f"{row.p}_", f"{name}_{row.s}", row, operands, statement, value, blended, *features)


def _all() -> Iterator[Source]:
    for lanes, rows in OF_LANES.items():
        yield from _masks(lanes)
        yield from _movement(lanes)
        for row in rows:
            yield from _compared(row)
            yield from _chosen(row)


TABLE = Table(__name__, _all())


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
