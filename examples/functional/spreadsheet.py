"""A spreadsheet: cells hold formulas over other cells; each is computed once, and circles are found."""

from __future__ import annotations

from usl_perceus import data, exception, fun


@data
class Formula:
    Blank: ()
    Number: f64
    Cell: i64
    Sum: (i64, i64)  # of the cells from the first to before the last
    Plus: ("Formula", "Formula")
    Minus: ("Formula", "Formula")
    Times: ("Formula", "Formula")
    Ratio: ("Formula", "Formula")


@data
class State:
    Unknown: ()
    Busy: ()
    Known: f64


@exception
class Circle:
    cell: i64


@exception
class NoSuchCell:
    cell: i64


@fun
def cell(i: i64, sheet: borrowed[array[Formula]], states: array[State]) -> tuple[f64, array[State]]:
    if i < 0 or i >= len(sheet):
        raise NoSuchCell(i)
    match states[i]:
        case Known(x):
            return x, states
        case Busy():
            raise Circle(i)
        case Unknown():
            x, after = value(sheet[i], sheet, states.set(i, Busy))
            return x, after.set(i, Known(x))


@fun
def value(formula: Formula, sheet: borrowed[array[Formula]], states: array[State]) -> tuple[f64, array[State]]:
    match formula:
        case Blank():
            return 0.0, states
        case Number(x):
            return x, states
        case Cell(i):
            return cell(i, sheet, states)
        case Sum(low, high):
            return sum(low, high, 0.0, sheet, states)
        case Plus(a, b):
            x, after = value(a, sheet, states)
            y, end = value(b, sheet, after)
            return x + y, end
        case Minus(a, b):
            x, after = value(a, sheet, states)
            y, end = value(b, sheet, after)
            return x - y, end
        case Times(a, b):
            x, after = value(a, sheet, states)
            y, end = value(b, sheet, after)
            return x * y, end
        case Ratio(a, b):
            x, after = value(a, sheet, states)
            y, end = value(b, sheet, after)
            return x / y, end


@fun
def sum(i: i64, high: i64, total: f64, sheet: borrowed[array[Formula]], states: array[State]) -> tuple[f64, array[State]]:
    if i >= high:
        return total, states
    x, after = cell(i, sheet, states)
    return sum(i + 1, high, total + x, sheet, after)


@fun
def all_from(i: i64, sheet: borrowed[array[Formula]], states: array[State], values: array[f64]) -> array[f64]:
    if i == len(sheet):
        return values
    x, after = cell(i, sheet, states)
    return all_from(i + 1, sheet, after, values.set(i, x))


@fun
def computed(sheet: array[Formula]) -> array[f64]:
    """The value of every cell.

    Raises:
        Circle: a cell needs its own value. NoSuchCell: a formula names a cell that is not there.
    """
    return all_from(0, sheet, array(len(sheet), Unknown), array(len(sheet), 0.0))
