"""Digests of trees: all that a procedure says but where it stands in a source.

The shape of a node tells names by their spelling; `identities` adds which occurrences are one name, so that both together say
the whole procedure. A declaration is told by its module and name, and by the version of that module's package.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import Any

from usl_core.errors import Span
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.externs import BUILTINS, Extern
from usl_core.ir.memo import per_node
from usl_core.ir.memory import Memory
from usl_core.ir.nodes import InstrTemplate, Node, NodeBase, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import fields_of, walk
from usl_core.ir.types import ControlType, ScalarType, TensorType
from usl_core.store.stamps import digest, stamp_of


class Unknown(Exception):
    """What has no digest: another process might mean something else by it."""


@per_node
def shape(node: Node) -> bytes:
    """The digest of a node and all below it, callees too; places in sources do not count.

    Raises:
        Unknown: something in it has none.
    """
    return digest((type(node).__name__, [_told(value) for value in fields_of(node)]))


def _told(value: Any) -> object:
    if isinstance(value, NodeBase):
        return shape(value)  # type: ignore[arg-type]
    if isinstance(value, TensorType):
        return ("tensor", _told(value.scalar), [shape(extent) for extent in value.shape], value.window)
    if isinstance(value, ScalarType | ControlType | InstrTemplate | ConfigField):
        return repr(value)
    match value:
        case tuple():
            return [_told(each) for each in value]
        case Span():
            return None
        case Sym():
            return ("name", value.name)
        case None | str() | bool() | int():
            return value
        case Fraction():
            return ("number", str(value))
        case Enum():
            return value.value
        case _:
            return declaration(value)


def declaration(value: object) -> object:
    """What tells a memory, function or configuration from others.

    Raises:
        Unknown: it is declared where no version is known of all that decides, or it is none of these.
    """
    match value:
        case type() if issubclass(value, Memory):
            return ("memory", [(each.__module__, each.__qualname__, stamp_of(each.__module__)) for each in lineage(value)])
        case Extern() if BUILTINS.get(value.name) is value:
            return ("function", value.name)
        case Extern():
            module = value.result.__module__
            if (version := stamp_of(module)) is not None:
                return ("function", value.name, module, version)
        case Config():
            return ("configuration", value.name, [repr(field) for field in value.fields.values()])
        case _:
            pass
    raise Unknown


def lineage(memory: type) -> Iterator[type]:
    """A memory and those that it derives from: replace asks which they are, and C is made by the methods of all."""
    return (each for each in memory.__mro__ if each is not object)


def things(proc: Proc) -> Iterator[object]:
    """The names, callees and declarations in a procedure as they occur, the same in each process."""
    for node in walk(proc):
        for value in fields_of(node):
            if isinstance(value, Sym | Config | Extern | type | Proc):
                yield value


def spans(proc: Proc) -> Iterator[Span]:
    """The places of a procedure's nodes, in order."""
    for node in walk(proc):
        yield node.span
