"""The C of single constructs: names, literals, precedence, index arithmetic, and what the backend refuses."""

from __future__ import annotations

import struct
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import c11_kernels as kernels
import pytest
from c11_compile import compiles, require, write
from hypothesis import given
from hypothesis import strategies as st

from usl_c11.backend import C11
from usl_c11.ctext import C, binary, unary
from usl_c11.emit import library
from usl_c11.literals import float_literal, round_to
from usl_c11.names import Names, is_reserved, legal
from usl_core.errors import NOWHERE, BackendError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.memory import DRAM, Memory
from usl_core.ir.traverse import update
from usl_core.ir.types import F16, F32, F64, INDEX
from usl_core.plugins.manager import PluginManager


def body(text: str, **scope: Any) -> str:
    """The lines of the body function of a procedure called f, without its comment."""
    source = library([kernels.parse(text, **scope)], "lib").files["lib.c"]
    start = source.index("f_body(")
    return source[source.index("{\n", start) + 2 : source.index("\n}\n", start)]


def refusal(text: str, **scope: Any) -> str:
    with pytest.raises(BackendError) as caught:
        body(text, **scope)
    return str(caught.value)


# ---- names


def test_names_that_c_or_its_library_own_are_changed() -> None:
    text = "def f(int: size, double: f32[int], usl_x: f32[int]):\n    for y0 in seq(0, int):\n        double[y0] = usl_x[y0]\n"
    assert "double_[y0_] = vusl_x[y0_];" in body(text)


def test_shadowing_names_get_a_number_and_sibling_scopes_share_one() -> None:
    text = """
def f(n: size, x: f32[n]):
    for i in seq(0, n):
        t: f32
        t = x[i]
        x[i] = t
    for i in seq(0, n):
        for i in seq(0, n):
            x[i] = 0.0
"""
    c = body(text)
    assert c.count("for (int64_t i = 0; i < n; i++)") == 2
    assert "for (int64_t i_1 = 0; i_1 < n; i_1++)" in c


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd", "Pc"]), min_size=1))
def test_every_spelling_becomes_a_legal_identifier(spelling: str) -> None:
    name = legal(spelling)
    assert name.isascii() and name.isidentifier() and not is_reserved(name)


def test_a_name_is_free_again_after_its_scope() -> None:
    names = Names()
    assert names.fresh("i") == "i"
    names.push()
    assert names.fresh("i") == "i_1"
    names.pop()
    assert names.fresh("i") == "i_1"


def test_generating_twice_gives_the_same_text() -> None:
    assert library([kernels.TILES], "a").files == library([kernels.TILES], "a").files


def test_two_callees_of_one_name_get_two_functions(tmp_path: Path) -> None:
    first = kernels.parse("def g(x: f32[4]):\n    x[0] = 1.0\n")
    second = kernels.parse("def g(x: f32[4]):\n    x[0] = 2.0\n")
    text = "def f(x: f32[4]):\n    a(x)\n    b(x)\n"
    assert body(text, a=first, b=second) == "    g(x);\n    g_1(x);"


@pytest.mark.parametrize("name", ["malloc", "for", "sinf", "_x"])
def test_exported_names_that_c_owns_are_refused(name: str) -> None:
    with pytest.raises(BackendError, match=f"{name} cannot be the name of a C function"):
        library([update(kernels.SGEMM, name=name)], "lib")


@pytest.mark.parametrize(
    "name", ["send", "cpow", "drem", "sincos", "swab", "error", "exp10", "environ", "stdin", "fadd", "argp"]
)
def test_what_programs_take_from_the_c_library_is_not_exported(name: str, tmp_path: Path) -> None:
    taken = {"argp": "argp_error"}.get(name, name)
    for make in (C11().emit, lambda procs, name: C11().build(procs, name, tmp_path)):
        with pytest.raises(
            BackendError, match=f"{taken} is a function of the C library, and programs that link this"
        ) as caught:
            make([update(kernels.SGEMM, name=name)], "lib")
        assert caught.value.notes == (f"give {name} another name with rename",)


