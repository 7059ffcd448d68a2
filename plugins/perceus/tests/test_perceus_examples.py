"""The programs of `examples/functional` against a few lines of Python each; nothing is left in the heap."""

from __future__ import annotations

import gc
import heapq
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from examples.functional import (
    bigint,
    binary_trees,
    cfold,
    deriv,
    huffman,
    interpreter,
    life,
    nqueens,
    rbtree,
    rbtree_ck,
    regex,
    sat,
    shortest_paths,
    spreadsheet,
    sudoku,
    type_checker,
)
from examples.functional import json as reader
from usl_perceus.python import live_blocks


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    gc.collect()
    before = live_blocks()  # of other tests in this process
    yield
    gc.collect()
    assert live_blocks() == before


def text(of: str) -> np.ndarray:
    return np.frombuffer(of.encode(), np.uint8) if of else np.zeros(0, np.uint8)


def test_the_public_programs_give_their_numbers():
    assert rbtree.rbtree(1000) == 100
    assert rbtree_ck.rbtree_ck(1000) == 100 + 200
    assert nqueens.nqueens(6) == 4
    assert deriv.deriv(5) == 2740
    assert cfold.cfold(8) == 537
    trees = sum(2 ** (8 - depth + 4) * (2 ** (depth + 1) - 1) for depth in range(4, 9, 2))
    assert binary_trees.binary_trees(8) == trees + 2**9 - 1


