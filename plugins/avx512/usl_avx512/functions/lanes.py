"""Procedures on vectors as C functions on registers: the text that `isa.functions` makes instructions of.

The loop of a procedure is cut to one register, vectorized by the instructions of the package, and its C taken out of the
library that the backend makes of it. `python tools/functions.py` writes the functions of all procedures to isa/functions.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from usl_avx512 import isa, kernels_int
from usl_avx512.isa.function_texts import FILE, function_texts
from usl_avx512.isa.tables import TABLE_TEXTS
from usl_avx512.memories import AVX512
from usl_c11.emit import library
from usl_core import Procedure
from usl_core.scheduling import partial_eval, rename, set_window, simplify
from usl_stdlib import vectorize

LANES = {"f32": 16, "f64": 8}
SUFFIXES = {"f32": "ps", "f64": "pd"}
VECTORS = {"f32": "__m512", "f64": "__m512d"}

TABLES = ("basics", "floats", "exponents", "choices", "bits", "integers", "conversions", "casts", "tables")


@cache
def instructions(typ: str) -> tuple[Procedure, ...]:
    """What functions on f32 or f64 are made of: operations of this type and of integers as wide."""
    bits = typ[1:]
    types = frozenset({typ, f"i{bits}", f"u{bits}"})
    own = [kernels_int.mm512_set1_epu32] if typ == "f32" else []
    return (*_found(LANES[typ], types), *own)


def _found(lanes: int, types: frozenset[str]) -> Iterator[Procedure]:
    from importlib import import_module

    for name in TABLES:
        table = import_module(f"usl_avx512.isa.{name}").TABLE
        for each in table.of_lanes(lanes, frozenset(isa.PLAIN), types):
            if "_mask" not in each:
                yield table.find(each)


def on_registers(p: Procedure, typ: str) -> Procedure:
    """A procedure on vectors for as many elements as a register has, by instructions."""
    p = partial_eval(p, LANES[typ])
    for operand in [arg.name() for arg in p.args()]:
        p = set_window(p, operand, False)
    p, _ = vectorize(p, "i", LANES[typ], AVX512, instructions(typ), tail="perfect")
    return simplify(p)


def c_function(p: Procedure, name: str, typ: str, how: str = "inline") -> str:
    """A procedure on vectors, the last of which is y, as a C function on registers, which takes the others and returns y."""
    made = library([rename(on_registers(p, typ), "body").ir], "body", exported=False).files["body.c"]
    found = re.search(r"^static void body_body\(.*?\)\n\{\n(.*?)^\}\n", made, flags=re.MULTILINE | re.DOTALL)
    assert found is not None, made
    s, vector = SUFFIXES[typ], VECTORS[typ]
    body = re.sub(rf"_mm512_loadu_{s}\((\w)\)", r"\1", found[1])
    body = re.sub(rf"_mm512_storeu_{s}\(y, (\w+)\);", r"return \1;", body)
    assert "loadu" not in body and "storeu" not in body, body
    formals = [arg.name() for arg in p.args() if arg.is_tensor() and arg.name() != "y"]
    head = f"static {how} {vector} {name}({', '.join(f'{vector} {formal}' for formal in formals)})"
    tables = [guarded(table, TABLE_TEXTS[table]) for table in dict.fromkeys(re.findall(r"usl_avx512_at_\w+", body))]
    return "\n".join([*tables, f"{head}\n{{\n{body}}}\n"])


NEAR = {"f32": "1024.0f", "f64": "1048576.0"}
"""Where near procedures end: as in `kernels_turns`."""
WIDE = {
    "sin": "usl_avx512_sin_wide_pd({x}, _mm512_setzero_pd())",
    "cos": "usl_avx512_sin_wide_pd({x}, _mm512_set1_pd(1.0))",
    "tan": "_mm512_div_pd(usl_avx512_sin_wide_pd({x}, _mm512_setzero_pd()), usl_avx512_sin_wide_pd({x}, _mm512_set1_pd(1.0)))",
}
"""What functions on f32 are in f64, of half a register."""

HALVES = """\
static {how} __m512 {name}({formals})
{{
    const __m256 low = _mm512_cvtpd_ps({low});
    const __m256 high = _mm512_cvtpd_ps({high});
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}}
"""
LOW = "_mm512_cvtps_pd(_mm512_castps512_ps256({x}))"
HIGH = "_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd({x}), 1)))"

BY_SIZE = """\
static inline {vector} usl_avx512_{f}_{s}({vector} x)
{{
    {vector} y = usl_avx512_{f}_near_{s}(x);
    const {mask} far = _mm512_cmp_{s}_mask(_mm512_abs_{s}(x), _mm512_set1_{s}({near}), _CMP_NLT_UQ);
    if (far)
        y = _mm512_mask_mov_{s}(y, far, usl_avx512_{f}_far_{s}(x));
    return y;
}}
"""
SPECIAL = """\
static inline {vector} usl_avx512_pow_{s}({vector} x, {vector} z)
{{
    {vector} y = usl_avx512_pow_near_{s}(x, z);
    const {mask} sign = _mm512_cmplt_epi{bits}_mask(_mm512_cast{s}_si512(x), _mm512_setzero_si512());
    const {mask} special = ({mask})(sign | _mm512_cmp_{s}_mask(y, y, _CMP_UNORD_Q));
    if (special)
        y = usl_avx512_pow_special_{s}(x, z, y);
    return y;
}}
"""
RARE = "__attribute__((noinline, cold, unused))"
LIBRARY = """\
#include <math.h>
static {rare} __m512d usl_avx512_{f}_far_pd(__m512d x)
{{
    double of[8];
    _mm512_storeu_pd(of, x);
    for (int i = 0; i < 8; i++)
        of[i] = {f}(of[i]);
    return _mm512_loadu_pd(of);
}}
"""


def by_size(function: str, typ: str) -> str:
    """A C function on registers that calls one for small arguments and another for others."""
    mask, s = {"f32": "__mmask16", "f64": "__mmask8"}[typ], SUFFIXES[typ]
    return BY_SIZE.format(f=function, s=s, vector=VECTORS[typ], mask=mask, near=NEAR[typ])


def through_f64(function: str, name: str, how: str) -> str:
    """A C function on registers of f32 that computes both halves in f64."""
    low, high = (WIDE[function].format(x=part.format(x="x")) for part in (LOW, HIGH))
    return HALVES.format(how=how, name=name, formals="__m512 x", low=low, high=high)


def power(typ: str) -> list[str]:
    """The C functions of `pow` on registers."""
    from usl_avx512.functions import kernels_pow

    s, mask, parts = SUFFIXES[typ], {"f32": "__mmask16", "f64": "__mmask8"}[typ], vars(kernels_pow)
    near = c_function(parts[f"pow_near_{typ}"], f"usl_avx512_pow_near_{s}", typ)
    special = c_function(parts[f"pow_special_{typ}"], f"usl_avx512_pow_special_{s}", typ, RARE)
    return [near, special, SPECIAL.format(s=s, vector=VECTORS[typ], mask=mask, bits=typ[1:])]


def procedures() -> dict[str, tuple[Procedure, str]]:
    """By the name of its C function: each procedure, and its type; what they are made of is left out."""
    from usl_avx512.functions import kernels_f32, kernels_f64, kernels_pow, kernels_turns

    found = {}
    for module in (kernels_f32, kernels_f64, kernels_turns, kernels_pow):
        for name, value in vars(module).items():
            function, _, typ = name.rpartition("_")
            if isinstance(value, Procedure) and typ in SUFFIXES and not function.endswith(("_near", "_special")):
                found[f"usl_avx512_{function}_{SUFFIXES[typ]}"] = (value, typ)
    return found


HEAD = """\
/* Functions on registers, from the procedures in usl_avx512/functions. Do not edit: `python tools/functions.py` writes this. */
"""


def section(name: str, p: Procedure, typ: str) -> str:
    """A C function with its guard, and before it what it calls."""
    return guarded(name, texts(name, p, typ))


def guarded(name: str, text: str) -> str:
    """Text that a file may have more than once."""
    guard = name.upper()
    return f"#ifndef {guard}\n#define {guard}\n{text}#endif /* {guard} */\n"


def texts(name: str, p: Procedure, typ: str) -> str:
    """The C functions that a procedure is made of, the last one its own."""
    from usl_avx512.functions import kernels_turns

    function = p.name().rpartition("_")[0]
    if hasattr(kernels_turns, part := f"{function}_near_{typ}"):
        near = c_function(getattr(kernels_turns, part), f"usl_avx512_{function}_near_{SUFFIXES[typ]}", typ)
        return "\n".join([*far(function, typ), near, by_size(function, typ)])
    if function == "pow":
        return "\n".join(power(typ))
    return c_function(p, name, typ)


def wide(function: str) -> str:
    """The C function on f64 that a function on f32 is made of."""
    from usl_avx512.functions import kernels_wide

    own = f"usl_avx512_{function}_wide_pd"
    return guarded(own, c_function(getattr(kernels_wide, f"{function}_wide"), own, "f64"))


def far(function: str, typ: str) -> list[str]:
    """The C functions for large arguments: in f64, or lane by lane the C library's."""
    if typ == "f64":
        return [LIBRARY.format(f=function, rare=RARE)]
    return [wide("sin"), through_f64(function, f"usl_avx512_{function}_far_ps", RARE)]


def write(names: Sequence[str] = ()) -> list[str]:
    """Write the header again, or only the functions of these names; what is different now."""
    old, new = function_texts(), {}
    for name, (p, typ) in procedures().items():
        wanted = not names or name.split("_")[2] in names or name not in old
        new[name] = section(name, p, typ) if wanted else old[name]
    FILE.write_text(HEAD + "\n" + "\n".join(new.values()), encoding="utf-8")
    return [name for name, text in new.items() if old.get(name) != text]
