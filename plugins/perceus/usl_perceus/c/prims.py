"""The C of the primitive operations (`prims.py` of the language says what they mean)."""

from __future__ import annotations

from collections.abc import Sequence

from usl_perceus.c import counts
from usl_perceus.c.unit import INDENT, Unit
from usl_perceus.ir import (
    ArrayType,
    DataType,
    FloatType,
    FunType,
    IntType,
    Prim,
    RefType,
    ThreadType,
    Type,
)

_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BITWISE = {"and": "&", "or": "|", "xor": "^"}
_WRAPPING = frozenset({"add", "sub", "mul", "neg", "div", "mod", "shl", "shr"})
_FLOATS = {"add": "+", "sub": "-", "mul": "*", "fdiv": "/"}


def primitive(prim: Prim, args: Sequence[str], unit: Unit) -> str:
    """The expression of a primitive; args are names or constants, those of type unit empty."""
    types = tuple(arg.type for arg in prim.args)
    if types and isinstance(types[0], IntType | FloatType | DataType) and prim.op not in _ON_BLOCKS:
        return _scalar(prim, types[0], args, unit)
    return _on_block(prim, types, args, unit)


_ON_BLOCKS = frozenset({"array_make", "ref_new", "kernel_failed"})


def _scalar(prim: Prim, type: Type, args: Sequence[str], unit: Unit) -> str:
    op = prim.op
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
    return f"{op}{'f' if type.bits == 32 else ''}({args[0]})"


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
        case "str_concat":
            return f"usl_string_concat({args[0]}, {args[1]}, {site}, ctx)"
        case "str_quote":
            return f"usl_string_quoted({args[0]}, {site}, ctx)"
        case "str_len":
            return f"usl_string_length({args[0]})"
        case "str_get":
            return f"usl_string_get({args[0]}, {args[1]})"
        case "str_eq":
            return f"usl_string_equal({args[0]}, {args[1]})"
        case "str_lt":
            return f"usl_string_compare({args[0]}, {args[1]}) < 0"
        case "print":
            return f"usl_print({args[0]}, ctx)"
        case "kernel_failed":
            return "usl_failed(ctx)"
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
        case "ref_new" | "array_make" as op:
            elem = _elem(prim.type)
        case "ref_get" | "ref_set" | "array_get" | "array_set" as op:
            elem = _elem(types[0])
        case op:
            raise AssertionError(f"no primitive {op}")
    kept = [arg for arg in args if arg]
    allocates = [site] if op in ("ref_new", "array_make", "array_set") else []
    return f"{_HELPERS[op](elem, unit)}({', '.join([*kept, *allocates, 'ctx'])})"


def _elem(type: Type) -> Type:
    assert isinstance(type, RefType | ArrayType)
    return type.elem


def _function(head: str, body: Sequence[str]) -> str:
    return "\n".join([f"static inline {head}", "{", *(INDENT + line for line in body), "}"])


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
            return _function(f"void {name}(usl_value thread, usl_context *ctx)", ["usl_join(thread, NULL, ctx);"])
        return _function(
            f"{types.declaration(result, name)}(usl_value thread, usl_context *ctx)",
            [f"{types.spelling(result)} result;", "usl_join(thread, &result, ctx);", "return result;"],
        )

    return unit.helper("join", f"join_{types.key(result)}", write)


# ---- references: a lock only for cells that threads share


def _ref_new(elem: Type, unit: Unit) -> str:
    types = unit.types
    record = types.cell(elem, "USL_TAG_REF")

    def write(name: str) -> str:
        formal = [] if types.is_void(elem) else [types.declaration(elem, "content")]
        head = f"usl_value {name}({', '.join([*formal, 'const char *site', 'usl_context *ctx'])})"
        return _function(
            head,
            [
                f"usl_value cell = usl_new_at({record.words}, site, ctx);",
                unit.init_block(record, "cell"),
                *types.stores(record, "cell", 0, elem, "content"),
                "return cell;",
            ],
        )

    return unit.helper("ref", f"ref_new_{types.key(elem)}", write)


def _ref_get(elem: Type, unit: Unit) -> str:
    types = unit.types
    record = types.cell(elem, "USL_TAG_REF")

    def write(name: str) -> str:
        head = f"{types.declaration(elem, name)}(usl_value cell, usl_context *ctx)"
        if types.is_void(elem):
            return _function(head, ["(void)cell;", "(void)ctx;"])
        return _function(
            head,
            [
                "(void)ctx;",
                "bool shared = usl_is_shared(cell);",
                "if (shared)",
                f"{INDENT}usl_lock(cell);",
                f"{types.declaration(elem, 'content')} = {types.load(record, 'cell', 0, elem)};",
                *counts.dup(types, elem, "content"),
                "if (shared)",
                f"{INDENT}usl_unlock(cell);",
                "return content;",
            ],
        )

    return unit.helper("ref", f"ref_get_{types.key(elem)}", write)


