"""Changes in place: `swap`, `take` and `modify` of elements and cells, and handlers that keep only what they use."""

from __future__ import annotations

import re

import pytest
from perceus_front import program, run
from perceus_semantics import heap
from perceus_semantics.heap.state import Stats

from usl_perceus import explain
from usl_perceus.errors import PerceusError
from usl_perceus.ir import Program, Raise
from usl_perceus.passes import compile_program
from usl_perceus.traverse import walk

LOOPS = {
    "a handler that gives the array back": """
        @fun
        def update(a: array[i64], i: i64) -> array[i64]:
            try:
                return a.set(i, i)
            except IndexError():
                return a

        @fun
        def loop(a: array[i64], i: i64) -> array[i64]:
            return a if i == N else loop(update(a, i), i + 1)

        @fun
        def main() -> i64:
            return loop(array(N - 2, 0), 0)[N - 3]
        """,
    "a handler behind several statements": """
        @fun
        def update(a: array[i64], i: i64) -> array[i64]:
            changed = 0
            try:
                x = 10 // (i - 3)
                c = a.set(i, i + x - x)
            except ZeroDivisionError:
                return a
            except IndexError:
                return a
            return c

        @fun
        def loop(a: array[i64], i: i64) -> array[i64]:
            return a if i == N else loop(update(a, i), i + 1)

        @fun
        def main() -> i64:
            return loop(array(N, 0), 0)[N - 3]
        """,
    "a row of an array of arrays": """
        @fun
        def rows(m: array[array[i64]], i: i64) -> array[array[i64]]:
            return m if i == len(m) else rows(m.set(i, array(4, 0)), i + 1)

        @fun
        def loop(m: array[array[i64]], i: i64) -> array[array[i64]]:
            return m if i == N else loop(m.modify(i % 2, lambda row: row.set(i % 4, i)), i + 1)

        @fun
        def main() -> i64:
            return loop(rows(array(2, array(0, 0)), 0), 0)[(N - 1) % 2][(N - 1) % 4] - 2
        """,
    "a stack of strings": """
        @fun
        def loop(a: array[str], i: i64, sum: i64) -> i64:
            if i == N:
                return sum
            b, x = a.append("one").append("two").pop()
            c, y = b.pop()
            return loop(c, i + 1, sum + (len(x) + len(y)) // 6)

        @fun
        def main() -> i64:
            return loop([], 0, 0) - 3
        """,
    "an array in a cell": """
        @fun
        def loop(r: ref[array[i64]], i: i64) -> i64:
            if i == N:
                return r.value[N - 3]
            r.modify(lambda a: a.set(i, i))
            return loop(r, i + 1)

        @fun
        def main() -> i64:
            return loop(ref(array(N, 0)), 0)
        """,
    "a tree in a cell": """
        @fun
        def grown(t: Tree, i: i64) -> Tree:
            match t:
                case Leaf():
                    return Leaf
                case Node(c, l, x, r):
                    return Node(c, l, x + 1, grown(r, i))

        @fun
        def loop(r: ref[Tree], i: i64) -> i64:
            if i == N:
                match r.value:
                    case Node(_, _, x, _):
                        return x - 3
                    case Leaf():
                        return 0
            r.modify(lambda t: grown(t, i))
            return loop(r, i + 1)

        @fun
        def main() -> i64:
            return loop(ref(Node(Red, Leaf, 0, Node(Red, Leaf, 0, Leaf))), 0)
        """,
    "an element that is a tuple with an array": """
        @fun
        def changed(p: tuple[i64, array[i64]], i: i64) -> tuple[i64, array[i64]]:
            n, a = p
            return (n + 1, a.set(i % 4, i))

        @fun
        def loop(m: array[tuple[i64, array[i64]]], i: i64) -> array[tuple[i64, array[i64]]]:
            return m if i == N else loop(m.modify(i % 2, lambda p: changed(p, i)), i + 1)

        @fun
        def main() -> i64:
            m = array(2, (0, array(0, 0))).set(0, (0, array(4, 0))).set(1, (0, array(4, 0)))
            n, a = loop(m, 0)[1]
            return 2 * n - 3
        """,
}


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_a_loop_of_updates_allocates_as_much_for_many_as_for_few(text):
    allocated = []
    for count in (10, 40):
        compiled = compile_program(_sized(text, count))
        stats = Stats()
        assert heap.run(compiled, "main", stats=stats) == count - 3
        allocated.append(stats.allocated)
    assert allocated[0] == allocated[1]


