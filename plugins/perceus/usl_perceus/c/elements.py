"""The C of cells and arrays: functions that are made for each type of content."""

from __future__ import annotations

from collections.abc import Sequence

from usl_perceus.c import counts
from usl_perceus.c.unit import INDENT, Unit
from usl_perceus.ir import Type

TAKE_MEMORY = frozenset(
    {
        *(
            "ref_new",
            "array_make",
            "array_blank",
            "array_set",
            "array_own",
            "array_swap",
            "array_take",
            "array_append",
            "array_front",
            "array_vacate",
        ),
    }
)
"""Their functions have the place in the source as an argument before the context."""


def inline_function(head: str, body: Sequence[str]) -> str:
    """The definition of a function."""
    return "\n".join([f"static inline {head}", "{", *(INDENT + line for line in body), "}"])


# ---- references: a lock only for cells that threads share


def _ref_new(elem: Type, unit: Unit) -> str:
    types = unit.types
    record = types.cell(elem, "USL_TAG_REF")

    def write(name: str) -> str:
        formal = [] if types.is_void(elem) else [types.declaration(elem, "content")]
        head = f"usl_value {name}({', '.join([*formal, 'const char *site', 'usl_context *ctx'])})"
        return inline_function(
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
            return inline_function(head, ["(void)cell;", "(void)ctx;"])
        return inline_function(
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
            return inline_function(f"void {name}(usl_value cell, usl_context *ctx)", ["(void)cell;", "(void)ctx;"])
        head = f"void {name}(usl_value cell, {types.declaration(elem, 'content')}, usl_context *ctx)"
        counted = types.is_counted(elem)
        locked = [*counts.share(types, elem, "content"), "usl_lock(cell);"]
        return inline_function(
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


def _ref_swap(elem: Type, unit: Unit) -> str:
    types = unit.types
    record = types.cell(elem, "USL_TAG_REF")

    def write(name: str) -> str:
        if types.is_void(elem):
            return inline_function(f"void {name}(usl_value cell, usl_context *ctx)", ["(void)cell;", "(void)ctx;"])
        head = f"{types.declaration(elem, name)}(usl_value cell, {types.declaration(elem, 'content')}, usl_context *ctx)"
        locked = [*counts.share(types, elem, "content"), "usl_lock(cell);"]
        return inline_function(
            head,
            [
                "(void)ctx;",
                "bool shared = usl_is_shared(cell);",
                "if (shared) {",
                *(INDENT + line for line in locked),
                "}",
                f"{types.declaration(elem, 'old')} = {types.load(record, 'cell', 0, elem)};",
                *types.stores(record, "cell", 0, elem, "content"),
                "if (shared)",
                f"{INDENT}usl_unlock(cell);",
                "return old;",
            ],
        )

    return unit.helper("ref", f"ref_swap_{types.key(elem)}", write)


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
        return inline_function(head, body)

    return unit.helper("array", f"array_make_{types.key(elem)}", write)


def _array_blank(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        head = f"usl_value {name}(int64_t length, const char *site, usl_context *ctx)"
        return inline_function(head, [f"return usl_raw_array_new(length, sizeof({types.spelling(elem)}), site, ctx);"])

    return unit.helper("array", f"array_blank_{types.key(elem)}", write)


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
        return inline_function(head, ["(void)ctx;", *body])

    return unit.helper("array", f"array_get_{types.key(elem)}", write)


def _box(elem: Type, unit: Unit) -> list[str]:
    """Statements that declare `box`, that of the element, as one that belongs to this array alone, and `old`, what was in it:
    its references are the caller's, no more the box's."""
    types = unit.types
    record = types.cell(elem, "USL_TAG_BOX")
    shared = [
        *counts.dup(types, elem, "old"),
        "usl_decref(box, ctx);",
        f"box = usl_new_at({record.words}, site, ctx);",
        unit.init_block(record, "box"),
        "usl_boxed_elements(array)[at] = box;",
    ]
    return [
        "usl_value box = usl_boxed_elements(array)[at];",
        f"{types.declaration(elem, 'old')} = {types.load(record, 'box', 0, elem)};",
        "if (!usl_is_unique(box)) {",
        *(INDENT + line for line in shared),
        "}",
    ]


def _filled(elem: Type, unit: Unit, value: str) -> list[str]:
    """Statements that fill `box`."""
    return unit.types.stores(unit.types.cell(elem, "USL_TAG_BOX"), "box", 0, elem, value)


def _own(elem: Type, unit: Unit) -> list[str]:
    types = unit.types
    own = "usl_boxed_array_own(array, site, ctx)"
    if not types.is_counted(elem):
        own = f"usl_raw_array_own(array, sizeof({types.spelling(elem)}), site, ctx)"
    return ["if (!usl_is_unique(array))", f"{INDENT}array = {own};"]


def _signature(name: str, elem: Type, unit: Unit, result: str, parameters: Sequence[str]) -> str:
    """parameters: the C names of those behind the array; element is left out if it is void."""
    types = unit.types
    written = {"at": "int64_t at", "element": "" if types.is_void(elem) else types.declaration(elem, "element")}
    formal = [written[each] for each in parameters if written[each]]
    return f"{result}({', '.join(['usl_value array', *formal, 'const char *site', 'usl_context *ctx'])})"


def _array_own(elem: Type, unit: Unit) -> str:
    def write(name: str) -> str:
        body = ["(void)site;", "(void)ctx;"] if unit.types.is_void(elem) else _own(elem, unit)
        return inline_function(_signature(name, elem, unit, f"usl_value {name}", ()), [*body, "return array;"])

    return unit.helper("array", f"array_own_{unit.types.key(elem)}", write)


def _array_set(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        if types.is_void(elem):
            body = ["(void)at;", "(void)site;", "(void)ctx;"]
        elif _is_boxed(elem, unit):
            body = [
                *_own(elem, unit),
                "usl_value old = usl_boxed_elements(array)[at];",
                "usl_boxed_elements(array)[at] = element;",
                *counts.drop(types, elem, "old"),
            ]
        elif types.is_counted(elem):
            body = [*_own(elem, unit), *_box(elem, unit), *_filled(elem, unit, "element"), *counts.drop(types, elem, "old")]
        else:
            body = [*_own(elem, unit), f"(({types.spelling(elem)} *)usl_raw_elements(array))[at] = element;"]
        head = _signature(name, elem, unit, f"usl_value {name}", ("at", "element"))
        return inline_function(head, [*body, "return array;"])

    return unit.helper("array", f"array_set_{types.key(elem)}", write)


def _array_swap(elem: Type, unit: Unit) -> str:
    """The array is unique."""
    types = unit.types

    def write(name: str) -> str:
        head = _signature(name, elem, unit, types.declaration(elem, name), ("at", "element"))
        if types.is_void(elem):
            return inline_function(head, ["(void)array;", "(void)at;", "(void)site;", "(void)ctx;"])
        if _is_boxed(elem, unit):
            body = [
                "usl_value old = usl_boxed_elements(array)[at];",
                "usl_boxed_elements(array)[at] = element;",
            ]
        elif types.is_counted(elem):
            body = [*_box(elem, unit), *_filled(elem, unit, "element")]
        else:
            spelling = types.spelling(elem)
            body = [
                f"{spelling} *elements = usl_raw_elements(array);",
                f"{spelling} old = elements[at];",
                "elements[at] = element;",
            ]
        return inline_function(head, ["(void)site;", "(void)ctx;", *body, "return old;"])

    return unit.helper("array", f"array_swap_{types.key(elem)}", write)


def _array_take(elem: Type, unit: Unit) -> str:
    """The array is unique. A constant, which nothing counts, takes the place of each reference: the array may be freed."""
    types = unit.types

    def write(name: str) -> str:
        head = _signature(name, elem, unit, types.declaration(elem, name), ("at",))
        if types.is_void(elem):
            return inline_function(head, ["(void)array;", "(void)at;", "(void)site;", "(void)ctx;"])
        if _is_boxed(elem, unit):
            body = [
                "usl_value old = usl_boxed_elements(array)[at];",
                "usl_boxed_elements(array)[at] = USL_CONSTANT(0);",
            ]
        elif types.is_counted(elem):
            emptied = [f"{text} = USL_CONSTANT(0);" for text, _ in types.counted_parts(elem, "empty")]
            body = [
                *_box(elem, unit),
                f"{types.declaration(elem, 'empty')} = old;",
                *emptied,
                *_filled(elem, unit, "empty"),
            ]
        else:
            body = [f"{types.declaration(elem, 'old')} = ((const {types.spelling(elem)} *)usl_raw_elements(array))[at];"]
        return inline_function(head, ["(void)site;", "(void)ctx;", *body, "return old;"])

    return unit.helper("array", f"array_take_{types.key(elem)}", write)


def _array_put(elem: Type, unit: Unit) -> str:
    """The place is empty, as array_take has left it."""
    types = unit.types

    def write(name: str) -> str:
        formal = [] if types.is_void(elem) else [types.declaration(elem, "element")]
        head = f"usl_value {name}({', '.join(['usl_value array', 'int64_t at', *formal, 'usl_context *ctx'])})"
        if types.is_void(elem):
            body = ["(void)at;"]
        elif _is_boxed(elem, unit):
            body = ["usl_boxed_elements(array)[at] = element;"]
        elif types.is_counted(elem):
            body = ["usl_value box = usl_boxed_elements(array)[at];", *_filled(elem, unit, "element")]
        else:
            body = [f"(({types.spelling(elem)} *)usl_raw_elements(array))[at] = element;"]
        return inline_function(head, ["(void)ctx;", *body, "return array;"])

    return unit.helper("array", f"array_put_{types.key(elem)}", write)


def _array_cut(elem: Type, unit: Unit) -> str:
    """The last place is empty, as array_take has left it."""
    types = unit.types

    def write(name: str) -> str:
        body = ["(void)ctx;", "usl_array_cut(array);"]
        if types.is_counted(elem) and not _is_boxed(elem, unit):
            body = ["usl_free(usl_boxed_elements(array)[usl_array_length(array) - 1], ctx);", "usl_array_cut(array);"]
        return inline_function(f"usl_value {name}(usl_value array, usl_context *ctx)", [*body, "return array;"])

    return unit.helper("array", f"array_cut_{types.key(elem)}", write)


def _array_front(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        if types.is_counted(elem):
            made = "usl_boxed_array_front(array, at, site, ctx)"
        else:
            size = "1" if types.is_void(elem) else f"sizeof({types.spelling(elem)})"
            made = f"usl_raw_array_front(array, at, {size}, site, ctx)"
        return inline_function(_signature(name, elem, unit, f"usl_value {name}", ("at",)), [f"return {made};"])

    return unit.helper("array", f"array_front_{types.key(elem)}", write)


def _array_append(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        last = "usl_array_length(array) - 1"
        if types.is_void(elem):
            body = ["array = usl_raw_array_longer(array, 1, site, ctx);"]
        elif not types.is_counted(elem):
            spelling = types.spelling(elem)
            body = [
                f"array = usl_raw_array_longer(array, sizeof({spelling}), site, ctx);",
                f"(({spelling} *)usl_raw_elements(array))[{last}] = element;",
            ]
        else:
            boxed = _is_boxed(elem, unit)
            body = [
                *([] if boxed else _boxed(elem, unit, "element")),
                "array = usl_boxed_array_longer(array, site, ctx);",
                f"usl_boxed_elements(array)[{last}] = {'element' if boxed else 'box'};",
            ]
        head = _signature(name, elem, unit, f"usl_value {name}", ("element",))
        return inline_function(head, [*body, "return array;"])

    return unit.helper("array", f"array_append_{types.key(elem)}", write)


def _array_vacate(elem: Type, unit: Unit) -> str:
    types = unit.types

    def write(name: str) -> str:
        if types.is_counted(elem):
            body = [
                *_own(elem, unit),
                "usl_value old = usl_boxed_elements(array)[at];",
                "usl_boxed_elements(array)[at] = USL_CONSTANT(0);",
                "usl_drop(old, ctx);",
            ]
        else:
            body = ["(void)at;", "(void)site;", "(void)ctx;"]
        head = _signature(name, elem, unit, f"usl_value {name}", ("at",))
        return inline_function(head, [*body, "return array;"])

    return unit.helper("array", f"array_vacate_{types.key(elem)}", write)


def empty_array(elem: Type, unit: Unit) -> str:
    """The value of an array without elements: a static one."""
    struct, scan, rest = ("wide", "USL_WIDE", "0, 0") if unit.types.is_counted(elem) else ("raw_array", "0", "0, NULL, NULL")

    def write(name: str) -> str:
        head = f"USL_HEADER({scan}, 0, USL_TAG_ARRAY, 64, USL_STUCK)"
        return f"static struct usl_{struct} {name} = {{{head}, {rest}}};"

    return f"USL_STATIC({unit.helper('array', f'empty_{struct}', write)})"


HELPERS = {
    "ref_new": _ref_new,
    "ref_get": _ref_get,
    "ref_set": _ref_set,
    "ref_swap": _ref_swap,
    "array_make": _array_make,
    "array_blank": _array_blank,
    "array_get": _array_get,
    "array_set": _array_set,
    "array_own": _array_own,
    "array_swap": _array_swap,
    "array_take": _array_take,
    "array_put": _array_put,
    "array_cut": _array_cut,
    "array_front": _array_front,
    "array_append": _array_append,
    "array_vacate": _array_vacate,
}
"""For each primitive what makes the function for a type of content, and gives its name."""