@pytest.mark.parametrize("n", [0, 1, 2, 12, 13, 100, 300])
def test_numbers_of_any_size_are_those_of_python(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    assert bigint.decimal(bigint.factorial(n)) == str(math.factorial(n))
    assert bigint.decimal(bigint.fibonacci(n)) == str(a)


def test_life_goes_on_as_in_numpy():
    board = np.random.default_rng(0).integers(0, 2, (16, 20)).astype(np.uint8)
    found, expected = life.life(board.ravel(), 20, 10), board
    for _ in range(10):
        around = sum(np.roll(expected, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - expected
        expected = ((around == 3) | ((around == 2) & (expected == 1))).astype(np.uint8)
    assert (np.asarray(found).reshape(16, 20) == expected).all()


def test_a_solved_sudoku_keeps_what_was_given_and_every_rule():
    given = [int(c) for c in "530070000600195000098000060800060003400803001700020006060000280000419005000080079"]
    match sudoku.sudoku(given):
        case sudoku.Solution.Solved(cells):
            grid = np.asarray(cells).reshape(9, 9)
    assert all(g in (0, c) for g, c in zip(given, grid.ravel(), strict=True))
    boxes = grid.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(9, 9)
    assert all(sorted(unit) == list(range(1, 10)) for unit in (*grid, *grid.T, *boxes))
    with pytest.raises(sudoku.Conflict):
        sudoku.sudoku([5, 5] + [0] * 79)


@pytest.mark.parametrize("seed", range(5))
def test_shortest_paths_are_those_of_heapq(seed):
    rng, nodes = random.Random(seed), 40
    arrows = [(rng.randrange(nodes), rng.randrange(nodes), rng.randrange(1, 50)) for _ in range(120)]
    distance, queue = {3: 0}, [(0, 3)]
    while queue:
        d, u = heapq.heappop(queue)
        for a, b, length in arrows:
            if a == u and d == distance[u] and d + length < distance.get(b, 10**9):
                distance[b] = d + length
                heapq.heappush(queue, (d + length, b))
    assert list(shortest_paths.distances(nodes, arrows, 3)) == [distance.get(node, -1) for node in range(nodes)]


def test_huffman_codes_come_back_and_are_shorter():
    original = "so many words, so few different letters: mississippi" * 10
    size, back = huffman.there_and_back(text(original))
    assert bytes(np.asarray(back)).decode() == original
    assert size < 8 * len(original) * 0.6


def test_regular_expressions_match_what_pythons_do():
    rng = random.Random(2)
    twice = re.compile(r"[*+?][*+?]")  # lazy and possessive repetition in Python
    seen = 0
    while seen < 200:
        pattern = "".join(rng.choice("ab|(*)+?.") for _ in range(rng.randrange(1, 8)))
        if twice.search(pattern):
            continue
        try:
            expected = re.compile(pattern)
        except re.error:
            with pytest.raises(regex.Unexpected):
                regex.matches(text(pattern), text("ab"))
            continue
        seen += 1
        word = "".join(rng.choice("ab") for _ in range(rng.randrange(8)))
        assert regex.matches(text(pattern), text(word)) == (expected.fullmatch(word) is not None), (pattern, word)


@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_read_and_updated(indent):
    document = {"a": [1, 2, {"b": -3, "c": None}], "d": True, "e": 'x\n"y', "f": [], "g": {}, "h": [[[40]]]}
    written = text(json.dumps(document, indent=indent))
    assert reader.sum_of(written) == 40
    assert reader.sum_of_doubled(written) == 80


@pytest.mark.parametrize(
    ("wrong", "place"), [("[1,2", 4), ('{"a" 1}', 5), ("[1,]", 3), ("nul", 3), ('"abc', 4), ("1 2", 2), ("", 0), ("-", 0)]
)
def test_what_is_no_json_is_refused_with_its_place(wrong, place):
    with pytest.raises(reader.Unexpected) as caught:
        reader.read(text(wrong))
    assert caught.value.args == (place,)


def test_the_interpreter_computes_and_refuses_what_makes_no_sense():
    assert interpreter.run_factorial(10) == math.factorial(10)
    assert interpreter.run_power(3, 4) == 81
    assert interpreter.run_loop(100_000) == 7
    with pytest.raises(interpreter.NotAFunction):
        interpreter.result(interpreter.Term.Apply(interpreter.Term.Number(1), interpreter.Term.Number(2)))
    with pytest.raises(interpreter.Unbound):
        interpreter.result(interpreter.Term.Variable(3))


def test_types_are_the_most_general_ones():
    term = type_checker.Term
    identity = term.Lambda(term.Variable(0))
    compose = term.Lambda(
        term.Lambda(term.Lambda(term.Apply(term.Variable(2), term.Apply(term.Variable(1), term.Variable(0)))))
    )
    both = term.If(term.Apply(term.Variable(0), term.Truth()), term.Apply(term.Variable(0), term.Number()), term.Number())
    assert type_checker.type_of(identity, 9) == "t0 -> t0"
    assert re.fullmatch(r"\((t\d) -> (t\d)\) -> \((t\d) -> \1\) -> \3 -> \2", type_checker.type_of(compose, 9))
    assert type_checker.type_of(term.Let(identity, both), 9) == "int"
    wrong = {
        term.Lambda(term.Apply(term.Variable(0), term.Variable(0))): type_checker.Infinite,
        term.Apply(term.Number(), term.Number()): type_checker.Mismatch,
        term.Lambda(both): type_checker.Mismatch,
        term.Variable(0): type_checker.Unbound,
    }
    for ill_typed, error in wrong.items():
        with pytest.raises(error):
            type_checker.type_of(ill_typed, 9)


def test_a_spreadsheet_is_computed_in_any_order_and_circles_are_found():
    f = spreadsheet.Formula
    sheet = [
        f.Number(2.0),
        f.Times(f.Cell(0), f.Cell(2)),
        f.Plus(f.Cell(0), f.Number(0.5)),
        f.Sum(0, 3),
        f.Ratio(f.Cell(3), f.Cell(0)),
        f.Blank(),
    ]
    assert list(spreadsheet.computed(sheet)) == [2.0, 5.0, 2.5, 9.5, 4.75, 0.0]
    with pytest.raises(spreadsheet.Circle):
        spreadsheet.computed([f.Cell(1), f.Cell(0)])
    with pytest.raises(spreadsheet.NoSuchCell):
        spreadsheet.computed([f.Cell(7)])


def test_clauses_are_satisfied_whenever_they_can_be():
    rng, variables = random.Random(5), range(1, 7)
    answers = set()
    for _ in range(40):
        clauses = [[rng.choice((1, -1)) * v for v in rng.sample(variables, 3)] for _ in range(rng.randrange(10, 45))]
        match sat.solved([x for clause in clauses for x in (*clause, 0)]):
            case sat.Answer.Model(literals):
                model = set(numbers(literals))
                assert all(model & set(clause) for clause in clauses)
                answers.add(True)
            case _:
                signs = itertools.product((False, True), repeat=6)
                assert not any(all(any((x > 0) == sign[abs(x) - 1] for x in clause) for clause in clauses) for sign in signs)
                answers.add(False)
    assert answers == {True, False}


def numbers(literals) -> Iterator[int]:
    match literals:
        case sat.List.Cons(x, rest):
            yield x
            yield from numbers(rest)


def test_the_c_of_a_program_does_not_depend_on_the_order_of_python_s_sets():
    text = "from examples.functional.bigint import factorial; print(factorial.show('c'))"
    made = {
        subprocess.run(
            [sys.executable, "-c", text],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in "123"
    }
    assert len(made) == 1
