"""`usl soac`, and what a file of functions shows."""

from __future__ import annotations

import subprocess

import pytest
from click.testing import CliRunner

from usl_core.errors import UslError
from usl_soac import parse_program
from usl_soac.command import soac_command

FILE = """
from __future__ import annotations
from usl_soac import sliced, soac, static_sizes

@soac
def doubled(x: f64[n]) -> f64[_]:
    return concat(x, x)

@sliced
@soac
def chosen(k: i64) -> i64[_]:
    return iota(k if k > 3 else 3)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "functions.py"
    path.write_text(FILE)
    return str(path)


def run(*args: str) -> str:
    done = CliRunner().invoke(soac_command, args)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_a_file_is_listed_with_the_types_of_its_functions(file):
    assert run(file) == ("doubled : ∀ n. (x: f64[n]) → f64[2*n]\nchosen : (k: i64) → ∃ k_2. i64[k_2]\n")


def test_one_function_is_shown_after_a_pass(file):
    assert run(f"{file}:doubled", "--show", "core").splitlines() == [
        "fun doubled : ∀ n. (x: f64[n]) → ∃ k. f64[k]",
        "    t: f64[?] = concat(x, x)",
        "    t",
    ]
    assert "sliced" in run(f"{file}:chosen", "--explain")


def test_what_is_not_there_is_told(file, tmp_path):
    with pytest.raises(UslError, match="defines no function triple with @soac\n  hint: doubled, chosen"):
        run(f"{file}:triple")
    with pytest.raises(UslError, match="there is no pass called asm\n  hint: core, sizes, ext, slices"):
        run(file, "--show", "asm")
    empty = tmp_path / "empty.py"
    empty.write_text("")
    with pytest.raises(UslError, match="defines no function with @soac"):
        run(str(empty))
    assert "exclude each other" in run(file, "--show", "core", "--explain")
    assert run(f"{file}:doubled", "--check-operators") == "doubled: 0 operators tried, none refuted\n"


def test_sizes_of_results_are_known_without_them():
    text = """
@soac
def f(x: f64[n, m], k: i64) -> tuple[f64[_, _], i64[_]]:
    return concat(x, x), iota(k)

@soac
def g(ns: i64[n]) -> i64[_, _]:
    return map(lambda c: iota(c), ns)

@soac
def h(x: i64[n]) -> i64[_]:
    return filter(lambda v: v > 0, x)
"""
    program = parse_program(text, "<shapes>")
    assert program["f"].shape(x=(2, 3), k=7) == ((4, 3), (7,))
    with pytest.raises(UslError, match="f has no parameter y\n  hint: x, k"):
        program["f"].shape(x=(2, 3), k=7, y=1)
    with pytest.raises(UslError, match="f: x is given as an array, or as its 2 sizes"):
        program["f"].shape(x=(2,), k=7)
    with pytest.raises(UslError, match=r"the sizes of f depend on k\n.*\n.*\n  hint: k=…") as caught:
        program["f"].shape(x=(2, 3))
    assert caught.value.code == "E766"
    with pytest.raises(UslError, match="the sizes of h cannot be known without computing its result") as caught:
        program["h"].shape(x=(3,))
    assert caught.value.code == "E766"


def test_promises_about_sizes_are_kept_or_refused():
    text = "@{}\n@soac\ndef f(x: i64[n], k: i64) -> i64[_]:\n    return {}\n"
    assert parse_program(text.format("static_sizes", "concat(x, x)"))["f"].type().endswith("i64[2*n]")
    for promise, body in (("static_sizes", "filter(lambda v: v > 0, x)"), ("sliced", "filter(lambda v: v > 0, x)")):
        with pytest.raises(UslError, match="<program>:3:1: f is promised to ") as caught:
            parse_program(text.format(promise, body))["f"].type()
        assert caught.value.code == "E765"
    assert "interleaved" in parse_program(text.format("interleaved", "concat(x, x)"))["f"].explain()
    with pytest.raises(UslError, match="@fast is no promise"):
        parse_program(text.format("fast", "x"))


HALVES = """
from __future__ import annotations
from usl_core import divide_loop
from usl_soac import soac

@soac
def at(x: f64[n], k: i64) -> f64[_]:
    return map(lambda v: v * x[k], x)