def test_usual_names_are_exported() -> None:
    names = "conv blur gemm step total copy scale norm dot axpy transpose histogram mean tokens memory stride string".split()
    assert set(C11().emit([update(kernels.SGEMM, name=name) for name in names], "lib")) == {"lib.c", "lib.h", "lib.d"}


def test_functions_within_a_library_are_no_functions_that_compilers_know(tmp_path: Path) -> None:
    require("gcc")
    callee = kernels.parse("def cpow(x: f32[4]):\n    x[0] = 1.0\n")
    text = "def f(x: f32[4]):\n    a(x)\n"
    assert body(text, a=callee) == "    cpow_(x);"
    write(library([kernels.parse(text, a=callee)], "lib").files, tmp_path)
    assert compiles("gcc", tmp_path / "lib.c") == ""


def test_two_exports_of_one_name_are_refused() -> None:
    with pytest.raises(BackendError, match="two exported procedures are called sgemm"):
        library([kernels.SGEMM, update(kernels.SGEMM)], "lib")


def test_a_library_that_exports_nothing_is_text_for_the_entries_of_others(tmp_path: Path) -> None:
    require("gcc")
    files = library([kernels.parse("def f(n: size, x: [f32][n]):\n    x[0] = 1.0\n")], "lib", exported=False).files
    assert not any(word in files["lib.h"] for word in ("f(", "f_error", "struct"))
    entry = "void set(float *x)\n{\n    f_body(1, (struct usl_win_1f32){x, {1}});\n}\n"
    own = {"lib.h": files["lib.h"] + "void set(float *x);\n", "lib.c": files["lib.c"] + entry}
    write(files | own, tmp_path)
    assert compiles("gcc", tmp_path / "lib.c") == ""
    symbols = subprocess.run(["nm", "-g", tmp_path / "lib.o"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["set"]
    assert "/* f: how it was made is not recorded */\n" in own["lib.c"]


def test_instructions_are_not_exported() -> None:
    with pytest.raises(BackendError, match="load16 is an instruction"):
        library([kernels.LOAD], "lib")


# ---- literals and precedence


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_float_literals_read_back_as_the_same_float(value: float) -> None:
    text = float_literal(Fraction(value), F32, NOWHERE).text
    assert text.endswith("f")
    assert struct.pack("f", float(text[:-1])) == struct.pack("f", value) or value == 0


@given(st.fractions(max_denominator=10**40))
def test_rounding_to_double_is_that_of_python(value: Fraction) -> None:
    assert round_to(value, F64, NOWHERE) == Fraction(float(value))


def test_rounding_goes_to_even_and_knows_subnormals() -> None:
    assert round_to(1 + Fraction(1, 2**24), F32, NOWHERE) == 1
    assert round_to(1 + Fraction(3, 2**24), F32, NOWHERE) == 1 + Fraction(1, 2**22)
    assert round_to(Fraction(3, 2**150), F32, NOWHERE) == Fraction(2, 2**149)
    assert round_to(Fraction(1, 2**25), F16, NOWHERE) == 0


def test_literals_are_short_and_overflow_is_refused() -> None:
    assert [float_literal(Fraction(text), F32, NOWHERE).text for text in ("0.1", "1", "1e30", "-2.5")] == [
        "0.1f",
        "1.0f",
        "1e+30f",
        "-2.5f",
    ]
    with pytest.raises(BackendError, match="does not fit f32"):
        float_literal(Fraction(10) ** 39, F32, NOWHERE)


def test_parentheses_are_those_that_keep_the_tree() -> None:
    a, b, c = C("a"), C("b"), C("c")
    assert binary("-", a, binary("-", b, c)).text == "a - (b - c)"
    assert binary("-", binary("-", a, b), c).text == "a - b - c"
    assert binary("||", binary("&&", a, b), c).text == "(a && b) || c"
    assert binary("==", binary("<", a, b), c).text == "(a < b) == c"
    assert unary("-", unary("-", a)).text == "-(-a)"


# ---- integers and indices


def test_unsigned_division_by_a_literal_is_the_plain_operator() -> None:
    assert (
        body("def f(x: u16[4]):\n    x[0] = x[1] / 9 + x[2] % 4\n").strip()
        == "x[0] = (uint16_t)((uint16_t)(x[1] / 9) + (uint16_t)(x[2] % 4));"
    )


def test_signed_sums_are_computed_once_in_unsigned() -> None:
    c = body("def f(x: i32[4]):\n    x[0] = x[1] + x[2] * x[3]\n").strip()
    assert c == "x[0] = (int32_t)((uint32_t)x[1] + (uint32_t)x[2] * (uint32_t)x[3]);"


def test_u16_products_are_not_computed_in_int() -> None:
    assert body("def f(x: u16[4]):\n    x[0] = x[1] * x[2]\n").strip() == "x[0] = (uint16_t)((uint32_t)x[1] * (uint32_t)x[2]);"


def test_index_division_is_plain_where_the_numerator_is_not_negative() -> None:
    text = "def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[(i + 3) / 4 % n_] = 0.0\n".replace("% n_", "")
    assert "x[(i + 3) / 4]" in body(text.replace("x: f32[n]", "x: f32[n + 1]"))


def test_index_division_of_possibly_negative_numbers_floors() -> None:
    text = "def f(k: index, x: f32[7]):\n    assert k > -9\n    assert k < 9\n    x[k % 7] = 1.0\n    x[(k + 9) / 7] = 2.0\n"
    assert body(text).splitlines() == ["    x[usl_floor_mod(k, 7)] = 1.0f;", "    x[(k + 9) / 7] = 2.0f;"]


def test_signed_division_by_a_power_of_two_is_a_shift_and_has_no_branch() -> None:
    text = "def f(k: index, x: f32[8], y: i32[2], z: i8[2]):\n    assert k > -9\n    assert k < 9\n"
    text += "    x[k % 8] = 1.0\n    x[k / 4 + 3] = 2.0\n    y[0] = y[1] / 16\n    z[0] = z[1] % 4\n"
    lines = ["x[k & 7] = 1.0f;", "x[(k >> 2) + 3] = 2.0f;", "y[0] = y[1] >> 4;", "z[0] = (int8_t)(z[1] & 3);"]
    assert [line.strip() for line in body(text).splitlines()] == lines


def test_conditions_narrow_ranges() -> None:
    text = "def f(k: index, x: f32[8]):\n    if 0 <= k and k < 8:\n        x[k / 2] = 1.0\n"
    assert "x[k / 2]" in body(text)


def test_index_arithmetic_that_might_overflow_is_refused() -> None:
    big = 2**40
    text = f"def f(n: size, x: f32[8]):\n    x[(n * {big}) % 8] = 1.0\n"
    message = refusal(text)
    assert f"`n * {big}` might not fit 64 bits" in message and "assert a smaller bound" in message
    assert "% 8" in body(text.replace("f32[8]):\n", "f32[8]):\n    assert n < 1000\n"))


def test_formals_of_internal_procedures_range_over_their_calls() -> None:
    g = kernels.parse("def g(k: index, x: f32[8]):\n    x[k % 7] = 1.0\n")
    text = "def f(n: size, x: f32[8]):\n    for i in seq(0, n):\n        g(i, x)\n"
    assert "x[k % 7] = 1.0f;" in library([kernels.parse(text, g=g)], "lib").files["lib.c"]
    assert (
        "x[usl_floor_mod(k, 7)]" in library([kernels.parse(text.replace("g(i, x)", "g(i - 1, x)"), g=g)], "lib").files["lib.c"]
    )


def test_constant_products_beyond_int_are_64_bit_constants() -> None:
    text = """
def f(x: [u8][100000, 100000]):
    assert stride(x, 0) == 100000
    assert stride(x, 1) == 1
    x[70000, 5] = 1
"""
    assert body(text).strip() == "x.data[INT64_C(7000000000) + 5] = 1;"


# ---- statements


def test_scalars_that_may_be_read_first_are_initialised() -> None:
    text = "def f(n: size, x: f32[n]):\n    t: f32\n    for i in seq(0, n):\n        x[i] = t\n        t = x[i]\n"
    assert body(text).splitlines()[0] == "    float t = 0;"
    assert body("def f(x: f32[2]):\n    t: f32\n    t = x[0]\n    x[1] = t\n").splitlines()[0] == "    float t = x[0];"


def test_large_and_variable_buffers_are_on_the_heap_and_small_ones_are_arrays() -> None:
    def storage(extent: str) -> str:
        text = f"def f(n: size, x: f32[n]):\n    t: f32[{extent}]\n    t[0] = x[n - 1]\n    x[0] = t[0]\n"
        return body(text).splitlines()[0].strip()

    assert storage("8192").startswith("_Alignas(64) float t[8192]")
    assert storage("8193").startswith("float *t = usl_alloc(")
    assert storage("n").startswith("float *t = usl_alloc(")


def test_many_small_buffers_do_not_fill_the_stack() -> None:
    names = [f"t{k}" for k in range(10)]
    lines = [f"    {name}: f32[8192]\n    {name}[0] = x[0]\n    x[0] = {name}[0]" for name in names]
    c = body("def f(x: f32[4]):\n" + "\n".join(lines) + "\n")
    assert c.count("_Alignas(64)") == 8 and c.count("usl_alloc(") == 2


def test_stack_memory_wants_constant_sizes() -> None:
    assert "needs constant extents, not n" in refusal(
        "def f(n: size, x: f32[n]):\n    t: f32[n] @ Stack\n    t[0] = x[0]\n    x[0] = t[0]\n"
    )
    assert "too much for the stack" in refusal("def f(x: f32[4]):\n    t: f64[1000000] @ Stack\n    t[0] = 0.0\n")


def test_read_only_arguments_are_const_and_aliasable_ones_not_restrict() -> None:
    text = "def f(n: size, a: f32[n], b: f32[n], c: f32):\n    for i in seq(0, n):\n        b[i] = a[i] + c\n"
    plain = library([kernels.parse(text)], "lib").files["lib.c"]
    assert "f_body(int64_t n, const float *restrict a, float *restrict b, const float *restrict c)" in plain
    aliasable = library([update(kernels.parse(text), aliasable=("a", "b"))], "lib").files["lib.c"]
    assert "f_body(int64_t n, const float *a, float *b, const float *restrict c)" in aliasable


def test_buffers_of_unused_parts_compile_without_a_warning(tmp_path: Path) -> None:
    text = """
def f(n: size, m: size, x: f32[n], y: f32, flag: bool, w: [f32][n]):
    unused: f32[4]
    only_written: f32[n]
    scalar: i8
    scalar = 3
    never: f64
    v = w[0:1]
    for i in seq(0, n):
        only_written[i] = 1.0
        if 1 < 2:
            pass
        else:
            scalar = scalar
"""
    for compiler in ("gcc", "clang"):
        write(library([kernels.parse(text)], "lib").files, tmp_path)
        assert compiles(require(compiler), tmp_path / "lib.c") == ""


def test_f16_is_rounded_after_each_operation(tmp_path: Path) -> None:
    proc = kernels.parse("def f(x: f16[4]):\n    x[0] = x[1] * x[2] + x[3]\n    x[1] += 0.1\n")
    files = library([proc], "lib").files
    assert "(usl_f16)((usl_f16)(x[1] * x[2]) + x[3])" in files["lib.c"]
    assert "__FLT16_MAX__" in files["lib.h"]
    write(files, tmp_path)
    probe = tmp_path / "probe.c"
    probe.write_text("#ifndef __FLT16_MAX__\n#error no\n#endif\nint probe(void);\nint probe(void) { return 0; }\n")
    if compiles(require("gcc"), probe) == "":
        assert compiles("gcc", tmp_path / "lib.c") == ""


# ---- refusals


def test_r_must_have_been_given_a_precision() -> None:
    assert "type R is left" in refusal("def f(x: R[4]):\n    x[0] = 1.0\n")


def test_bf16_is_stored_as_bits_and_computed_with_in_float() -> None:
    assert body("def f(x: bf16[4]):\n    x[0] = x[1]\n").strip() == "x[0] = x[1];"
    added = body("def f(x: bf16[4]):\n    x[0] = x[1] + x[2]\n").strip()
    assert added == "x[0] = usl_bf16_from_f32(usl_f32_from_bf16(x[1]) + usl_f32_from_bf16(x[2]));"
    assert body("def f(x: bf16[4], y: f32[4]):\n    y[0] = f32(x[1])\n").strip() == "y[0] = usl_f32_from_bf16(x[1]);"


def test_memory_without_addresses_is_touched_by_instructions_only() -> None:
    text = "def f(x: f32[16]):\n    r: f32[16] @ Registers\n    r[0] = x[0]\n"
    assert "memory Registers cannot be written by plain C" in refusal(text)
    assert "has no addresses: a C function cannot take it" in refusal("def f(x: f32[16] @ Registers):\n    pass\n")


def test_parallel_loops_with_races_are_refused() -> None:
    assert "may interfere" in refusal("def f(n: size, x: f32[n]):\n    for i in par(0, n):\n        x[0] = 1.0\n")


def test_parallel_reductions_into_array_elements_are_refused() -> None:
    text = "def f(n: size, x: f32[n], y: f32[4]):\n    for i in par(0, n):\n        y[1] += x[i]\n"
    assert "reduce into one element of y" in refusal(text)


def test_parallel_reductions_inside_a_callee_are_refused() -> None:
    g = kernels.parse("def g(a: f32, b: f32):\n    a += b\n")
    text = "def f(n: size, x: f32[n], y: f32):\n    for i in par(0, n):\n        g(y, x[i])\n"
    assert "reduce into the scalar y" in refusal(text, g=g)


CFG = Config("Cfg", {"scale": ConfigField("scale", INDEX), "hidden": ConfigField("hidden", INDEX, readable=False)})


def test_readable_configuration_fields_live_in_a_context(tmp_path: Path) -> None:
    text = """
def f(n: size, x: f32[n]):
    Cfg.scale = n
    for i in seq(0, n):
        if i < Cfg.scale:
            x[i] = 0.0
"""
    files = library([kernels.parse(text, Cfg=CFG)], "lib").files
    assert "int f(struct lib_ctx *ctx, int64_t n, float *x);" in files["lib.h"]
    assert "ctx->Cfg.scale = n;" in files["lib.c"] and "if (i < ctx->Cfg.scale)" in files["lib.c"]
    assert "hidden" not in files["lib.h"]
    write(files, tmp_path)
    assert compiles(require("gcc"), tmp_path / "lib.c") == ""


def test_write_only_fields_are_written_by_hardware_and_read_by_nobody() -> None:
    assert (
        body("def f(n: size, x: f32[n]):\n    Cfg.hidden = n\n    x[0] = 1.0\n", Cfg=CFG).strip()
        == "(void)n;\n    x[0] = 1.0f;"
    )
    text = """
def f(n: size, x: f32[n]):
    for i in seq(0, n):
        if i < Cfg.hidden:
            x[i] = 1.0
"""
    message = refusal(text, Cfg=CFG)
    assert "Cfg.hidden is write-only" in message


class Scratch(Memory):
    """A memory with an allocator of its own."""

    name = "Scratch"

    @classmethod
    def header(cls) -> str:
        return "extern void *scratch_alloc(size_t bytes);\nextern void scratch_free(void *p);"

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Any, span: Any) -> str:
        return f"{ctype} *{name} = scratch_alloc(sizeof({ctype}) * (size_t)({' * '.join(shape)}));"

    @classmethod
    def free(cls, name: str, ctype: str, shape: Any, span: Any) -> str:
        return f"scratch_free({name});"


def test_memories_write_their_own_allocation_and_release(tmp_path: Path) -> None:
    text = """
def f(n: size, x: f32[n]):
    for i in seq(0, n):
        t: f32[n] @ Scratch
        t[i] = x[i]
        x[i] = t[i]
"""
    proc = kernels.parse(text, Scratch=Scratch)
    lines = [line.strip() for line in library([proc], "lib").files["lib.c"].splitlines()]
    start = lines.index("float *t = scratch_alloc(sizeof(float) * (size_t)(n));")
    assert lines[start + 3] == "scratch_free(t);"
    assert DRAM.header() == ""
    write(library([proc], "lib").files, tmp_path)
    assert compiles(require("gcc"), tmp_path / "lib.c") == ""


@pytest.mark.parametrize("mode", ["seq", "par"])
def test_ends_of_loops_that_are_remainders_get_parentheses(mode: str) -> None:
    text = f"def f(n: index, x: f32[4]):\n    for i in {mode}(0, (n - 3) % 4):\n        x[i] = 1.0\n"
    assert "i < ((n - 3) & 3); i++" in body(text)


def test_storage_on_the_heap_is_freed_after_its_last_use_through_windows_too() -> None:
    text = """
def f(n: size, x: f32[n], y: f32[n]):
    a: f32[n]
    for i in seq(0, n):
        a[i] = x[i]
    w = a[0:n]
    v = w[0:n]
    b: f32[n]
    for i in seq(0, n):
        b[i] = v[i]
    c: f32[n]
    for i in seq(0, n):
        c[i] = b[i]
        y[i] = c[i]
"""
    lines = [line.strip() for line in body(text).splitlines()]
    events = ("float *a", "float *b", "b[i] = ", "float *c", "free", "y[i]", "return 0")
    order = [line.partition(" = ")[0] for line in lines if line.startswith(events)]
    failing = [["free(a);"], ["free(b);"]]  # what is held where b and c cannot be had
    assert order == [
        "float *a",
        "float *b",
        *failing[0],
        "b[i]",
        "free(a);",
        "float *c",
        *failing[1],
        "y[i]",
        "free(b);",
        "free(c);",
        "return 0;",
    ]


# ---- templates


def test_a_plugin_may_give_parallel_loops_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    form = "PARALLEL_FOR({iter}, {lo}, {hi}) {{\n{body}\n}}"
    monkeypatch.setattr(PluginManager, "parallel_template", lambda self, backend: form if backend == "c11" else None)
    text = "def f(n: size, x: f32[n], y: f32):\n    for i in par(0, n):\n        x[i] = 1.0\n"
    assert body(text).splitlines()[1:] == ["    PARALLEL_FOR(i, 0, n) {", "        x[i] = 1.0f;", "    }"]
    assert "a plugin's form of `par` cannot express" in refusal(text.replace("x[i] = 1.0", "y += x[i]"))


def test_operands_in_templates_get_parentheses_only_where_they_could_bind_wrongly() -> None:
    op = kernels.instruction(
        "def op(n: size, x: [f32][n], s: f32):\n    for i in seq(0, n):\n        x[i] = s\n",
        "f({n}, {x.ptr}, {x.stride0}, {s}); g({n} * 2, {{1}}); h({x}, *{s.ptr})",
    )
    c = body("def f(x: f32[2, 8]):\n    op(8, x[0, 0:8], x[1, 7])\n", op=op)
    assert c.strip() == "f(8, x, 1, x[15]); g(8 * 2, {1}); h((struct usl_win_1f32){x, {1}}, *(&x[15]));"
    c = body("def f(n: size, y: [f32][n + 8]):\n    t: f32\n    t = 1.0\n    op(n + 1, y[1:n + 2], t)\n", op=op)
    assert "f(n + 1, &y.data[y.strides[0]], y.strides[0], t); g((n + 1) * 2, {1});" in c


def test_a_buffer_in_another_memory_than_the_callee_names_is_refused() -> None:
    text = "def f(x: f32[16], y: f32[16]):\n    load16(y[0:16], x[0:16])\n"
    assert "load16 wants its argument dst in Registers, but y[0:16] is in DRAM" in refusal(text, load16=kernels.LOAD)


# ---- functions that are called


@pytest.mark.parametrize("outlined", [False, True])
def test_outlined_functions_with_loops_stay_out_of_their_callers(outlined: bool) -> None:
    inner = kernels.parse("def inner(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0\n")
    p = kernels.parse("def f(n: size, x: f32[n]):\n    inner(n, x)\n", inner=inner)
    source = library([p], "lib", entry_checks=False, outlined=outlined).files["lib.c"]
    assert ("\nUSL_APART " in source[: source.index("static void inner(")]) == outlined
