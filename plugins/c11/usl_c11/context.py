"""The configuration of a call of a compiled procedure: the values of readable fields, in and out."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any, TypeGuard

from usl_c11.emit import Library
from usl_c11.names import legal
from usl_c11.types import control_spelling, spelling
from usl_core.errors import NOWHERE, JitError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import BOOL, F16, SIZE, ControlType, ScalarType, Type
from usl_core.ranges import INDICES, SIZES

if TYPE_CHECKING:
    from usl_core.interp import ConfigKey


class Context:
    """Makes the context struct of each call, for the configurations of one procedure."""

    def __init__(self, procedure: str, lib: Library) -> None:
        self.procedure = procedure
        self.fields: dict[ConfigKey, ConfigField] = {
            (config, field.name): field for config in lib.configs for field in config.fields.values() if field.readable
        }
        self._struct = _struct((legal(config.name), _struct(_members(config))) for config in lib.configs)

    def made(self, values: Any) -> Any:
        """A new context with these values; other fields are zero.

        Raises:
            JitError: values is not a dict, a key is no field, or a value does not fit its field.
        """
        if not isinstance(values, MutableMapping):
            raise JitError(
                f"{self.procedure}: configs must be a dict from (configuration, field) to a value, not {type(values).__name__}"
            )
        context = self._struct()
        for key, value in values.items():
            if self._is_hidden(key):
                continue
            if key not in self.fields:
                known = ", ".join(f"({config.name}, {name!r})" for config, name in self.fields)
                raise JitError(f"{self.procedure} uses no configuration field {_shown(key)}", notes=(f"it uses: {known}",))
            config, name = key
            held = _held(self.fields[key].type, self._checked(key, self.fields[key], value))
            setattr(getattr(context, legal(config.name)), legal(name), held)
        return context

    def report(self, context: Any, values: MutableMapping[ConfigKey, Any]) -> None:
        """Puts what the fields hold after the call into values."""
        for config, name in self.fields:
            held = getattr(getattr(context, legal(config.name)), legal(name))
            values[config, name] = _value(self.fields[config, name].type, held)

    def _is_hidden(self, key: object) -> bool:
        """Whether key is a write-only field: it may stand in a dict that the interpreter takes too, and no C can set it."""
        match key:
            case (Config() as config, str(name)):
                return name in config.fields and not config.fields[name].readable
            case _:
                return False

    def _checked(self, key: ConfigKey, field: ConfigField, value: Any) -> Any:
        name = f"{key[0].name}.{key[1]}"
        match field.type:
            case ControlType() as typ if typ is BOOL:
                if not isinstance(value, bool):
                    raise JitError(f"{self.procedure}: {name} must be a bool, not {value!r}")
            case ControlType() as typ:
                limits = SIZES if typ is SIZE else INDICES
                if not _is_int(value) or not limits.lo <= value <= limits.hi:
                    raise JitError(
                        f"{self.procedure}: {name} must be an integer from {limits.lo} to {limits.hi}, not {value!r}"
                    )
            case ScalarType() as scalar if scalar.is_int:
                lo, hi = scalar.int_range()
                if not _is_int(value) or not lo <= value <= hi:
                    raise JitError(f"{self.procedure}: {name} must be an integer from {lo} to {hi}, not {value!r}")
            case ScalarType() as scalar:
                if isinstance(value, bool) or not isinstance(value, int | float):
                    raise JitError(f"{self.procedure}: {name} must be a number, not {value!r}")
                return float(value)
        return value


def _held(typ: Type, value: Any) -> Any:
    """What the struct holds of a value: of floats that ctypes lacks, the bits of the nearest one."""
    if not _is_bits(typ):
        return value
    from usl_core.interp import format_of, round_float  # with NumPy, which most programs load later or never
    from usl_core.interp.encoding import bits_of

    return int(bits_of(round_float(value, format_of(typ)), typ))


def _value(typ: Type, held: Any) -> Any:
    if typ is BOOL:
        return bool(held)
    if not _is_bits(typ):
        return held
    from usl_core.interp.encoding import numbers_of

    return float(numbers_of(held, typ))


def _is_bits(typ: Type) -> TypeGuard[ScalarType]:
    return isinstance(typ, ScalarType) and (typ.is_encoded or typ == F16)


def _struct(members: Iterable[tuple[str, Any]]) -> type[ctypes.Structure]:
    return type("Struct", (ctypes.Structure,), {"_fields_": list(members)})


def _members(config: Config) -> Iterator[tuple[str, Any]]:
    for field in config.fields.values():
        if field.readable:
            typ = field.type
            text = control_spelling(typ) if isinstance(typ, ControlType) else spelling(typ, NOWHERE)
            yield legal(field.name), _CTYPES[text]


_CTYPES = {
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "usl_f16": ctypes.c_uint16,
    **{f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(key: object) -> str:
    match key:
        case (Config() as config, name):
            return f"({config.name}, {name!r})"
        case _:
            return repr(key)