def _sized(text: str, count: int) -> Program:
    return program(re.sub(r"\bN\b", str(count), text)).program


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_explain_names_no_copy_in_such_a_loop(text):
    compiled = compile_program(_sized(text, 10))
    loops = [item for item in explain.allocations(compiled) if item.function.startswith(("loop", "update", "grown", "changed"))]
    grown = "the array moves to a larger block when its own is full"
    assert {item.why for item in loops if not item.reused} <= {grown}


def test_a_handler_keeps_what_it_uses_along_a_call_that_may_raise_and_explain_says_so():
    made = program("""
        @fun
        def update(a: array[i64], i: i64) -> array[i64]:
            return update(a, i + 1) if i < 0 else a.set(i, i)

        @fun
        def main() -> i64:
            a = array(3, 0)
            try:
                b = update(a, 5)
            except IndexError:
                return len(a)
            return 0
        """)
    compiled = compile_program(made.program)
    assert heap.run(compiled, "main") == 3
    (call,) = [item for item in explain.allocations(compiled) if item.what == "call of update"]
    assert call.why == "it builds in the memory of its arguments, and here `a` is needed again afterwards"


def test_an_element_that_is_shared_is_copied_and_explain_says_so():
    made = program("""
        @fun
        def main() -> i64:
            row = array(2, 1)
            m = array(2, row).modify(0, lambda r: r.set(0, 5))
            return 10 * m[0][0] + m[1][0]
        """)
    compiled = compile_program(made.program)
    assert heap.run(compiled, "main") == 51
    (copy,) = [item for item in explain.allocations(compiled) if item.what == "array_set"]
    assert copy.why == "the array is copied: it is in several places of an array"


def test_append_and_pop_of_a_shared_array_leave_it_alone_and_explain_names_the_copy():
    made = program("""
        @fun
        def main(n: i64) -> str:
            words = ["a"]
            for i in range(n):
                words = words.append(str(i))
            more = words.append("z")
            fewer, last = words.pop()
            return f"{words} {more} {fewer} {last}"
        """)
    assert run(made, "main", 2) == "['a', '0', '1'] ['a', '0', '1', 'z'] ['a', '0'] 1"
    copies = [item for item in explain.allocations(compile_program(made.program)) if item.why.startswith("the array is copied")]
    assert [item.what for item in copies] == ["array_append", "array_own"]


def test_truncate_keeps_the_first_elements_in_place_where_nobody_else_holds_the_array():
    made = program("""
        @fun
        def main(n: i64, m: i64) -> str:
            words = ["a", "b"].append(str(n)).append(str(m))
            copy = words
            fewer = copy.truncate(n)
            try:
                numbers = array(m, n).truncate(n).append(7)
            except IndexError():
                numbers = []
            return f"{words.truncate(2)} {fewer} {numbers} {words}"
        """)
    assert run(made, "main", 3, 5) == "['a', 'b'] ['a', 'b', '3'] [3, 3, 3, 7] ['a', 'b', '3', '5']"
    assert run(made, "main", 0, 0) == "['a', 'b'] [] [7] ['a', 'b', '0', '0']"
    assert run(made, "main", 2, 1) == "['a', 'b'] ['a', 'b'] [] ['a', 'b', '2', '1']"
    copies = [item for item in explain.allocations(compile_program(made.program)) if item.why.startswith("the array is copied")]
    assert [item.what for item in copies] == ["array_front", "array_front"]
    assert run(made, "main", 5, 0) == run(made, "main", -1, 0) == ("raise", ("IndexError",))


