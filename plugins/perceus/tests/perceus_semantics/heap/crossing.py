"""Values of the heap semantics as values of the standard one, and back."""

from __future__ import annotations

from perceus_semantics import standard
from perceus_semantics.heap.state import State
from perceus_semantics.heap.values import Addr, Hole, Imm, Static, Struct, Token, Value
from perceus_semantics.standard import Raised
from usl_perceus.ir import Con, Lambda, Layout


def to_standard(state: State, value: Value) -> standard.Value:
    """A value of the heap as one of the standard semantics, so that both can be compared; references are followed."""
    match value:
        case Addr():
            cell = state.cell(value)
            fields = [to_standard(state, item) for item in cell.fields]
            match cell.head:
                case Con():
                    return standard.Data(cell.head, fields)
                case Lambda():
                    return standard.Closure(cell.head, {})
                case bytes():
                    return cell.head
                case "array":
                    return standard.Array(tuple(fields))
                case "ref":
                    return standard.Cell(fields[0])
                case _:
                    return standard.Thread(fields[0])
        case Imm(con=con):
            return standard.Data(con, [])
        case Struct(con=con, fields=items):
            return standard.Data(con, [to_standard(state, item) for item in items])
        case Static(fun=fun):
            return standard.Closure(fun, {})
        case Token() | Hole() | str():
            raise AssertionError("no value of the source")
        case _:
            return value


def from_standard(state: State, value: standard.Value | Raised) -> Value:
    """A fresh copy in the heap. Dynamic strings are cells."""
    match value:
        case standard.Data(con=con, fields=fields):
            items = [from_standard(state, item) for item in fields]
            layout = state.program.datas[con.data].layout
            if layout is Layout.VALUE:
                return Struct(con, tuple(items))
            return state.allocate(con, items) if items else Imm(con)
        case standard.Array(elems=elems):
            return state.allocate("array", [from_standard(state, elem) for elem in elems])
        case standard.Cell(content=content):
            return state.allocate("ref", [from_standard(state, content)])
        case bytes():
            return state.allocate(value, [])
        case int() | float() | None:
            return value
        case _:
            raise AssertionError("functions and threads do not cross over")
