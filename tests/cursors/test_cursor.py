"""The cursors that users see: what each kind tells, navigation, equality, and how they print."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.cursors.programs import Owner, owner
from usl_core.cursors import pattern
from usl_core.cursors.cursor import BlockCursor, GapCursor, InvalidCursor, make_cursor
from usl_core.cursors.kinds import (
    AllocCursor,
    ArgCursor,
    AssignConfigCursor,
    AssignCursor,
    BinaryOpCursor,
    CallCursor,
    CastCursor,
    CheckCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    PassCursor,
    ReadConfigCursor,
    ReadCursor,
    ReduceCursor,
    StrideExprCursor,
    UnaryMinusCursor,
    WindowExprCursor,
    WindowStmtCursor,
)
from usl_core.cursors.path import ArgLoc, Dead, NodeLoc
from usl_core.errors import InvalidCursorError
from usl_core.frontend.parser import parse_source
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.memory import DRAM
from usl_core.ir.types import F32, F64, INDEX, SIZE

CFG = Config("Cfg", {"k": ConfigField("k", INDEX)})
CALLEE = parse_source("def callee(n: size, a: [f32][n]):\n    pass", {}, "callee.py")


@pytest.fixture(scope="module")
def foo() -> Owner:
    body = """
        assert n > 8
        t: f32[n, m]
        for i in seq(1, n):
            if i < 3:
                t[i, 0] = -A[i, 0] * 2.0
            else:
                x += max(y, z)
        w = A[2:6, 0]
        callee(4, w)
        check(n > 2)
        Cfg.k = Cfg.k
        pass
        d = f64(x)
        for i in par(0, n):
            pass
        if stride(A, 0) == 1:
            pass
    """
    formals = "n: size, m: size, A: f32[n, m], x: f32, y: f32, z: f32, d: f64"
    return owner(body, formals, {"Cfg": CFG, "callee": CALLEE})


def stmt(foo: Owner, index: int):
    return foo.at(NodeLoc((("body", index),)))


# ---- what each kind tells


def test_a_loop_tells_its_iterator_bounds_body_and_mode(foo):
    loop = stmt(foo, 1)
    assert isinstance(loop, ForCursor)
    assert (loop.name(), loop.mode(), stmt(foo, 8).mode()) == ("i", "seq", "par")
    assert (loop.lo().value(), loop.hi().name()) == (1, "n")
    assert isinstance(loop.body(), BlockCursor)
    assert len(loop.body()) == 1


def test_an_if_tells_its_condition_and_branches(foo):
    branch = stmt(foo, 1).body()[0]
    assert isinstance(branch, IfCursor)
    assert branch.cond().op() == "<"
    assert isinstance(branch.body()[0], AssignCursor)
    assert isinstance(branch.orelse()[0], ReduceCursor)


def test_an_if_without_else_has_an_invalid_orelse(foo):
    orelse = stmt(foo, 9).orelse()
    assert not orelse
    with pytest.raises(InvalidCursorError, match="has no `else`"):
        orelse.expand()
    with pytest.raises(InvalidCursorError, match="has no `else`"):
        list(orelse)


def test_an_allocation_and_a_formal_tell_name_type_shape_and_memory(foo):
    alloc, formal, size = stmt(foo, 0), foo.at(ArgLoc(2)), foo.at(ArgLoc(0))
    assert isinstance(alloc, AllocCursor) and isinstance(formal, ArgCursor)
    assert (alloc.name(), alloc.type(), alloc.mem(), alloc.is_tensor()) == ("t", F32, DRAM, True)
    assert [extent.name() for extent in alloc.shape()] == ["n", "m"]
    assert (formal.name(), formal.type(), formal.is_tensor()) == ("A", F32, True)
    assert [extent.name() for extent in formal.shape()] == ["n", "m"]
    assert formal.shape()[1].parent() == formal
    assert (size.type(), size.shape(), size.mem(), size.is_tensor()) == (SIZE, (), None, False)


def test_writes_tell_target_indices_value_and_type(foo):
    assign = stmt(foo, 1).body()[0].body()[0]
    assert (assign.name(), assign.type()) == ("t", F32)
    assert [type(index) for index in assign.idx()] == [ReadCursor, LiteralCursor]
    product = assign.rhs()
    assert isinstance(product, BinaryOpCursor)
    assert isinstance(product.lhs(), UnaryMinusCursor)
    assert [index.type() for index in product.lhs().arg().idx()] == [INDEX, INDEX]
    assert product.rhs().value() == Fraction(2)
    assert stmt(foo, 1).body()[0].orelse()[0].idx() == ()


def test_externs_casts_and_strides(foo):
    call = stmt(foo, 1).body()[0].orelse()[0].rhs()
    assert isinstance(call, ExternFunctionCursor)
    assert (call.name(), [arg.name() for arg in call.args()]) == ("max", ["y", "z"])
    cast = stmt(foo, 7).rhs()
    assert isinstance(cast, CastCursor)
    assert (cast.type(), cast.arg().name()) == (F64, "x")
    stride = stmt(foo, 9).cond().lhs()
    assert isinstance(stride, StrideExprCursor)
    assert (stride.name(), stride.dim()) == ("A", 0)


def test_windows_and_calls(foo):
    window = stmt(foo, 2)
    assert isinstance(window, WindowStmtCursor)
    assert window.name() == "w"
    expr = window.winexpr()
    assert isinstance(expr, WindowExprCursor)
    (lo, hi), point = expr.idx()
    assert (expr.name(), lo.value(), hi.value(), point.value()) == ("A", 2, 6, 0)
    assert hi.parent() == point.parent() == expr
    assert expr.parent() == window
    call = stmt(foo, 3)
    assert isinstance(call, CallCursor)
    assert call.subproc() is CALLEE
    assert [type(arg) for arg in call.args()] == [LiteralCursor, ReadCursor]


def test_an_owner_can_say_which_procedure_a_callee_is(foo):
    class Wrapping(Owner):
        def procedure_of(self, ir):
            return f"procedure {ir.name}"

    assert stmt(Wrapping(foo.ir), 3).subproc() == "procedure callee"


def test_configuration_checks_and_pass(foo):
    write, check = stmt(foo, 5), stmt(foo, 4)
    assert isinstance(write, AssignConfigCursor) and isinstance(check, CheckCursor)
    assert (write.config(), write.field()) == (CFG, "k")
    assert isinstance(write.rhs(), ReadConfigCursor)
    assert (write.rhs().config(), write.rhs().field()) == (CFG, "k")
    assert check.cond().op() == ">"
    assert isinstance(stmt(foo, 6), PassCursor)


def test_names_are_told_as_printed():
    foo = owner("for i in seq(0, n):\n    for j in seq(0, n):\n        x = 1.0")
    from usl_core.cursors.edit import Edit

    outer = foo.find("i")
    inner = Owner(Edit.of(foo.ir).update(outer.body()[0].loc, iter=outer.node.iter.copy()).proc)
    assert [cursor.name() for cursor in inner.find("for _ in _: _", many=True)] == ["i", "i_1"]
    assert inner.find("i_1") == inner.find("i #1")


# ---- navigation


def test_next_and_prev_walk_the_block(foo):
    assert stmt(foo, 0).next() == stmt(foo, 1)
    assert stmt(foo, 0).next(3) == stmt(foo, 3)
    assert stmt(foo, 3).prev(2) == stmt(foo, 1)


def test_walking_off_the_end_of_a_block_is_invalid_and_using_that_is_an_error(foo):
    for lost in (stmt(foo, 9).next(), stmt(foo, 0).prev(), stmt(foo, 8).next(2)):
        assert isinstance(lost, InvalidCursor)
        assert not lost
    lost = stmt(foo, 9).next()
    for use in (
        lambda: lost.parent(),
        lambda: lost.next(),
        lambda: lost.find("_"),
        lambda: lost.path,
        lambda: lost.is_ancestor_of(lost),
    ):
        with pytest.raises(InvalidCursorError, match="there is no statement 1 after `if stride"):
            use()
    assert lost.proc() is foo


def test_parents_lead_up_to_the_procedure(foo):
    product = stmt(foo, 1).body()[0].body()[0].rhs()
    assign = product.parent()
    assert isinstance(assign, AssignCursor)
    assert assign.parent().parent() == stmt(foo, 1)
    assert product.lhs().parent() == product
    assert not stmt(foo, 1).parent()


def test_a_loop_up_the_parents_ends(foo):
    cursor, seen = foo.find("-_"), []
    while cursor:
        seen.append(type(cursor).__name__)
        cursor = cursor.parent()
    assert seen == ["UnaryMinusCursor", "BinaryOpCursor", "AssignCursor", "IfCursor", "ForCursor"]


def test_blocks_are_sequences_of_statements(foo):
    block = stmt(foo, 0).expand()
    assert len(block) == 10
    assert list(block) == [stmt(foo, index) for index in range(10)]
    assert block[-1] == stmt(foo, 9)
    assert block[2:4][0] == stmt(foo, 2)
    assert len(block[2:]) == 8
    with pytest.raises(IndexError):
        block[10]
    with pytest.raises(InvalidCursorError, match=r"\[3:3\] of a block of 10"):
        block[3:3]
    assert not block.parent()
    assert stmt(foo, 1).body().parent() == stmt(foo, 1)


def test_blocks_expand_as_far_as_there_are_statements(foo):
    assert stmt(foo, 4).expand(1, 2) == stmt(foo, 0).expand()[3:7]
    assert stmt(foo, 4).expand(0, None) == stmt(foo, 0).expand()[4:]
    assert stmt(foo, 4).as_block().expand(99, 0) == stmt(foo, 0).expand()[:5]


def test_gaps_hang_on_statements(foo):
    block = stmt(foo, 0).expand()[2:4]
    assert isinstance(block.before(), GapCursor)
    assert block.before().anchor() == stmt(foo, 2)
    assert block.after() == stmt(foo, 3).after()
    assert stmt(foo, 1).body()[0].before().parent() == stmt(foo, 1)
    assert not stmt(foo, 2).before().parent()


def test_ancestors(foo):
    loop, product = stmt(foo, 1), stmt(foo, 1).body()[0].body()[0].rhs()
    assert loop.is_ancestor_of(product)
    assert loop.is_ancestor_of(loop)
    assert loop.is_ancestor_of(loop.body())
    assert loop.is_ancestor_of(loop.body()[0].after())
    assert not product.is_ancestor_of(loop)
    assert not stmt(foo, 2).is_ancestor_of(product)
    assert stmt(foo, 0).expand()[:2].is_ancestor_of(product)
    assert not stmt(foo, 0).expand()[2:].is_ancestor_of(product)
    assert not loop.is_ancestor_of(loop.next(99))
    assert not loop.is_ancestor_of(stmt(Owner(foo.ir), 1))


# ---- values


def test_cursors_are_equal_if_procedure_and_place_are(foo):
    assert stmt(foo, 1) == foo.find("i")
    assert hash(stmt(foo, 1)) == hash(foo.find("i"))
    assert stmt(foo, 1) != stmt(Owner(foo.ir), 1)
    assert stmt(foo, 1) != stmt(foo, 1).as_block()
    assert len({stmt(foo, 1), foo.find("i"), stmt(foo, 2)}) == 2
    assert stmt(foo, 1).proc() is foo


def test_a_dead_location_makes_an_invalid_cursor_that_names_the_operator(foo):
    cursor = make_cursor(foo, Dead("removed by fission"))
    assert not cursor
    with pytest.raises(InvalidCursorError, match="the code it pointed to was removed by fission") as caught:
        cursor.next()
    assert caught.value.code == "E402"
    assert "forward it" in caught.value.notes[0]
    assert repr(cursor) == "<InvalidCursor: removed by fission>"


def test_an_invalid_cursor_does_not_pretend_to_have_python_s_own_attributes(foo):
    assert not hasattr(make_cursor(foo, Dead("removed by fission")), "_repr_html_")


# ---- how they print


def small() -> Owner:
    body = "for i in seq(0, n):\n    if i < 3:\n        x = y * z + y\n    elif i < 5:\n        pass\ny = x"
    return owner(body, "n: size, x: f32, y: f32, z: f32")


def shown(cursor) -> list[str]:
    return [line for line in str(cursor).splitlines() if not line.startswith("  ") or "^" in line]


def test_statements_and_blocks_are_marked_by_their_lines():
    foo = small()
    assert shown(foo.find("x = _")) == [">             x = y * z + y"]
    assert len(shown(foo.find("i").expand())) == 6
    assert str(foo.find("x = _")).splitlines() == [
        "  @proc",
        "  def foo(n: size, x: f32, y: f32, z: f32):",
        "      for i in seq(0, n):",
        "          if i < 3:",
        ">             x = y * z + y",
        "          elif i < 5:",
        "              pass",
        "      y = x",
    ]


def test_an_elif_is_marked_from_its_own_line():
    foo = small()
    assert shown(foo.find("if _: _ #1")) == [">         elif i < 5:", ">             pass"]


def test_expressions_and_formals_get_a_caret_line():
    foo = small()
    assert shown(foo.find("_ * _")) == [">             x = y * z + y", "                  ^^^^^"]
    assert shown(pattern.find_alloc_or_arg(foo, "x")) == ["> def foo(n: size, x: f32, y: f32, z: f32):", " " * 19 + "^" * 6]


def test_only_the_place_is_marked_where_one_node_stands_twice():
    from usl_core.cursors.edit import Edit

    foo = small()
    again = Owner(Edit.of(foo.ir).insert(foo.find("y = _").after().loc, (foo.find("y = _").node,)).proc)
    assert str(again.find("y = _ #1")).splitlines()[-2:] == ["      y = x", ">     y = x"]


def test_gaps_show_as_dots_between_the_lines():
    foo = small()
    lines = str(foo.find("y = _").before()).splitlines()
    assert lines[-2:] == [">     ...", "      y = x"]
    assert str(foo.find("y = _").after()).splitlines()[-1] == ">     ..."


def test_repr_names_kind_and_procedure():
    foo = small()
    assert repr(foo.find("i")).startswith("<ForCursor `for i in seq(0, n):` in foo\n")
