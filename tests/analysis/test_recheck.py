"""What a rewrite changed is proved again, and what relied on it."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis import obligations
from usl_core.analysis.memories import check_memories
from usl_core.analysis.recheck import recheck
from usl_core.errors import BackendError, BoundsError, SchedulingError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import BinaryOp, Block, Check, For, If, Proc, index_literal
from usl_core.ir.traverse import update
from usl_core.ir.types import F32, INDEX
from usl_core.primitives.buffers.resize_dim import resize_dim
from usl_core.primitives.loops.add_loop import add_loop
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.procedure import from_ir


class REG(DRAM):
    name = "REG"


CFG = Config("Cfg", {"a": ConfigField("a", F32)})
DENSE = parse("def dense(d: f32[4]): d[0] = 1.0")
WINDOW = parse("def window(d: [f32][4]): d[0] = 1.0")
SECOND = parse("def second(d: f32, s: f32): s = d")
READS = parse("def reads(d: f32, s: f32): d = s")
INREG = parse("def inreg(d: [f32][4] @ REG): d[0] = 1.0", REG=REG)
SCOPE = {"Cfg": CFG, "REG": REG, "dense": DENSE, "window": WINDOW, "second": SECOND, "reads": READS, "inreg": INREG}
HEAD = "def foo(n: size, m: index, c: bool, x: f32[n], y: f32[8], v: [f32][4]):\n"


def program(body: str) -> Proc:
    return parse(HEAD + indent(body, "    "), **SCOPE).ir


def with_body(proc: Proc, *body: object) -> Proc:
    return update(proc, body=tuple(body))


def refused(old: Proc, new: Proc) -> None:
    recheck(old, old, "op")
    with pytest.raises(SchedulingError, match="op: the result would not be safe") as caught:
        recheck(old, new, "op")
    assert caught.value.code == "E410"


def test_what_follows_a_check_that_is_gone_is_proved_again() -> None:
    old = program("check(m >= 0 and m < n)\nx[m] = 1.0")
    refused(old, with_body(old, old.body[1]))


def test_what_follows_an_allocation_that_changed_is_proved_again() -> None:
    old = program("t: f32[8]\nx[0] = 1.0\nt[7] = 1.0")
    (alloc,) = program("t: f32[4]\npass").body[:1]
    refused(old, with_body(old, update(old.body[0], type=alloc.type), *old.body[1:]))  # type: ignore[attr-defined]
    refused(old, with_body(old, update(old.body[0], type=alloc.type), old.body[2]))  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", ["for i in seq(0, 2): t[7] = 1.0", "if c: pass\nelse: t[7] = 1.0", "if c: t[7] = 1.0"])
def test_what_mentions_a_changed_allocation_inside_of_others_is_proved_again(place: str) -> None:
    old = program(f"t: f32[8]\n{place}")
    (alloc,) = program("t: f32[4]\npass").body[:1]
    refused(old, with_body(old, update(old.body[0], type=alloc.type), *old.body[1:]))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        "t: f32[8]\nt[7] = 1.0\nt[0] = 2.0",
        "t: f32[8]\nfor i in seq(0, 8): t[i] = 1.0\nt[0] = 2.0",
        "t: f32[8]\nw = t[4:8]\nu = w[0:4]\nu[0] = 1.0\nt[0] = 2.0",
        "t: f32[8]\nu: f32[8]\nw = t[4:8]\nwindow(w)\nu[0] = 2.0",
    ],
)
def test_what_stands_between_an_allocation_and_another_statement_that_changed_is_proved_again(body: str) -> None:
    old = program(body)
    (alloc,) = program("t: f32[4]\npass").body[:1]
    last = update(old.body[-1], idx=(index_literal(1),))
    refused(old, with_body(old, update(old.body[0], type=alloc.type), *old.body[1:-1], last))  # type: ignore[attr-defined]
    recheck(old, with_body(old, *old.body[:-1], last), "op")


def test_what_stands_in_a_changed_loop_after_a_changed_allocation_is_proved_again() -> None:
    old = program("t: f32[8]\nfor i in seq(0, 2):\n    t[7] = 1.0\n    y[0] = 1.0")
    alloc, loop = old.body
    assert isinstance(loop, For)
    (other,) = program("t: f32[4]\npass").body[:1]
    changed = update(loop, body=(loop.body[0], update(loop.body[1], idx=(index_literal(1),))))
    refused(old, with_body(old, update(alloc, type=other.type), changed))  # type: ignore[attr-defined]
    recheck(old, with_body(old, alloc, changed), "op")


def test_what_stands_between_a_check_and_another_statement_that_changed_is_proved_again() -> None:
    old = program("check(m >= 0 and m < n)\nx[m] = 1.0\ny[0] = 1.0")
    weaker, _ = program("check(m >= 0)\npass").body
    assert isinstance(weaker, Check)
    check, middle, last = old.body
    assert isinstance(check, Check) and isinstance(check.cond, BinaryOp)
    refused(old, with_body(old, update(check, cond=check.cond.lhs), middle, update(last, idx=(index_literal(1),))))


def test_what_changed_after_another_changed_statement_is_proved_again() -> None:
    old = program("y[0] = 1.0\nfor i in seq(0, 8): y[i] = 1.0\ny[1] = 1.0\nfor j in seq(0, 8): y[j] = 1.0\ny[2] = 1.0")
    one, first, two, second, three = old.body
    assert isinstance(first, For) and isinstance(second, For)
    ones = [update(stmt, idx=(index_literal(3),)) for stmt in (one, two, three)]
    refused(old, with_body(old, ones[0], first, ones[1], update(second, body=inner(second.body)), ones[2]))
    refused(old, with_body(old, ones[0], first, ones[1], update(second, hi=index_literal(9)), ones[2]))
    refused(old, with_body(old, update(first, hi=index_literal(9)), one, two, update(second, hi=index_literal(7)), three))


def test_what_stands_between_changed_statements_and_relies_on_none_is_not_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    old = program("t: f32[8]\nfor i in seq(0, 8): y[i] = 1.0\nt[0] = 1.0")
    alloc, between, last = old.body
    (other,) = program("t: f32[4]\npass").body[:1]
    monkeypatch.setattr(obligations, "check_block", lambda *_: pytest.fail("it is proved already"))
    recheck(old, with_body(old, update(alloc, type=other.type), between, last), "op")  # type: ignore[attr-defined]


def test_what_changed_is_proved_again() -> None:
    old = program("y[0] = 1.0\ny[1] = 1.0")
    refused(old, with_body(old, old.body[0], update(old.body[1], idx=(index_literal(8),))))


@pytest.mark.parametrize("limit", [{"hi": index_literal(9)}, {"lo": index_literal(-1)}])
def test_the_body_of_a_loop_whose_range_changed_is_proved_again(limit: dict[str, object]) -> None:
    old = program("for i in seq(0, 8): y[i] = 1.0")
    refused(old, with_body(old, update(old.body[0], **limit)))


def test_the_body_of_loops_that_exchanged_their_iterators_is_proved_again() -> None:
    old = program("for i in seq(0, 8):\n    for j in seq(0, 4): v[j] = y[i]")
    outer = old.body[0]
    assert isinstance(outer, For)
    inner = outer.body[0]
    assert isinstance(inner, For)
    refused(old, with_body(old, update(outer, iter=inner.iter, body=(update(inner, iter=outer.iter),))))


def test_the_branches_of_an_if_whose_condition_changed_are_proved_again() -> None:
    old = program("if m >= 0 and m < 8: y[m] = 1.0")
    (other,) = program("if m >= 0: pass").body
    assert isinstance(other, If)
    refused(old, with_body(old, update(old.body[0], cond=renamed(old, other))))


def renamed(old: Proc, other: If) -> object:
    """A weaker condition on old's own formals."""
    branch = old.body[0]
    assert isinstance(branch, If)
    return branch.cond.lhs  # type: ignore[attr-defined]


