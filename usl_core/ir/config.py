"""Configuration state: named records of hardware registers that procedures read and write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from usl_core.ir.identity import Declaration
from usl_core.ir.sym import Sym
from usl_core.ir.types import ControlType, ScalarType
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class ConfigField:
    """A field's type, and whether emitted C may read it back (otherwise it only feeds instruction operands)."""

    name: str
    type: ControlType | ScalarType
    readable: bool = True


class FieldSym(Sym):
    """The name of a configuration field as a location of the store; in symbolic values, what it holds at entry."""

    __slots__ = ("config", "field")

    def __init__(self, config: Config, field: str) -> None:
        super().__init__(f"{config.name}.{field}")
        self.config = config
        self.field = field

    def __reduce_ex__(self, _: Any) -> Any:
        return Config.sym, (self.config, self.field)

    @property
    def declared(self) -> ConfigField:
        """The field as its configuration declares it."""
        return self.config.fields[self.field]


class Config(Declaration):
    """A record of configuration fields, declared with `@config`. Compared by identity."""

    __slots__ = ("__weakref__", "_syms", "fields", "name")

    def __init__(self, name: str, fields: Mapping[str, ConfigField]) -> None:
        self.name = name
        self.fields = dict(fields)
        self._syms = {field: FieldSym(self, field) for field in self.fields}

    def sym(self, field: str) -> FieldSym:
        """The name of a field; a KeyError if there is no such field."""
        return self._syms[field]

    def declared_as(self) -> str:
        """How messages call it."""
        return f"configuration {self.name}({', '.join(map(str, self.fields.values()))})"

    def __repr__(self) -> str:
        return f"Config({self.name})"
