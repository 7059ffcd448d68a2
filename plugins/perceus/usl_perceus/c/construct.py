"""Building blocks: allocation or reuse, the header, the fields that are not there already."""

from __future__ import annotations

from usl_perceus.c.frame import Frame
from usl_perceus.ir import Atom, MakeCon, MakeConHole
from usl_perceus.traverse import is_certain


def emit_block(make: MakeCon, name: str, frame: Frame, *, declare: bool) -> None:
    """Statements after which the C variable `name`, declared here if so wanted, is the block."""
    _build(make, make.args, name, frame, declare=declare)


def emit_hole(make: MakeConHole, frame: Frame) -> None:
    """Declares the block, with one field unwritten, and the address of that field."""
    name = frame.bind(make.var)
    _build(make, make.args, name, frame, declare=True)
    record = frame.unit.types.constructor(make.con)
    member = record.members[(make.index,)]
    frame.declare(make.hole, f"&USL_AS({record.struct}, {name})->{member}")


def _build(make: MakeCon | MakeConHole, args: tuple[Atom | None, ...], name: str, frame: Frame, *, declare: bool) -> None:
    first = "usl_value " if declare else ""
    unit = frame.unit
    record = unit.types.constructor(make.con)
    if make.token is None:
        frame.line(f"{first}{name} = {unit.new_block(record, make.span)};")
        frame.line(unit.init_block(record, name))
    elif is_certain(make.token):
        frame.line(f"{first}{name} = usl_use({frame.variables[make.token]}, {unit.site(make.span)});")
    else:
        frame.line(f"{first}{name} = {frame.variables[make.token]};")
        _allocate_if_null(make, args, name, frame)
    if make.token is not None and not make.same_con:
        frame.line(unit.init_block(record, name))
    for index in range(len(args)):
        if make.token is None or index not in make.kept:
            _store(make, args, index, name, frame)


def _allocate_if_null(make: MakeCon | MakeConHole, args: tuple[Atom | None, ...], name: str, frame: Frame) -> None:
    """A new block, with what a token's memory would hold already, if the token is NULL."""
    assert make.token is not None
    unit = frame.unit
    record = unit.types.constructor(make.con)
    frame.line(f"if (!usl_take({frame.variables[make.token]}, {unit.site(make.span)})) {{")
    with frame.nested():
        frame.line(f"{name} = {unit.new_block(record, make.span)};")
        if make.same_con:
            frame.line(unit.init_block(record, name))
        for index in make.kept:
            _store(make, args, index, name, frame)
    frame.line("}")


def _store(make: MakeCon | MakeConHole, args: tuple[Atom | None, ...], index: int, name: str, frame: Frame) -> None:
    arg = args[index]
    if arg is not None:
        types = frame.unit.types
        value = frame.unit.atom(arg, frame.variables)
        frame.extend(types.stores(types.constructor(make.con), name, index, make.con.fields[index][1], value))
