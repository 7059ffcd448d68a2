"""`scale_accumulator`: a change of variable by a factor that changes, judged in exact arithmetic, exponentials included."""

from __future__ import annotations

import random

import pytest

from tests.primitives.equivalence import assert_body, assert_refines, parse
from usl_core import assoc
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError
from usl_core.procedure import Procedure
from usl_core.scheduling import rewrite_expr, scale_accumulator

HEAD = "def f(n: size, x: f32[n], v: f32[n], y: f32[n], a: f32, c: f32, k: i32[n]):"


def program(text: str) -> Procedure:
    return parse(HEAD + "\n" + "\n".join("    " + line for line in text.strip("\n").splitlines()))


RUNNING = """
m: f32
m = -40.0
s: f32
s = 0.0
for i in seq(0, n):
    m @= max(x[i])
    s += exp(x[i]) * v[i]
a = exp(-m) * s
"""


def test_a_sum_holds_a_multiple_of_what_it_held() -> None:
    p = program(RUNNING)
    q = scale_accumulator(p, "s", "exp(-m)")
    assert_body(
        q,
        """
        m: f32
        m = -40.0
        s: f32
        s = 0.0 * exp(-m)
        for i in seq(0, n):
            m_old: f32
            m_old = m
            m @= max(x[i])
            s *= exp(-m) / exp(-m_old)
            s += exp(x[i]) * v[i] * exp(-m)
        a = exp(-m) * (s / exp(-m))
        """,
    )
    assert_refines(p, q)
    assert q.history()[-1].relation is Relation.REFINES  # x / exp(-m) has no value where m has none
    assert q.forward(p.find("s += _")) == q.find("s += _")
    assert q.forward(p.find("exp(x[i])")) == q.find("exp(x[i])")
    q = rewrite_expr(q, q.find("s *= _").rhs(), "exp(m_old - m)")
    q = rewrite_expr(q, q.find("s += _").rhs(), "exp(x[i] - m) * v[i]")
    q = rewrite_expr(q, q.find("a = _").rhs(), "s")
    assert_refines(p, q)


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        # a whole buffer, which is brought up to date in a loop
        ("m: f32\nm = 0.5\nt: f32[n]\nfor i in seq(0, n):\n    t[i] = x[i]\nfor j in seq(0, n):\n    m += x[j]\n    "
         "for i in seq(0, n):\n        t[i] += v[i]\nfor i in seq(0, n):\n    y[i] = t[i] * exp(2.0 * m)", "exp(-2.0 * m)"),
        # two scalars, and a loop between that changes one of them several times
        ("m: f32\nm = 0.0\nl: f32\nl = 1.0\ns: f32\ns = 3.0\nfor i in seq(0, n):\n    for j in seq(0, n):\n"
         "        m @= min(x[j])\n    l *= 0.5\n    s += v[i]\na = s + m + l", "2.0 * exp(m + l) / exp(m * m)"),
        # branches, a product, a sum that reads itself
        ("m: f32\nm = 0.0\ns: f32\ns = 1.0\nfor i in seq(0, n):\n    if x[i] < 0.0:\n"
         "        s *= v[i]\n        m += x[i]\n    else:\n        s = s * 2.0 + 1.0\ny[0] = s - m", "exp(m)"),
        # nothing changes the factor
        ("s: f32\ns = 0.0\nfor i in seq(0, n):\n    s += x[i] * s\na = c * s", "-3.0 * exp(c)"),
        ("s: f32\ns = x[0]\ny[0] = s", "2.0"),
        # the factor changes before and after the buffer is used
        ("m: f32\nm = x[0]\ns: f32\ns = v[0]\nm += c\ns += 1.0\na = s * m\nm = 2.0\nc = m", "exp(m)"),
        # parallel sums into it
        ("s: f32\ns = 0.0\nfor i in par(0, n):\n    s += x[i]\na = s + c", "exp(c)"),
    ],
)  # fmt: skip
def test_what_is_accepted_keeps_its_meaning(text: str, factor: str) -> None:
    p = program(text)
    q = scale_accumulator(p, "t" if "t: f32[n]" in text else "s", factor)
    assert_refines(p, q, vectors=4)


