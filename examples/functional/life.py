"""Conway's game of life on a torus: two arrays, of which each generation overwrites the one before the last."""

from __future__ import annotations

from usl_perceus import fun, no_alloc


@fun
def cell(board: borrowed[array[u8]], width: i64, height: i64, x: i64, y: i64) -> i64:
    return i64(board[(y % height) * width + x % width])


@fun
def neighbours(board: borrowed[array[u8]], width: i64, height: i64, x: i64, y: i64) -> i64:
    above = (
        cell(board, width, height, x - 1, y - 1)
        + cell(board, width, height, x, y - 1)
        + cell(board, width, height, x + 1, y - 1)
    )
    below = (
        cell(board, width, height, x - 1, y + 1)
        + cell(board, width, height, x, y + 1)
        + cell(board, width, height, x + 1, y + 1)
    )
    return above + cell(board, width, height, x - 1, y) + cell(board, width, height, x + 1, y) + below


@no_alloc
@fun
def next_from(i: i64, width: i64, height: i64, old: borrowed[array[u8]], new: array[u8]) -> array[u8]:
    if i == width * height:
        return new
    around = neighbours(old, width, height, i % width, i // width)
    alive = around == 3 or (around == 2 and old[i] == 1)
    return next_from(i + 1, width, height, old, new.set(i, 1 if alive else 0))


@no_alloc
@fun
def later(generations: i64, width: i64, height: i64, now: array[u8], other: array[u8]) -> array[u8]:
    if generations == 0:
        return now
    new = next_from(0, width, height, now, other)
    return later(generations - 1, width, height, new, now)


@fun
def life(board: array[u8], width: i64, generations: i64) -> array[u8]:
    """The board, of 0 and 1 row by row, after so many generations."""
    return later(generations, width, len(board) // width, board, array(len(board), 0))