def inner(block: Block) -> Block:
    return (update(block[0], idx=(index_literal(8),)),)


def test_changes_deep_inside_are_found() -> None:
    old = program("for i in seq(0, 8): y[i] = 1.0")
    loop = old.body[0]
    assert isinstance(loop, For)
    refused(old, with_body(old, update(loop, body=inner(loop.body))))
    old = program("if c: y[0] = 1.0\nelse: y[1] = 1.0")
    branch = old.body[0]
    assert isinstance(branch, If)
    refused(old, with_body(old, update(branch, body=inner(branch.body))))
    refused(old, with_body(old, update(branch, orelse=inner(branch.orelse))))


def test_a_procedure_with_other_formals_or_assertions_is_proved_as_a_whole() -> None:
    old = parse("def foo(m: index, y: f32[8]):\n    assert m >= 0 and m < 8\n    y[m] = 1.0").ir
    refused(old, update(old, preds=()))
    (longer,) = program("t: f32[4]\npass").body[:1]
    refused(old, update(old, args=(old.args[0], update(old.args[1], type=longer.type))))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("Cfg.a = y[n + 7]", "out of bounds"),
        ("if y[n + 7] < 1.0: pass", "out of bounds"),
        ("if c: pass\nelse: y[8] = 1.0", "out of bounds"),
        ("if c: y[8] = 1.0", "out of bounds"),
        ("y[0] = y[1] + sqrt(y[8])", "out of bounds"),
        ("y[0] += -y[8]", "out of bounds"),
        ("w = y[0:9]\npass", "out of bounds"),
        ("reads(y[0], y[8])", "out of bounds"),
        ("y[idx(i32(0) + k, 0, 9)] = 1.0".replace("i32(0) + k", "k"), "out of bounds"),
    ],
)
def test_obligations_inside_every_statement_are_proved(body: str, message: str) -> None:
    head = "def foo(n: size, c: bool, k: i32, y: f32[8], v: [f32][4]):\n"
    with pytest.raises(BoundsError, match=message):
        parse(head + indent(body, "    "), **SCOPE)


