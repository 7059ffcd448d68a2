"""The C of matches: one compare where two constructors are left, a switch where there are more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from usl_perceus.c.copies import copy_with_token, own
from usl_perceus.c.frame import Frame
from usl_perceus.c.late import Late
from usl_perceus.ir import Branch, Con, DataType, Do, Expr, IfUnique, Layout, Match, Var

Emit = Callable[[Expr], bool]
"""Writes an expression; whether control may go on behind it."""


def emit_match(match: Match, frame: Frame, emit: Emit) -> bool:
    """Writes a match whose bodies emit writes; whether control may go on behind it."""
    assert isinstance(match.var.type, DataType)
    decl = frame.unit.program.datas[match.var.type.name]
    known = frame.constructed.get(match.var)
    if known is not None:
        return _known(match, known, frame, emit)
    default = match.default
    if decl.layout is Layout.VALUE:
        return _one(match, frame, emit)
    seen = {branch.con.tag for branch in match.branches}
    cons = [con for con in decl.cons if con.tag not in match.never]
    rest = [con for con in cons if con.tag not in seen]
    default = None if not rest else default
    if len(match.branches) + (default is not None) == 1:
        return _one(match, frame, emit)
    if decl.layout is Layout.ENUM:
        cases = [(frame.unit.enumerator(decl.name, branch.con.tag), branch) for branch in match.branches]
        if decl.name == "bool":
            cases = [(str(branch.con.tag), branch) for branch in match.branches]
        return _dispatch(frame.variables[match.var], cases, default, match.var, rest, frame, emit)
    return _boxed(match, cons, default, rest, frame, emit)


def _known(match: Match, con: Con, frame: Frame, emit: Emit) -> bool:
    """A match on what an outer match has decided."""
    for branch in match.branches:
        if branch.con.tag == con.tag:
            return _branch(branch, match.var, frame, emit)
    assert match.default is not None
    return emit(match.default)


def _one(match: Match, frame: Frame, emit: Emit) -> bool:
    if match.branches:
        return _branch(match.branches[0], match.var, frame, emit)
    assert match.default is not None
    return emit(match.default)


def _branch(branch: Branch, var: Var, frame: Frame, emit: Emit) -> bool:
    """Loads the fields that the body uses, at its start: the block may be gone later."""
    if frame.unit.program.datas[branch.con.data].layout is not Layout.BOXED:
        _load(branch, var, frame.variables[var], frame)
        return emit(branch.body)
    with frame.knowing(var, branch.con):
        match branch.body:
            case Do(op=IfUnique(var=tested) as op, body=rest) if tested is var and not frame.loop_only:
                token = copy_with_token(op)
                if token is not None:
                    return _own_branch(branch, op, token, rest, frame, emit)
            case _:
                pass
        _load(branch, var, frame.variables[var], frame)
        return emit(branch.body)


def _own_branch(branch: Branch, op: IfUnique, token: Var, rest: Expr, frame: Frame, emit: Emit) -> bool:
    """A branch that begins by making the block its own: the fields are loaded from the copy, if it has to be one, so that none
    of them lives over the copying, and only when they are needed (`late.py`). (In a mere loop the next round would wait for
    what was just stored.)"""
    types = frame.unit.types
    frame.fields.update((binder, i) for i, binder in enumerate(branch.binders))
    name = frame.names.fresh("own")
    frame.line(f"usl_value {name} = {own(op, frame)};")
    used = frame.free.of(branch.body)
    late = {binder: i for i, binder in enumerate(branch.binders) if binder in used and not types.is_void(binder.type)}
    frame.variables.update((binder, "") for binder in branch.binders)
    frame.late.append(Late(name, branch.con, token, late))
    return emit(rest)


def _load(branch: Branch, var: Var, name: str, frame: Frame) -> None:
    types, used = frame.unit.types, frame.free.of(branch.body)
    layout = frame.unit.program.datas[branch.con.data].layout
    for i, binder in enumerate(branch.binders):
        frame.fields[binder] = i
        if binder not in used or types.is_void(binder.type):
            frame.variables[binder] = ""
        elif layout is Layout.VALUE:
            frame.declare(binder, name + types.member(var.type, (i,)))
        else:
            frame.declare(binder, types.load(types.constructor(branch.con), name, i, binder.type))


def _default(default: Expr, var: Var, rest: Sequence[Con], frame: Frame, emit: Emit) -> bool:
    if isinstance(var.type, DataType) and rest and all(con.fields for con in rest):
        with frame.knowing(var, None):
            return emit(default)
    return emit(default)


def _boxed(match: Match, cons: Sequence[Con], default: Expr | None, rest: Sequence[Con], frame: Frame, emit: Emit) -> bool:
    """Constants and blocks are told apart first, where both are left."""
    name, var = frame.variables[match.var], match.var
    constants = [branch for branch in match.branches if not branch.con.fields]
    blocks = [branch for branch in match.branches if branch.con.fields]
    if len(match.branches) + (default is not None) == 2:
        return _two(match, cons, default, rest, frame, emit)
    rest_constants = [con for con in rest if not con.fields]
    rest_blocks = [con for con in rest if con.fields]
    may_be_block = (blocks or rest_blocks) and not frame.is_constant(var)
    may_be_constant = (constants or rest_constants) and not frame.is_block(var)
    block_cases = [(str(branch.con.tag), branch) for branch in blocks]
    constant_cases = [(str(branch.con.tag), branch) for branch in constants]
    if not may_be_constant:
        return _dispatch(f"usl_tag({name})", block_cases, default if rest_blocks else None, var, rest_blocks, frame, emit)
    if not may_be_block:
        of_constant = f"usl_tag_of_constant({name})"
        return _dispatch(of_constant, constant_cases, default if rest_constants else None, var, rest_constants, frame, emit)
    frame.line(f"if (usl_is_constant({name})) {{")
    with frame.nested():
        falls = _dispatch(
            f"usl_tag_of_constant({name})",
            constant_cases,
            default if rest_constants else None,
            var,
            rest_constants,
            frame,
            emit,
        )
    frame.line("} else {")
    with frame.nested():
        falls |= _dispatch(f"usl_tag({name})", block_cases, default if rest_blocks else None, var, rest_blocks, frame, emit)
    frame.line("}")
    return falls


def _two(match: Match, cons: Sequence[Con], default: Expr | None, rest: Sequence[Con], frame: Frame, emit: Emit) -> bool:
    """Two alternatives: one compare."""
    name, first = frame.variables[match.var], match.branches[0]
    others = [con for con in cons if con.tag != first.con.tag]
    frame.line(f"if ({_test(first.con, others, name, frame)}) {{")
    with frame.nested():
        falls = _branch(first, match.var, frame, emit)
    frame.line("} else {")
    with frame.nested():
        if default is not None:
            falls |= _default(default, match.var, rest, frame, emit)
        else:
            falls |= _branch(match.branches[1], match.var, frame, emit)
    frame.line("}")
    return falls


def _test(con: Con, others: Sequence[Con], name: str, frame: Frame) -> str:
    """Whether a boxed value was made by con, rather than by one of the others."""
    if con.fields:
        if all(not other.fields for other in others):
            return f"!usl_is_constant({name})"
        record = frame.unit.types.constructor(con)
        is_con = f"USL_IS({name}, {con.tag}, {record.words})"
        return is_con if all(other.fields for other in others) else f"!usl_is_constant({name}) && {is_con}"
    if all(other.fields for other in others):
        return f"usl_is_constant({name})"
    return f"{name} == {frame.unit.constant(con.data, con.tag)}"


def _dispatch(
    subject: str,
    cases: Sequence[tuple[str, Branch]],
    default: Expr | None,
    var: Var,
    rest: Sequence[Con],
    frame: Frame,
    emit: Emit,
) -> bool:
    """One of the cases, by number; the last one needs no test if there is no default."""
    if not cases:
        assert default is not None
        return _default(default, var, rest, frame, emit)
    if len(cases) == 1 and default is None:
        return _branch(cases[0][1], var, frame, emit)
    if len(cases) + (default is not None) == 2:
        frame.line(f"if ({subject} == {cases[0][0]}) {{")
        with frame.nested():
            falls = _branch(cases[0][1], var, frame, emit)
        frame.line("} else {")
        with frame.nested():
            falls |= _branch(cases[1][1], var, frame, emit) if default is None else _default(default, var, rest, frame, emit)
        frame.line("}")
        return falls
    frame.line(f"switch ({subject}) {{")
    falls = False
    for i, (number, branch) in enumerate(cases):
        last = default is None and i == len(cases) - 1
        frame.line(f"{'default' if last else f'case {number}'}: {{")
        with frame.nested():
            if _branch(branch, var, frame, emit):
                falls = True
                frame.line("break;")
        frame.line("}")
    if default is not None:
        frame.line("default: {")
        with frame.nested():
            if _default(default, var, rest, frame, emit):
                falls = True
                frame.line("break;")
        frame.line("}")
    frame.line("}")
    return falls
