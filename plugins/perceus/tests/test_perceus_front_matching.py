"""What matches mean: lowered and run by the standard interpreter."""

from __future__ import annotations

from perceus_front import program, run


def test_a_match_takes_the_first_case_that_matches():
    made = program("""
        @fun
        def f(t: Tree, n: i64) -> i64:
            match t:
                case Leaf():
                    return 0
                case Node(Red(), _, k, _) if k > n:
                    return 1
                case Node(c, Node(_, _, k, _), _, _) | Node(c, _, k, Leaf()):
                    return k + 10
                case _:
                    return -1

        @fun
        def g(n: i64, k: i64, nested: bool) -> i64:
            inner = Node(Black, Leaf, k, Leaf) if nested else Leaf
            return f(Node(Red, inner, k + 1, inner), n)
    """)
    assert run(made, "g", 0, 5, True) == 1
    assert run(made, "g", 10, 5, True) == 15
    assert run(made, "g", 10, 5, False) == 16


def test_tuples_are_matched_and_taken_apart():
    made = program("""
        @fun
        def f(a: tuple[i64, bool], c: Color) -> i64:
            x, flag = a
            match a, c:
                case (0, _), Red():
                    return 0
                case (n, True), _ if n > 5:
                    return n
                case whole, Black():
                    _, other = whole
                    return 100 + x + i64(other)
                case _:
                    return -1

        @fun
        def g(n: i64, flag: bool, red: bool) -> i64:
            return f((n, flag), Red if red else Black)
    """)

    def reference(n: int, flag: bool, red: bool) -> int:
        if n == 0 and red:
            return 0
        if flag and n > 5:
            return n
        return -1 if red else 100 + n + flag

    for n in (0, 3, 6):
        for flag in (False, True):
            for red in (False, True):
                assert run(made, "g", n, flag, red) == reference(n, flag, red)


def test_a_case_that_names_the_matched_tuple_gets_it():
    made = program("""
        @fun
        def f(n: i64, m: i64) -> tuple[i64, i64]:
            match n, m:
                case (0, x) | (x, 0):
                    return x, x
                case (_, _) as both:
                    return both
    """)
    assert [run(made, "f", *pair) for pair in ((0, 3), (4, 0), (5, 6))] == [(3, 3), (4, 4), (5, 6)]


def test_literals_and_strings_in_patterns():
    made = program("""
        @fun
        def f(s: str, n: u8) -> i64:
            match s, n:
                case "one", 1:
                    return 1
                case "one" | "two", _:
                    return 2
                case text, -0 | 255:
                    return len(text)
                case _:
                    return 0
    """)
    cases = [("one", 1), ("one", 2), ("two", 1), ("four", 255), ("four", 0), ("x", 9)]
    assert [run(made, "f", *case) for case in cases] == [1, 2, 2, 4, 4, 0]


def test_large_cases_reached_on_several_paths_are_joined_and_not_copied():
    body = " + ".join(["x"] * 30)
    made = program(f"""
        @fun
        def f(a: Color, b: Color, x: i64) -> i64:
            match a, b:
                case Red(), Red():
                    return 0
                case _:
                    return {body}
    """)
    from usl_perceus import ir
    from usl_perceus.traverse import walk

    nodes = list(walk(made.program.funs["f"].body))
    assert sum(isinstance(node, ir.LetJoin) for node in nodes) == 1
    assert sum(isinstance(node, ir.Prim) for node in nodes) == 29
