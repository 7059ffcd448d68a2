"""All ways of placing n queens, as lists that share their tails; how many there are."""

from __future__ import annotations

from examples.functional.lists import List, length
from usl_perceus import fun


@fun
def safe(queen: i64, distance: i64, placed: borrowed[List[i64]]) -> bool:
    match placed:
        case Nil():
            return True
        case Cons(q, rest):
            return queen != q and queen != q + distance and queen != q - distance and safe(queen, distance + 1, rest)


@fun
def with_queen(queen: i64, placed: List[i64], found: List[List[i64]]) -> List[List[i64]]:
    if queen <= 0:
        return found
    if safe(queen, 1, placed):
        return with_queen(queen - 1, placed, Cons(Cons(queen, placed), found))
    return with_queen(queen - 1, placed, found)


@fun
def extended(n: i64, found: List[List[i64]], boards: List[List[i64]]) -> List[List[i64]]:
    match boards:
        case Nil():
            return found
        case Cons(board, rest):
            return extended(n, with_queen(n, board, found), rest)


@fun
def boards(n: i64, rows: i64) -> List[List[i64]]:
    if rows == 0:
        return Cons(Nil, Nil)
    return extended(n, Nil, boards(n, rows - 1))


@fun
def nqueens(n: i64) -> i64:
    return length(boards(n, n), 0)