@pytest.mark.parametrize(
    ("body", "callee", "message"),
    [
        ("reads(y[0], 1.0)", "second", "writes its argument s, so a literal cannot stand for it"),
        ("window(v[0:4])", "dense", "is dense, and v\\[0:4\\] may not be"),
        ("w = v[0:4]\nwindow(w)", "dense", "is dense, and w may not be"),
        ("window(v)", "dense", "is dense, and v may not be"),
    ],
)
def test_a_call_whose_callee_changed_is_proved_again(body: str, callee: str, message: str) -> None:
    old = program(body)
    *before, call = old.body
    with pytest.raises(SchedulingError, match=message):
        recheck(old, with_body(old, *before, update(call, proc=SCOPE[callee].ir)), "op")  # type: ignore[attr-defined]


@pytest.mark.parametrize("around", ["{}", "for j in seq(0, 4):\n    {}", "if c:\n    {}", "if c: pass\nelse:\n    {}"])
def test_memories_of_arguments_are_checked_wherever_the_call_stands(around: str) -> None:
    right = program("r: f32[4] @ REG\n" + around.format("inreg(r[0:4])"))
    check_memories(right)
    with pytest.raises(BackendError, match="wants its argument d in REG, but y\\[0:4\\] is in DRAM"):
        check_memories(program(around.format("inreg(y[0:4])")))
    from_ir(right)


REGS = Config("Regs", {"mode": ConfigField("mode", INDEX), "size": ConfigField("size", INDEX)})
TAKES = parse("def takes(n: size, d: [f32][4]):\n    assert n == 1\n    d[0] = 1.0")
SIZE_3 = parse("def size_3(d: [f32][4]):\n    assert Regs.size == 3\n    d[0] = 1.0", Regs=REGS)
MODE_3 = parse("def mode_3(d: [f32][4]):\n    assert Regs.mode == 3\n    d[0] = 1.0", Regs=REGS)


def test_what_is_known_of_a_field_is_proved_again_for_all_that_follows() -> None:
    """The rewrite keeps the field's value, but not what the analysis can tell of it, and a later call asserts on it."""
    old = parse("def foo(v: [f32][4]):\n    Regs.mode = 3\n    mode_3(v[0:4])", Regs=REGS, mode_3=MODE_3)
    with pytest.raises(SchedulingError, match="the result would not be safe: call of mode_3 may break its assertion") as caught:
        add_loop(old, "Regs.mode = _", "i", 2, guard=True)
    assert caught.value.code == "E410"
    add_loop(old, "Regs.mode = _", "i", 2)


