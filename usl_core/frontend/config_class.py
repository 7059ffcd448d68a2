"""`@config` classes to configuration records.

@config
class Accel:
    scale: f32
    src_stride: stride              # index; `stride` says what it is for
    mode: write_only[index]         # never read back by emitted C, it only feeds instruction operands
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from typing import Any

from usl_core.errors import ParseError, Span, TypeError_, UslError
from usl_core.frontend.python_scope import PythonScope, unknown
from usl_core.frontend.source import parse_definition, parse_text
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import B8, CONTROLS, INDEX, SCALARS, ControlType, Kind, ScalarType
from usl_core.records import dataclass

_WORDS: Mapping[str, ControlType | ScalarType] = {**CONTROLS, **SCALARS, "stride": INDEX}


@dataclass(frozen=True, slots=True)
class WriteOnly:
    """What `write_only[type]` evaluates to in a module whose annotations are evaluated."""

    type: ControlType | ScalarType | type


class _WriteOnlyForm:
    def __getitem__(self, typ: Any) -> WriteOnly:
        return WriteOnly(typ)


write_only = _WriteOnlyForm()
"""`field: write_only[index]`: emitted C never reads the field."""


def parse_config(cls: type) -> Config:
    """The record that a class of annotated fields declares.

    Raises:
        ParseError: the class holds something else than annotated fields.
        TypeError_: a field's type is none of index, size, bool, stride, f32 and the integer types.
    """
    spans = _field_spans(cls)
    for name in vars(cls):
        if not (name.startswith("__") and name.endswith("__")) and name != "_abc_impl":
            raise ParseError(f"a configuration has annotated fields only, such as {name}: index", span=spans.get(name))
    annotations = inspect.get_annotations(cls)
    if not annotations:
        raise ParseError(f"configuration {cls.__name__} has no fields", span=spans.get(""))
    scope = {**vars(sys.modules[cls.__module__])} if cls.__module__ in sys.modules else {}
    fields = {name: _field(name, annotation, scope, spans.get(name)) for name, annotation in annotations.items()}
    return Config(cls.__name__, fields)


def _field(name: str, annotation: object, scope: Mapping[str, Any], span: Span | None) -> ConfigField:
    if isinstance(annotation, str):
        return _field_text(name, annotation, scope, span)
    readable = not isinstance(annotation, WriteOnly)
    typ = annotation.type if isinstance(annotation, WriteOnly) else annotation
    if isinstance(typ, str):
        typ = _named_type(typ, scope, span)
    if typ is bool:
        typ = CONTROLS["bool"]
    return ConfigField(name, _field_type(name, typ, span), readable)


def _field_text(name: str, text: str, scope: Mapping[str, Any], span: Span | None) -> ConfigField:
    match parse_text(text, f"<annotation {text!r}>", "eval")[1].body:
        case ast.Constant(value=str(quoted)):  # quotes, and `from __future__ import annotations` as well
            return _field_text(name, quoted, scope, span)
        case ast.Subscript(value=ast.Name(id="write_only"), slice=node):
            field = _field_text(name, ast.unparse(node), scope, span)
            return ConfigField(name, field.type, readable=False)
        case _:
            return ConfigField(name, _field_type(name, _named_type(text, scope, span), span), True)


def _named_type(text: str, scope: Mapping[str, Any], span: Span | None) -> ControlType | ScalarType:
    source, tree = parse_text(text, f"<annotation {text!r}>", "eval")
    python, node = PythonScope(scope, source), tree.body
    found = python.scalar(node) or python.control(node)
    if found is None and isinstance(node, ast.Name):
        found = _WORDS.get(node.id)
    if found is None:
        raise unknown(ast.unparse(node), "type", _WORDS, span or source.span(node))
    return found


def _field_type(name: str, typ: object, span: Span | None) -> ControlType | ScalarType:
    if isinstance(typ, ControlType) and CONTROLS.get(typ.name) is typ:
        return typ
    if isinstance(typ, ScalarType) and typ.kind is not Kind.REAL and typ != B8:
        return typ
    shown = typ.name if isinstance(typ, ScalarType) else repr(typ)
    raise TypeError_(f"field {name} cannot have type {shown}; write index, size, bool, f32 or an integer type", span=span)


def _field_spans(cls: type) -> dict[str, Span]:
    """Where each field stands, as far as the source text is known; the class itself under the empty name."""
    try:
        source, tree = parse_definition(cls)
    except UslError:
        return {}
    spans = {"": source.head(tree)}
    for node in tree.body if isinstance(tree, ast.ClassDef) else ():
        name = _declared_name(node)
        if name:
            spans[name] = source.span(node)
    return spans


def _declared_name(node: ast.stmt) -> str | None:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case _:
            return None


__all__ = ["WriteOnly", "parse_config", "write_only"]