def _ref_set(elem: Type, unit: Unit) -> str:
    types = unit.types
    record = types.cell(elem, "USL_TAG_REF")

    def write(name: str) -> str:
        if types.is_void(elem):
            return _function(f"void {name}(usl_value cell, usl_context *ctx)", ["(void)cell;", "(void)ctx;"])
        head = f"void {name}(usl_value cell, {types.declaration(elem, 'content')}, usl_context *ctx)"
        counted = types.is_counted(elem)
        locked = [*counts.share(types, elem, "content"), "usl_lock(cell);"]
        return _function(
            head,
            [
                *([] if counted else ["(void)ctx;"]),
                "bool shared = usl_is_shared(cell);",
                "if (shared) {",
                *(INDENT + line for line in locked),
                "}",
                *([f"{types.declaration(elem, 'old')} = {types.load(record, 'cell', 0, elem)};"] if counted else []),
                *types.stores(record, "cell", 0, elem, "content"),
                "if (shared)",
                f"{INDENT}usl_unlock(cell);",
                *(counts.drop(types, elem, "old") if counted else []),
            ],
        )

    return unit.helper("ref", f"ref_set_{types.key(elem)}", write)


# ---- arrays: numbers as in C, one word for each boxed element; other elements are in blocks of their own


def _is_boxed(elem: Type, unit: Unit) -> bool:
    return unit.types.is_counted(elem) and not unit.types.is_value(elem)


def _boxed(elem: Type, unit: Unit, content: str) -> list[str]:
    """Statements that declare `box`, a block that holds content."""
    record = unit.types.cell(elem, "USL_TAG_BOX")
    return [
        f"usl_value box = usl_new_at({record.words}, site, ctx);",
        unit.init_block(record, "box"),
        *unit.types.stores(record, "box", 0, elem, content),
    ]


def _array_make(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        formal = [] if types.is_void(elem) else [types.declaration(elem, "element")]
        head = f"usl_value {name}({', '.join(['int64_t length', *formal, 'const char *site', 'usl_context *ctx'])})"
        if types.is_void(elem):
            body = ["return usl_raw_array_new(length, 1, site, ctx);"]
        elif _is_boxed(elem, unit):
            body = ["return usl_boxed_array_new(length, element, site, ctx);"]
        elif types.is_counted(elem):
            body = [*_boxed(elem, unit, "element"), "return usl_boxed_array_new(length, box, site, ctx);"]
        else:
            spelling = types.spelling(elem)
            body = [
                f"usl_value array = usl_raw_array_new(length, sizeof({spelling}), site, ctx);",
                f"{spelling} *elements = usl_raw_elements(array);",
                "for (int64_t i = 0; i < length; i++)",
                f"{INDENT}elements[i] = element;",
                "return array;",
            ]
        return _function(head, body)

    return unit.helper("array", f"array_make_{types.key(elem)}", write)


def _array_get(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        head = f"{types.declaration(elem, name)}(usl_value array, int64_t at, usl_context *ctx)"
        if types.is_void(elem):
            body = ["(void)array;", "(void)at;"]
        elif _is_boxed(elem, unit):
            body = [
                "usl_value element = usl_boxed_elements(array)[at];",
                *counts.dup(types, elem, "element"),
                "return element;",
            ]
        elif types.is_counted(elem):
            load = types.load(types.cell(elem, "USL_TAG_BOX"), "box", 0, elem)
            body = [
                "usl_value box = usl_boxed_elements(array)[at];",
                f"{types.declaration(elem, 'element')} = {load};",
                *counts.dup(types, elem, "element"),
                "return element;",
            ]
        else:
            body = [f"return ((const {types.spelling(elem)} *)usl_raw_elements(array))[at];"]
        return _function(head, ["(void)ctx;", *body])

    return unit.helper("array", f"array_get_{types.key(elem)}", write)


def _array_set(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        formal = [] if types.is_void(elem) else [types.declaration(elem, "element")]
        head = (
            f"usl_value {name}({', '.join(['usl_value array', 'int64_t at', *formal, 'const char *site', 'usl_context *ctx'])})"
        )
        if types.is_void(elem):
            body = ["(void)at;", "(void)site;", "(void)ctx;"]
        elif types.is_counted(elem):
            as_value = types.is_value(elem)
            body = [
                *(_boxed(elem, unit, "element") if as_value else []),
                "if (!usl_is_unique(array))",
                f"{INDENT}array = usl_boxed_array_own(array, site, ctx);",
                "usl_value old = usl_boxed_elements(array)[at];",
                f"usl_boxed_elements(array)[at] = {'box' if as_value else 'element'};",
                *(["usl_drop_block(old, ctx);"] if as_value else counts.drop(types, elem, "old")),
            ]
        else:
            spelling = types.spelling(elem)
            body = [
                "if (!usl_is_unique(array))",
                f"{INDENT}array = usl_raw_array_own(array, sizeof({spelling}), site, ctx);",
                f"(({spelling} *)usl_raw_elements(array))[at] = element;",
            ]
        return _function(head, [*body, "return array;"])

    return unit.helper("array", f"array_set_{types.key(elem)}", write)


_HELPERS = {
    "ref_new": _ref_new,
    "ref_get": _ref_get,
    "ref_set": _ref_set,
    "array_make": _array_make,
    "array_get": _array_get,
    "array_set": _array_set,
}
