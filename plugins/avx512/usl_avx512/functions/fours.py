"""Procedures on vectors as C functions on four registers at once, statement by statement (`interleave`).

A Zen 4 looks at 64 operations that wait, those of two or three vectors. With one vector after the other each of these has one
operation that could begin, so that pipes stand still; here any four operations beside each other are independent.
`python tools/functions.py` writes the functions named in `AT_ONCE` to isa/fours.h.
"""

from __future__ import annotations

import re

from usl_avx512.functions.lanes import LANES, NEAR, RARE, SUFFIXES, VECTORS, guarded, instructions
from usl_avx512.isa.function_texts import FOURS as FILE
from usl_avx512.isa.function_texts import four_texts
from usl_avx512.memories import AVX512
from usl_c11.emit import library
from usl_core import Procedure
from usl_core.cursors import AllocCursor
from usl_core.scheduling import partial_eval, rename, reorder_stmts, set_window, simplify
from usl_stdlib import interleave, vectorize

AT_ONCE = {
    "log_ps": 0,
    "tan_ps": 4,
    "tanh_ps": 2,
    "pow_ps": 8,
    "sigmoid_ps": 4,
    "expm1_pd": 8,
    "tan_pd": 4,
    "tanh_pd": 8,
    "erf_pd": 2,
    "pow_pd": 8,
    "sigmoid_pd": 8,
}
"""What four registers at once make faster by 7 to 25 %, and by how many statements each of them follows the one before.

Others gain less, and those with large tables lose. Behind each other they do not divide all at the same time.
"""

HEAD = """\
/* Functions on four registers at once, from the procedures in usl_avx512/functions. Do not edit: `python tools/functions.py`
   writes this. */
"""
ALONE = """\
static {rare} {vector} usl_avx512_{f}_alone_{s}({formals})
{{
    return usl_avx512_{f}_{s}({operands});
}}
"""
FOURS = range(4)


def section(name: str, p: Procedure, typ: str) -> str:
    """A C function on four registers, of the procedure that computes what name says, with its guard and what it needs."""
    from usl_avx512.functions import kernels_pow, kernels_turns

    s, vector = SUFFIXES[typ], VECTORS[typ]
    function = name.rpartition("_")[0]
    own = f"usl_avx512_{function}_x4_{s}"
    near = getattr(kernels_turns, f"{function}_near_{typ}", None) or getattr(kernels_pow, f"{function}_near_{typ}", None)
    operands = [arg.name() for arg in (near or p).args() if arg.is_tensor() and arg.name() != "y"]
    results = ", ".join(f"{vector} *y{at}" for at in FOURS)
    arguments = ", ".join(f"{vector} {operand}{at}" for operand in operands for at in FOURS)
    arrays = "".join(
        f"    const {vector} {operand}[4] = {{{', '.join(f'{operand}{at}' for at in FOURS)}}};\n" for operand in operands
    )
    again = "".join(
        f"        y[{at}] = usl_avx512_{function}_alone_{s}({', '.join(f'{operand}[{at}]' for operand in operands)});\n"
        for at in FOURS
    )
    test = f"    if ({_elsewhere(function, typ)}) {{\n{again}    }}\n" if near is not None else ""
    stores = "".join(f"    *y{at} = y[{at}];\n" for at in FOURS)
    alone = ALONE.format(
        rare=RARE,
        vector=vector,
        f=function,
        s=s,
        formals=", ".join(f"{vector} {operand}" for operand in operands),
        operands=", ".join(operands),
    )
    head = f"static inline void {own}({results}, {arguments})"
    body = f"{head}\n{{\n{arrays}    {vector} y[4];\n{_interleaved(near or p, typ, AT_ONCE[name])}{test}{stores}}}\n"
    return guarded(own, (alone + "\n" if near is not None else "") + body)


def _interleaved(p: Procedure, typ: str, apart: int) -> str:
    """The statements of a procedure for four registers, from arrays of registers to the array y."""
    s, lanes = SUFFIXES[typ], LANES[typ]
    p = partial_eval(p, 4 * lanes)
    for operand in [arg.name() for arg in p.args()]:
        p = set_window(p, operand, False)
    p, vectors = vectorize(p, "i", lanes, AVX512, instructions(typ), tail="perfect")
    p, _ = interleave(p, vectors.loop, 4, "perfect")
    p = _behind_each_other(simplify(p), apart)
    made = library([rename(p, "body").ir], "body", exported=False).files["body.c"]
    found = re.search(r"^static void body_body\(.*?\)\n\{\n(.*?)^\}\n", made, flags=re.MULTILINE | re.DOTALL)
    assert found is not None, made

    def register(at: re.Match[str]) -> str:
        return f"{at[1]}[{int(at[2] or 0) // lanes}]"

    body = re.sub(rf"_mm512_loadu_{s}\(&?(\w)(?:\[(\d+)\])?\)", register, found[1])
    body = re.sub(rf"_mm512_storeu_{s}\(&?(y)(?:\[(\d+)\])?, (.+)\);", lambda at: f"{register(at)} = {at[3]};", body)
    assert "loadu" not in body and "storeu" not in body, body
    return body


def _behind_each_other(p: Procedure, apart: int) -> Procedure:
    """Statements in groups of four, one for each register: those of each register go so many groups back."""
    count = sum(isinstance(stmt, AllocCursor) for stmt in p.body())
    here = list(range(len(p.body()) - count))
    wanted = sorted(here, key=lambda at: (at // 4 + apart * (at % 4), at))
    for place, stmt in enumerate(wanted):
        if (steps := here.index(stmt) - place) > 0:
            p = reorder_stmts(p, p.body()[count + place].expand(0, steps), steps)
            here.insert(place, here.pop(place + steps))
    return p


def _elsewhere(function: str, typ: str) -> str:
    """C that says that some lanes are not those of the near procedure.

    It stands after the statements; before them, it costs 7 %.
    """
    s, bits, lanes = SUFFIXES[typ], typ[1:], LANES[typ]
    if function == "pow":
        x = [f"_mm512_cast{s}_si512(x[{at}])" for at in FOURS]
        signs = _tree("_mm512_or_si512", x)
        none = [f"_mm512_cmp_{s}_mask(y[{at}], y[{at + 1}], _CMP_UNORD_Q)" for at in (0, 2)]
        return f"(__mmask{lanes})(_mm512_cmplt_epi{bits}_mask({signs}, _mm512_setzero_si512()) | {' | '.join(none)})"
    largest = _tree(f"_mm512_max_epu{bits}", [f"_mm512_cast{s}_si512(_mm512_abs_{s}(x[{at}]))" for at in FOURS])
    return f"_mm512_cmpge_epu{bits}_mask({largest}, _mm512_cast{s}_si512(_mm512_set1_{s}({NEAR[typ]})))"


def _tree(operation: str, x: list[str]) -> str:
    return f"{operation}({operation}({x[0]}, {x[1]}), {operation}({x[2]}, {x[3]}))"


def write(names: tuple[str, ...] = ()) -> list[str]:
    """Write the header again, or only the functions of these names; what is different now."""
    from usl_avx512.functions.lanes import procedures

    old, new = four_texts(), {}
    made = procedures()
    for name in AT_ONCE:
        own = f"usl_avx512_{name.replace('_', '_x4_')}"
        wanted = not names or name.split("_")[0] in names or own not in old
        new[own] = section(name, *made[f"usl_avx512_{name}"]) if wanted else old[own]
    FILE.write_text(HEAD + "\n" + "\n".join(new.values()), encoding="utf-8")
    return [name for name, text in new.items() if old.get(name) != text]
