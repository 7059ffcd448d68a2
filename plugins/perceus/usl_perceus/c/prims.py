"""The C of the primitive operations (`prims.py` of the language says what they mean)."""

from __future__ import annotations

from collections.abc import Sequence

from usl_perceus.c import counts
from usl_perceus.c.elements import HELPERS, TAKE_MEMORY, empty_array, inline_function
from usl_perceus.c.unit import INDENT, Unit
from usl_perceus.ir import (
    ArrayType,
    DataType,
    FloatType,
    FunType,
    IntType,
    Prim,
    RefType,
    StrType,
    ThreadType,
    Type,
)

_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BITWISE = {"and": "&", "or": "|", "xor": "^"}
_WRAPPING = frozenset({"add", "sub", "mul", "neg", "div", "mod", "shl", "shr"})
_MATH = {"abs": "fabs", "round": "rint"}
_EXACT = frozenset({"abs", "sqrt", "floor", "ceil", "trunc", "round"})
"""Functions of floats that have one right result, whatever the precision."""
_FLOATS = {"add": "+", "sub": "-", "mul": "*", "fdiv": "/"}


def primitive(prim: Prim, args: Sequence[str], unit: Unit) -> str:
    """The expression of a primitive; args are names or constants, those of type unit empty."""
    types = tuple(arg.type for arg in prim.args)
    if types and isinstance(types[0], IntType | FloatType | DataType) and prim.op not in _ON_BLOCKS:
        return _scalar(prim, types[0], args, unit)
    return _on_block(prim, types, args, unit)


_ON_BLOCKS = frozenset({"str_chr", "str_fixed", "array_make", "array_blank", "array_empty", "ref_new", "kernel_failed", "hash"})


def _scalar(prim: Prim, type: Type, args: Sequence[str], unit: Unit) -> str:
    op = prim.op
    if op == "retype":
        return args[0]
    if op in _COMPARISONS:
        return f"{args[0]} {_COMPARISONS[op]} {args[1]}"
    if op == "cast":
        return _cast(type, prim.type, args[0], unit)
    if op == "show":
        return _show(type, args[0], unit.site(prim.span))
    if isinstance(type, FloatType):
        return _float(op, type, args, unit)
    if op in _WRAPPING:
        return f"usl_{op}_{unit.types.key(type)}({', '.join(args)})"
    is_bool = type == DataType("bool")
    if op == "not":
        kind = unit.types.spelling(type)
        return f"!{args[0]}" if is_bool else f"({kind})~({kind}){args[0]}"
    text = f"{args[0]} {_BITWISE[op]} {args[1]}"
    return text if is_bool else f"({unit.types.spelling(type)})({text})"


def _float(op: str, type: FloatType, args: Sequence[str], unit: Unit) -> str:
    if op == "neg":
        return f"-{args[0]}"
    if op in _FLOATS:
        return f"{args[0]} {_FLOATS[op]} {args[1]}"
    unit.includes["<math.h>"] = None
    name = _MATH.get(op, op)
    if type.bits == 64:
        return f"{name}({', '.join(args)})"
    if op in _EXACT:
        return f"{name}f({args[0]})"
    # In double precision, so that it does not depend on the C library's functions of single precision, which are less exact.
    return f"(float){name}({', '.join(f'(double){arg}' for arg in args)})"


def _cast(source: Type, target: Type, arg: str, unit: Unit) -> str:
    if isinstance(source, FloatType) and isinstance(target, IntType):
        bits = target.bits
        if target.signed:
            return f"(int{bits}_t)usl_f64_to_int({arg}, INT{bits}_MIN, INT{bits}_MAX)"
        return f"(uint{bits}_t)usl_f64_to_uint({arg}, UINT{bits}_MAX)"
    return f"({unit.types.spelling(target)}){arg}"


def _show(type: Type, arg: str, site: str) -> str:
    match type:
        case IntType(signed=signed):
            kind = "int" if signed else "uint"
        case FloatType():
            kind = "f64"
        case _:
            kind = "bool"
    return f"usl_string_of_{kind}({arg}, USL_SITE({site}), ctx)"