def test_pop_of_an_empty_array_raises_and_an_empty_literal_has_a_type_from_what_is_appended():
    made = program("""
        @fun
        def main() -> i64:
            rows = []
            try:
                rows, row = rows.pop()
                return len(row)
            except IndexError():
                rows = rows.append([1, 2])
            return len(rows) * 10 + rows[0][1]
        """)
    assert run(made, "main") == 12


def test_an_array_that_grows_is_no_promise_kept():
    with pytest.raises(PerceusError, match="the array moves to a larger block when its own is full"):
        compile_program(
            program("""
                @no_alloc
                @fun
                def main(a: array[i64]) -> array[i64]:
                    return a.append(1)
                """).program
        )


def test_swap_and_take_move_elements_out():
    made = program("""
        @fun
        def main(a: str, b: str) -> str:
            words = [a, b]
            changed, old = words.swap(1, "new")
            left, taken = changed.take(0)
            return f"{words} {changed} {old} {left} {taken}"
        """)
    assert run(made, "main", "x", "y") == "['x', 'y'] ['x', 'new'] y ['', 'new'] x"


def test_take_leaves_the_empty_value_of_its_type():
    made = program("""
        @data
        class Pair:
            Both: (i64, "Shape", str)

        @data
        class Shape:
            Wide: i64
            None_: ()

        @fun
        def main() -> str:
            number, text, flag, color = ref(3), ref("x"), ref(True), ref(Black)
            rows, pair, tree = ref([[1]]), ref(Both(1, Wide(2), "s")), ref((Node(Red, Leaf, 1, Leaf), 2.5))
            taken = f"{number.take()} {text.take()} {flag.take()} {color.take()} {rows.take()} {pair.take()} {tree.take()}"
            left = f"{number.value} {text.value} {flag.value} {color.value} {rows.value} {pair.value} {tree.value}"
            return f"{taken} / {left}"
        """)
    taken = "3 x True Black [[1]] Both(1, Wide(2), 's') (Node(Red, Leaf, 1, Leaf), 2.5)"
    assert run(made, "main") == f"{taken} / 0  False Red [] Both(0, None_, '') (Leaf, 0.0)"


def test_a_cell_gets_its_content_back_when_modify_raises():
    made = program("""
        @fun
        def bad(a: array[i64], n: i64) -> array[i64]:
            if n == 0:
                raise NotFound(7)
            return bad(a, n - 1)

        @fun
        def main() -> i64:
            r = ref([1, 2])
            try:
                r.modify(lambda a: a.set(5, 0))
            except IndexError:
                pass
            try:
                r.modify(lambda a: bad(a.set(0, 9), 3))
            except NotFound(key):
                return key * 100 + len(r.value) * 10 + r.value[0]
            return 0
        """)
    assert run(made, "main") == 721
    assert heap.run(compile_program(made.program), "main") == 721


def test_where_an_exception_comes_from_is_told_after_a_handler_has_passed_it_on():
    made = program("""
        @fun
        def main() -> i64:
            r = ref([1, 2])
            try:
                r.modify(lambda a: a.set(5, 0))
            except ZeroDivisionError:
                return 1
            return 0
        """)
    compiled = compile_program(made.program)
    raised = [expr for expr in walk(compiled.funs["main"].body) if isinstance(expr, Raise)]
    assert [expr.reason for expr in raised] == ["the index is out of range: a.set(5, 0)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("return ref(lambda n: n + 1).take()(2)", "take leaves an empty value behind, and functions and threads have none"),
        ("return ref(i64(1)).set(0, 2)", "a value of type ref[i64] has no method set"),
        ("return i64(1).swap(2)", "a value of type i64 has no method swap"),
        ("return len([1].modify(0))", "modify takes 2 arguments, 1 given"),
        ('return len([1].modify(0, lambda x: "a"))', "expected a number, found str"),
    ],
)
def test_what_has_no_such_method_is_refused(text, message):
    with pytest.raises(PerceusError) as caught:
        program(f"@fun\ndef main() -> i64:\n    {text}\n")
    assert message in str(caught.value)
