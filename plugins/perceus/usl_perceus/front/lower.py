"""Typed functions as a program of the core: monomorphic, in A-normal form, without nested functions or patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from usl_core.deep import deep
from usl_perceus import ir
from usl_perceus.errors import PerceusError
from usl_perceus.front.block import Block
from usl_perceus.front.check import check_function
from usl_perceus.front.definitions import ExceptionDef, FunDef
from usl_perceus.front.effects import Effects, infer
from usl_perceus.front.forms import coerced, coerced_value
from usl_perceus.front.instances import Instances
from usl_perceus.front.limits import ENDED, with_questions
from usl_perceus.front.lower_expr import Lowering
from usl_perceus.front.resolve import signature
from usl_perceus.front.types import App, Type
from usl_perceus.front.uniform import Contaminated, Uniform
from usl_perceus.traverse import walk


@dataclass(frozen=True, slots=True)
class Lowered:
    """A program with what connects it to its source."""

    program: ir.Program
    exports: Mapping[FunDef, str]
    exceptions: Mapping[ir.Con, ExceptionDef]
    types: Mapping[str, App]
    """Of each data type of the program, by its name there, the type in the source; outcomes of threads are left out."""
    opaque: Mapping[str, object]
    """The data types into which callers from outside cannot look (`Instances.opaque`)."""


def lower(funs: Sequence[FunDef], *, limited: bool = False) -> Lowered:
    """The program of these functions and everything they use; generic ones are left out, unless others use them. limited:
    its calls can be ended.

    Raises:
        PerceusError: one of them, or something that it uses, is ill-typed, or has infinitely many instances.
    """
    return deep(lambda: _program(funs, limited))


def _program(funs: Sequence[FunDef], limited: bool) -> Lowered:
    for fun in funs:
        check_function(fun)
    uniform = Uniform(funs)
    while True:
        try:
            # What may raise is part of the types of closures and threads, so that the program is made again when it is known.
            instances = Instances(uniform, limited=limited)
            effects = infer(_lowered(funs, instances).program, instances.outcomes, instances.of_python)
            return _marked(_lowered(funs, Instances(uniform, instances, effects, limited=limited)), effects)
        except Contaminated as found:
            uniform.add(found.data, found.position)


def _lowered(funs: Sequence[FunDef], instances: Instances) -> Lowered:
    exports = {fun: instances.function(fun, ()) for fun in funs if not signature(fun).typevars}
    made: dict[str, ir.FunDef] = {}
    while instances.waiting:
        fun, types, name = instances.waiting.pop(0)
        for each in _function(instances, fun, types, name):
            made[each.name] = each
    made.update((each.name, each) for each in instances.derived)
    if instances.limited:
        made = with_questions(made, instances.exception(ENDED))
    for fun, name in exports.items():
        own = signature(fun)
        known = [instances.outside_type(type_, fun.span) for type_ in (*own.params, own.result)]
        if any(own.borrowed) or known != [*(param.var.type for param in made[name].params), made[name].result]:
            wrapper = _from_outside(instances, made[name], instances.fresh(f"{name}.owned"), known)
            made[wrapper.name] = wrapper
            exports[fun] = wrapper.name
    if instances.of_python:
        _require_no_threads(made)
    datas = instances.finished_datas()
    program = ir.Program(datas, made, instances.foreigns, instances.kernels, tuple(exports.values()))
    return Lowered(program, exports, instances.exceptions(), instances.sources(), instances.opaque())


def _require_no_threads(funs: Mapping[str, ir.FunDef]) -> None:
    for fun in funs.values():
        for expr in walk(fun.body):
            if isinstance(expr, ir.Prim) and expr.op == "spawn":
                message = "a program that Python gives functions to has no threads, from which they could be called"
                raise PerceusError(message, span=expr.span, code="E728")


def _marked(lowered: Lowered, effects: Effects) -> Lowered:
    """The functions that may raise, marked so."""
    program = lowered.program
    funs = {name: replace(fun, throws=name in effects.functions) for name, fun in program.funs.items()}
    return replace(lowered, program=replace(program, funs=funs))


def _from_outside(instances: Instances, fun: ir.FunDef, name: str, types: Sequence[ir.Type]) -> ir.FunDef:
    """A function that owns all its parameters, as callers from outside expect, of the types that they know, and calls fun."""
    *given, result = types
    params = tuple(ir.Param(ir.Var(param.var.name, type_)) for param, type_ in zip(fun.params, given, strict=True))
    block, span = Block(), fun.span
    args = tuple(
        coerced(instances, mine.var, param.var.type, block, span) for mine, param in zip(params, fun.params, strict=True)
    )
    call = ir.Call(fun.name, args, fun.result, span=span)
    last = coerced_value(instances, call, fun.result, result, block, span)
    body = block.wrap(last)
    return ir.FunDef(name, params, result, body, inline=fun.inline, span=span)


def _function(instances: Instances, fun: FunDef, types: tuple[Type, ...], name: str) -> list[ir.FunDef]:
    """One copy of a function with the functions nested in it."""
    typed = check_function(fun)
    instances.where = fun.span
    named = dict(zip(signature(fun).typevars, types, strict=True))
    lowering = Lowering(instances, typed, named, name)
    return [lowering.function(fun, name), *lowering.lifted]
