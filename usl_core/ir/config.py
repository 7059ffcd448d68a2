"""Configuration state: named records of hardware registers that procedures read and write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from usl_core.ir.types import ControlType, ScalarType


@dataclass(frozen=True, slots=True)
class ConfigField:
    """A field's type, and whether emitted C may read it back (otherwise it only feeds instruction operands)."""

    name: str
    type: ControlType | ScalarType
    readable: bool = True


class Config:
    """A record of configuration fields, declared with `@config`. Compared by identity."""

    __slots__ = ("__weakref__", "fields", "name")

    def __init__(self, name: str, fields: Mapping[str, ConfigField]) -> None:
        self.name = name
        self.fields = dict(fields)

    def __repr__(self) -> str:
        return f"Config({self.name})"