halves = at.schedule("k0", lambda p: divide_loop(p, "i", 2, ["io", "ii"], tail="cut"))
"""


def test_c_is_written_without_tests_or_with_more_of_them(tmp_path):
    path = tmp_path / "indexed.py"
    path.write_text(HALVES)
    place = f"{path}:halves"
    sizes = {}
    for flags in ((), ("--unchecked",), ("--debug",)):
        run(place, "-o", str(tmp_path), *flags)
        sizes[flags] = (tmp_path / "at.c").read_text().count("ctx->raised = ")
        assert "2 * io" in (tmp_path / "at_kernels.c").read_text(), "the schedule is kept"
    assert sizes["--unchecked",] < sizes[()] < sizes["--debug",]
    assert "are about the C that --output writes" in run(place, "--unchecked")


OPERATORS = [
    ("reduce(lambda a, b: a - b, 0, x)", "the operator is not associative"),
    ("reduce(lambda a, b: a + 2 * b, 0, x)", "the operator is not associative"),
    ("reduce(add, 1, x)", "the operator has another neutral element"),
    ("reduce(max, 0, x)", "the operator has another neutral element"),
    ("reduce(lambda a, b: a, 0, x)", "the operator has another neutral element"),
    ("reduce(lambda a, b: b, 0, x, commutative=True)", "the operator is not commutative"),
    ("scan(lambda a, b: a * b + k, 0, x)[0]", "the operator is not associative"),
    ("reduce(lambda a, i, b, j: (a, i) if a > b else (b, i), (-99, 0), x, x)[0]", "the operator has another neutral element"),
    ("reduce(lambda a, b: map(lambda v, w: v - w, a, b), x, [x])[0]", "the operator is not associative"),
]


@pytest.mark.parametrize(("text", "message"), OPERATORS, ids=[each[0] for each in OPERATORS])
def test_operators_that_break_their_promise_are_refuted_with_values(text, message):
    f = parse_program(f"@soac\ndef f(x: i64[n], k: i64) -> i64:\n    return {text}\n", "<operators>")["f"]
    with pytest.raises(UslError) as caught:
        f.check_operators()
    assert str(caught.value).startswith("<operators>:3:12: " + message)
    assert caught.value.code == "E767" and "a = " in caught.value.notes[0]


def test_operators_that_keep_their_promise_pass():
    text = """
@soac
def f(x: i64[n], y: f64[n, m], k: i64) -> tuple[i64, f64[m], f64, i64, i64[n]]:
    def best(a, b):
        return a if a[0] >= b[0] else b
    def affine(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]
    first = reduce(best, (-inf, -1), y[:, 0], x)[1]
    sums = reduce(lambda a, b: map(add, a, b), replicate(m, 0), y)
    least = reduce(min, inf, y[:, 0], commutative=True)
    rest = reduce(lambda a, b: (a + b) % 7 if k > 99 else a + b, 0, x)
    slopes, starts = scan(affine, (1, 0), x, x)
    return first, sums, least, rest, reduce_by_index(x, xor, 0, x, starts)
"""
    assert parse_program(text)["f"].check_operators() == 6


C_MAIN = """
#include <stdio.h>
#include "tripled.h"

int main(void)
{
    double numbers[] = {1.0, 2.0, 4.0};
    usl_context *ctx = usl_context_acquire();
    usl_value x = usl_raw_array_new(3, sizeof(double), "main", ctx);
    for (int i = 0; i < 3; i++)
        ((double *)usl_raw_elements(x))[i] = numbers[i];
    usl_retain(x);
    struct tuple_i64_array_f64 result = tripled_ext(3, x, 2, ctx);
    printf("%d elements, the last is %g\\n", (int)result.v0, ((double *)usl_raw_elements(result.v1))[result.v0 - 1]);
    usl_release(result.v1, ctx);
    tripled_ext(3, x, -1, ctx);
    printf("failed: %d\\n", usl_has_thrown(ctx));
    usl_release(usl_take_exception(ctx), ctx);
    usl_context_release(ctx);
    printf("%d blocks\\n", (int)usl_live_blocks());
    return 0;
}
"""


def test_the_c_of_a_function_is_linked_to_a_program(tmp_path):
    text = "@soac\ndef tripled(x: f64[n], k: i64) -> f64[_]:\n    return map(lambda v: 3.0 * v, x[:k])\n"
    path = tmp_path / "functions.py"
    path.write_text("from __future__ import annotations\nfrom usl_soac import soac\n\n" + text)
    written = run(str(path), "-o", str(tmp_path / "build")).split()
    assert str(tmp_path / "build" / "tripled.h") in written
    (tmp_path / "main.c").write_text(C_MAIN)
    sources = [str(tmp_path / "main.c"), str(tmp_path / "build" / "tripled_all.c")]
    program = tmp_path / "program"
    command = ["cc", "-std=c11", "-O1", f"-I{tmp_path / 'build'}", *sources, "-o", str(program), "-lm", "-lpthread"]
    subprocess.run(command, check=True)
    said = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == ["2 elements, the last is 6", "failed: 1", "0 blocks"]
    assert "tripled_ext(" in run(str(path), "--show", "c")