@pytest.mark.parametrize(
    "reader",
    [
        "mode_3(v)",
        "for i in seq(0, 2):\n    mode_3(v)",
        "if c:\n    mode_3(v)",
        "if c:\n    pass\nelse:\n    mode_3(v)",
        "takes(Regs.mode - 2, v)",
        "v[Regs.mode] = 1.0",
        "for i in seq(0, 2):\n    v[Regs.mode - i] = 1.0",
        "for i in seq(0, Regs.mode + 1):\n    v[i] = 1.0",
        "if Regs.mode == m:\n    v[m] = 1.0",
        "check(Regs.mode == m)\nv[m] = 1.0",
        "Regs.size = Regs.mode\nsize_3(v)",
    ],
)
def test_what_reads_a_field_that_is_written_otherwise_is_proved_again(reader: str) -> None:
    head = "def foo(c: bool, m: index, v: [f32][4]):\n    Regs.mode = 3\n"
    scope = {"Regs": REGS, "mode_3": MODE_3, "takes": TAKES, "size_3": SIZE_3}
    old = parse(head + indent(reader, "    "), **scope).ir
    refused(old, with_body(old, update(old.body[0], rhs=index_literal(9)), *old.body[1:]))


def test_what_reads_no_field_is_not_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    old = parse("def foo(v: [f32][4]):\n    Regs.mode = 3\n    for i in seq(0, 4):\n        v[i] = 1.0", Regs=REGS).ir
    monkeypatch.setattr(obligations, "check_access", lambda *_: pytest.fail("it is proved already"))
    recheck(old, with_body(old, update(old.body[0], rhs=index_literal(9)), *old.body[1:]), "op")


def test_an_assertion_more_only_has_to_agree_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    old = parse("def foo(n: size, x: f32[n]):\n    assert n > 4\n    for i in seq(0, n):\n        x[i] = 1.0")
    monkeypatch.setattr(obligations, "check_stmt", lambda *_: pytest.fail("it is proved already"))
    new = add_assertion(old, "n < 9")
    with pytest.raises(SchedulingError, match="the assertions of foo contradict each other"):
        add_assertion(new, "n > 9")


def test_without_one_of_its_assertions_a_procedure_is_proved_again() -> None:
    old = parse("def foo(n: size, x: f32[n]):\n    assert n > 4\n    assert n < 9\n    x[4] = 1.0").ir
    recheck(old, update(old, preds=old.preds[:1]), "op")
    refused(old, update(old, preds=old.preds[1:]))


ROWS_OF_4 = parse("def rows_of_4(d: [f32][2, 2]):\n    assert stride(d, 0) == 4\n    d[0, 0] = 1.0")


@pytest.mark.parametrize("place", ["{}", "for i in seq(0, 2):\n    {}", "if c:\n    {}"])
def test_what_uses_a_window_of_a_window_of_a_buffer_that_changed_is_proved_again(place: str) -> None:
    """The inner window is the statement that it was, between two that changed."""
    call = indent(place.format("rows_of_4(w)"), "    ")
    old = parse(
        f"def foo(c: bool):\n    t: f32[4, 4]\n    v = t[0:4, 0:4]\n    w = v[0:2, 0:2]\n    t[0, 0] = 0.0\n{call}",
        rows_of_4=ROWS_OF_4,
    )
    with pytest.raises(SchedulingError, match="call of rows_of_4 may break its assertion") as caught:
        resize_dim(old, "t", 1, 8, 0)
    assert caught.value.code == "E410"
    resize_dim(old, "t", 0, 8, 0)


@pytest.mark.parametrize(
    "known",
    [
        "if stride(t, 0) == m:\n    y[m] = 1.0",
        "check(stride(t, 0) == m)\ny[m] = 1.0",
        "for i in seq(0, 2):\n    check(stride(t, 0) == m)\n    y[m] = 1.0",
        "if c:\n    pass\nelse:\n    check(stride(t, 0) == m)\n    for i in seq(0, 2): y[m] = 1.0",
    ],
)
def test_what_relied_on_a_stride_of_a_buffer_that_changed_is_proved_again(known: str) -> None:
    old = program(f"t: f32[2, 4]\n{known}")
    (wider,) = program("t: f32[2, 9]\npass").body[:1]
    refused(old, with_body(old, update(old.body[0], type=wider.type), *old.body[1:]))  # type: ignore[attr-defined]