@pytest.mark.parametrize(
    ("old", "new", "factor", "message"),
    [
        ("", "", "m", "not known to be other than 0"),
        ("", "", "exp(-m) + 1.0", "not known to be other than 0"),
        ("", "", "0.0", "not known to be other than 0"),
        ("", "", "exp(-m) * a", "not known to be other than 0"),
        ("", "", "a * exp(-m)", "not known to be other than 0"),
        ("", "", "exp(1.0 / m)", "more than sums, products"),
        ("", "", "exp(sqrt(m))", "more than sums, products"),
        ("", "", "exp(x[0])", "more than sums, products"),
        ("", "", "exp(select(m, a, m, a))", "more than sums, products"),
        ("", "", "exp(s)", "reads s itself"),
        ("m @= max(x[i])", "m = max(m, x[i])", "exp(-m)", "other than by a reduction"),
        ("m @= max(x[i])", "m = 2.0", "exp(-m)", "other than by a reduction"),
        ("m @= max(x[i])", "m @= max(s)", "exp(-m)", "uses s and changes what the factor reads"),
        ("s += exp(x[i]) * v[i]", "s @= max(x[i])", "exp(-m)", r"otherwise than by \+= and \*="),
        ("s += exp(x[i]) * v[i]", "y[idx(i32(s), 0, n)] = 1.0 - m", "exp(-m)", "an index is made of s"),
        ("s += exp(x[i]) * v[i]", "y[i] = x[idx(i32(s), 0, n)] - m", "exp(-m)", "an index is made of s"),
        ("s += exp(x[i]) * v[i]", "if s < m:\n        s = 0.0", "exp(-m)", "used in another way"),
        ("a = exp(-m) * s", "a = s", "exp(-m)", r"s is read where not all of exp\(-m\) is"),
        ("a = exp(-m) * s", "a = select(c, 0.0, m, c) * s", "exp(-m)", "s is read where not all"),
        ("seq(0, n)", "par(0, n)", "exp(-m)", "changes in a parallel loop that uses s"),
        ("s: f32", "s: i32", "exp(-m)", "cannot|integers|type"),
    ],
)
def test_what_is_refused(old: str, new: str, factor: str, message: str) -> None:
    text = RUNNING.replace(old, new)
    if "i32" in new and "idx" not in new:
        text = "s: i32\ns = 0\nk[0] = s"
    with pytest.raises(SchedulingError, match=message):
        scale_accumulator(program(text), "s", factor)


@assoc()
def greater(a: f32, b: f32):  # noqa: F821
    return max(a, b)


def test_an_operation_of_the_users_own_may_give_a_scalar_without_a_value_one() -> None:
    p = parse(
        "\n    ".join([HEAD, *RUNNING.strip().replace("m @= max(x[i])", "m @= greater(x[i])").splitlines()]), greater=greater
    )
    with pytest.raises(SchedulingError, match="other than by a reduction"):
        scale_accumulator(p, "s", "exp(-m)")


def test_buffers_that_others_see_are_refused() -> None:
    p = parse(
        """
        def f(x: f32[8], y: f32[8], m: f32):
            t: f32[8]
            w = t[0:4]
            w[0] = m
            y[0] = t[0] * m
        """
    )
    with pytest.raises(SchedulingError, match="used in another way"):
        scale_accumulator(p, "t", "exp(m)")
    with pytest.raises(SchedulingError, match="allocation"):
        scale_accumulator(p, "y", "exp(m)")
    g = parse("def g(x: f32):\n    x = 1.0\n")
    q = parse("def f(m: f32, y: f32):\n    s: f32\n    s = 0.0\n    g(m)\n    y = s * m\n", g=g)
    with pytest.raises(SchedulingError, match="a call may change what the factor reads"):
        scale_accumulator(q, "s", "exp(m)")
    q = parse("def f(m: f32, y: f32):\n    s: f32\n    g(s)\n    y = s * m\n", g=g)
    with pytest.raises(SchedulingError, match="used in another way"):
        scale_accumulator(q, "s", "exp(m)")
    with pytest.raises(SchedulingError, match="is not used"):
        scale_accumulator(parse("def f(m: f32):\n    s: f32\n    m = 1.0\n"), "s", "exp(m)")


def statements(rng: random.Random, depth: int) -> list[str]:
    """Random code with a sum s, a buffer t and scalars m and l that factors read."""
    simple = [
        "s += x[i] * v[j]", "s *= v[i]", "s = s + x[j]", "t[i] += s * m * l", "t[j] *= 0.5", "t[i] = t[j] + x[i]",
        "m @= max(x[i])", "m += v[j]", "l *= v[i]", "l @= min(x[j])", "y[i] = s * t[j] + m * l", "y[j] += t[i] - m - l",
        "s = x[i]", "m @= max(y[j])", "a += m * l + s",
    ]  # fmt: skip
    lines: list[str] = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        if depth and kind < 0.3:
            lines += [
                f"for {rng.choice('ij')} in seq(0, {rng.choice(('n', '2'))}):",
                *("    " + s for s in statements(rng, depth - 1)),
            ]
        elif depth and kind < 0.4:
            lines += ["if x[i] < v[j]:", *("    " + s for s in statements(rng, depth - 1))]
        else:
            lines.append(rng.choice(simple))
    return lines


def test_random_programs_keep_their_meaning() -> None:
    rng = random.Random(19)
    accepted = 0
    for _ in range(200):
        lines = ["m: f32", "m = x[0]", "l: f32", "l = 0.5", "s: f32", "s = v[0]", "t: f32[n]"]
        lines += ["for i in seq(0, n):", "    t[i] = v[i]", "for i in seq(0, n):", "    for j in seq(0, 2):"]
        lines += ["        " + line for line in statements(rng, 1)]
        lines += ["a = s * m * l", "for i in seq(0, n):", "    y[i] = t[i] + m + l"]
        p = parse(
            "def f(n: size, x: f32[n], v: f32[n], y: f32[n], a: f32):\n    assert n >= 2\n"
            + "\n".join("    " + s for s in lines)
        )
        for buffer in "st":
            try:
                q = scale_accumulator(p, buffer, rng.choice(("exp(-m)", "exp(m + l) * 2.0", "exp(0.5 * m) / exp(l)")))
            except SchedulingError:
                continue
            accepted += 1
            assert_refines(p, q, factor=2, vectors=2)
    assert accepted >= 40
