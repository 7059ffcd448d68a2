"""Statements that count: dup, drop and share of a value of any type."""

from __future__ import annotations

from usl_perceus.c.types import Types
from usl_perceus.c.unit import INDENT, Unit
from usl_perceus.ir import Type


def dup(types: Types, type: Type, text: str, *, block: bool = False) -> list[str]:
    """One more reference to each block that the value `text` refers to. block: it is known not to be a constant."""
    return [
        f"{'usl_dup_block' if block or not types.has_constants(part) else 'usl_dup'}({name});"
        for name, part in types.counted_parts(type, text)
    ]


def drop(types: Types, type: Type, text: str, *, block: bool = False) -> list[str]:
    """One reference less."""
    return [
        f"{'usl_drop_block' if block or not types.has_constants(part) else 'usl_drop'}({name}, ctx);"
        for name, part in types.counted_parts(type, text)
    ]


def share(types: Types, type: Type, text: str) -> list[str]:
    """Marks all that the value reaches as shared between threads."""
    return [f"usl_share({name});" for name, _ in types.counted_parts(type, text)]


def type_object(unit: Unit, type: Type) -> str:
    """The address of the `struct usl_type` of a type, for the results of threads."""
    types = unit.types
    if types.is_void(type):
        return "&usl_unit_type"
    if not types.is_value(type) and types.is_counted(type):
        return "&usl_boxed_type"

    def write(name: str) -> str:
        spelling = types.spelling(type)
        at = f"{INDENT}const {spelling} *const at = place;"
        lines = []
        for what, body, tail in (
            ("dup", dup(types, type, "(*at)"), ""),
            ("drop", drop(types, type, "(*at)"), ", usl_context *ctx"),
            ("share", share(types, type, "(*at)"), ""),
        ):
            unused = [f"{INDENT}(void)place;"] if not body else [at]
            unused += [f"{INDENT}(void)ctx;"] if tail and not body else []
            lines += [
                f"static void {name}_{what}(const void *place{tail})",
                "{",
                *unused,
                *(INDENT + line for line in body),
                "}",
            ]
        value = f"{{sizeof({spelling}), {name}_dup, {name}_drop, {name}_share}}"
        return "\n".join([*lines, f"static const struct usl_type {name} = {value};"])

    return f"&{unit.helper('type', f'{types.key(type)}_type', write)}"
