"""Sudoku by trying: the free cell with the fewest candidates first. Rows, columns and boxes are sets of digits as bits."""

from __future__ import annotations

from usl_perceus import data, exception, fun


@data
class State:
    State: (array[i64], array[i64], array[i64], array[i64])  # the cells; digits used in rows, columns, boxes


@data
class Solution:
    Impossible: ()
    Solved: array[i64]


@data
class Choice:
    Full: ()
    At: (i64, i64)  # the cell and the digits that may stand there


@exception
class Conflict:
    cell: i64


@fun
def box(i: i64) -> i64:
    return i // 27 * 3 + i % 9 // 3


@fun
def ones(bits: i64, n: i64) -> i64:
    return n if bits == 0 else ones(bits & (bits - 1), n + 1)


@fun
def placed(s: State, i: i64, digit: i64) -> State:
    match s:
        case State(cells, rows, columns, boxes):
            bit = 1 << digit
            r = i // 9
            c = i % 9
            b = box(i)
            row_bits = rows[r] | bit
            column_bits = columns[c] | bit
            box_bits = boxes[b] | bit
            return State(cells.set(i, digit), rows.set(r, row_bits), columns.set(c, column_bits), boxes.set(b, box_bits))


@fun
def candidates(s: borrowed[State], i: i64) -> i64:
    match s:
        case State(_, rows, columns, boxes):
            return 1022 & ~(rows[i // 9] | columns[i % 9] | boxes[box(i)])


@fun
def free(s: borrowed[State], i: i64) -> bool:
    match s:
        case State(cells, _, _, _):
            return cells[i] == 0


@fun
def tightest(s: borrowed[State], i: i64, best: Choice, fewest: i64) -> Choice:
    if i == 81:
        return best
    if not free(s, i):
        return tightest(s, i + 1, best, fewest)
    possible = candidates(s, i)
    count = ones(possible, 0)
    if count < fewest:
        return tightest(s, i + 1, At(i, possible), count)
    return tightest(s, i + 1, best, fewest)


@fun
def solved(s: State) -> Solution:
    match tightest(s, 0, Full, 10):
        case Full():
            match s:
                case State(cells, _, _, _):
                    return Solved(cells)
        case At(i, possible):
            return tried(s, i, possible, 1)


@fun
def tried(s: State, i: i64, possible: i64, digit: i64) -> Solution:
    if digit > 9:
        return Impossible
    if possible & (1 << digit) == 0:
        return tried(s, i, possible, digit + 1)
    match solved(placed(s, i, digit)):
        case Impossible():
            return tried(s, i, possible, digit + 1)
        case solution:
            return solution


@fun
def filled(given: borrowed[array[i64]], i: i64, s: State) -> State:
    if i == 81:
        return s
    if given[i] == 0:
        return filled(given, i + 1, s)
    if candidates(s, i) & (1 << given[i]) == 0:
        raise Conflict(i)
    return filled(given, i + 1, placed(s, i, given[i]))


@fun
def sudoku(given: array[i64]) -> Solution:
    """The first solution of 81 cells row by row, 0 where a cell is free.

    Raises:
        Conflict: a given cell repeats a digit, or is none.
    """
    return solved(filled(given, 0, State(array(81, 0), array(9, 0), array(9, 0), array(9, 0))))