def _on_block(prim: Prim, types: Sequence[Type], args: Sequence[str], unit: Unit) -> str:
    site = f"USL_SITE({unit.site(prim.span)})"
    match prim.op:
        case "retype":
            return args[0]
        case "interrupted":
            return "usl_is_interrupted()"
        case "str_concat":
            return f"usl_string_concat({args[0]}, {args[1]}, {site}, ctx)"
        case "str_quote":
            return f"usl_string_quoted({args[0]}, {site}, ctx)"
        case "str_len":
            return f"usl_string_length({args[0]})"
        case "str_get":
            return f"usl_string_get({args[0]}, {args[1]})"
        case "str_at":
            return f"usl_string_at({args[0]}, {args[1]}, {site}, ctx)"
        case "str_code":
            return f"usl_string_code({args[0]}, {args[1]})"
        case "str_slice":
            return f"usl_string_slice({args[0]}, {args[1]}, {args[2]}, {site}, ctx)"
        case "str_find":
            return f"usl_string_find({args[0]}, {args[1]}, {args[2]})"
        case "str_chr":
            return f"usl_string_of_code({args[0]}, {site}, ctx)"
        case "str_float":
            return f"usl_string_to_f64({args[0]})"
        case "str_fixed":
            return f"usl_string_fixed({', '.join(args)}, {site}, ctx)"
        case "str_eq":
            return f"usl_string_equal({args[0]}, {args[1]})"
        case "str_lt":
            return f"usl_string_compare({args[0]}, {args[1]}) < 0"
        case "print":
            return f"usl_print({args[0]}, ctx)"
        case "kernel_failed":
            return "usl_failed(ctx)"
        case "hash":
            return _hash(types[1], args)
        case "array_len":
            return f"usl_array_length({args[0]})"
        case "spawn":
            (fun,) = types
            assert isinstance(fun, FunType)
            unit.pthread = True
            exn = counts.type_object(unit, DataType("exn")) if "exn" in unit.program.datas else "&usl_unit_type"
            return f"usl_spawn({_runner(fun, unit)}, {args[0]}, {counts.type_object(unit, fun.result)}, {exn}, {site}, ctx)"
        case "join":
            (thread,) = types
            assert isinstance(thread, ThreadType)
            return f"{_joiner(thread.result, unit)}({args[0]}, ctx)"
        case "array_empty":
            return empty_array(_elem(prim.type), unit)
        case "ref_new" | "array_make" | "array_blank" as op:
            elem = _elem(prim.type)
        case op:
            elem = _elem(types[0])
    kept = [arg for arg in args if arg]
    allocates = [site] if op in TAKE_MEMORY else []
    return f"{HELPERS[op](elem, unit)}({', '.join([*kept, *allocates, 'ctx'])})"


def _hash(type: Type, args: Sequence[str]) -> str:
    match type:
        case StrType():
            return f"usl_hash_string({args[0]}, {args[1]})"
        case FloatType():
            return f"usl_hash_f64({args[0]}, {args[1]})"
        case _:
            return f"usl_hash({args[0]}, (uint64_t){args[1]})"


def _elem(type: Type) -> Type:
    assert isinstance(type, RefType | ArrayType)
    return type.elem


# ---- threads


def _runner(fun: FunType, unit: Unit) -> str:
    """The function that calls a closure without parameters and stores its result."""
    types, result = unit.types, fun.result

    def write(name: str) -> str:
        call = f"USL_CALL({types.spelling(result)}, (usl_value, usl_context *), closure)(closure, ctx);"
        if types.is_void(result):
            body = ["(void)result;", call]
        else:
            body = [f"*({types.spelling(result)} *)result = {call}"]
        head = f"static void {name}(usl_value closure, void *result, usl_context *ctx)"
        return "\n".join([head, "{", *(INDENT + line for line in body), "}"])

    return unit.helper("run", f"run_{types.key(result)}", write)


def _joiner(result: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        if types.is_void(result):
            return inline_function(f"void {name}(usl_value thread, usl_context *ctx)", ["usl_join(thread, NULL, ctx);"])
        return inline_function(
            f"{types.declaration(result, name)}(usl_value thread, usl_context *ctx)",
            [f"{types.spelling(result)} result;", "usl_join(thread, &result, ctx);", "return result;"],
        )

    return unit.helper("join", f"join_{types.key(result)}", write)
