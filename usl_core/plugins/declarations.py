"""What hooks may return: one check per kind of declaration.

A plugin is not trusted to return what its hook promises. `collect` keeps what is well formed, by name, and says what is
wrong with the rest.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, get_args, get_type_hints

from usl_core.errors import PluginError
from usl_core.ir.config import Config
from usl_core.ir.externs import BUILTINS, Extern
from usl_core.ir.memory import DRAM, Memory
from usl_core.ir.types import CONTROLS, SCALARS, ScalarType
from usl_core.plugins.blame import describe
from usl_core.plugins.hookspecs import Backend, Driver, Emulation, Later


class Kind(Enum):
    """The kinds of declarations; the value is their plural in messages and in `usl plugins --json`."""

    MEMORIES = "memories"
    INSTRUCTIONS = "instructions"
    CONFIGS = "configs"
    EXTERNS = "externs"
    TYPES = "types"
    SCHEDULES = "schedules"
    BACKENDS = "backends"
    PARALLEL_TEMPLATES = "parallel_templates"
    EMULATIONS = "emulations"
    DRIVERS = "drivers"
    COMMANDS = "commands"

    @property
    def hook(self) -> str:
        """The name of the hook that declares them."""
        return f"usl_{self.value}"

    @property
    def singular(self) -> str:
        """What one of the kind is called in messages."""
        return {"memories": "memory"}.get(self.value, self.value.removesuffix("s")).replace("_", " ")


class _Malformed(Exception):
    """A declaration is not what its hook promises; the text says what it should have been."""


def collect(kind: Kind, returned: object) -> tuple[Mapping[str, Any], list[str]]:
    """The well-formed declarations among what a hook returned, by name, and a sentence about each other one.

    Of what is made later the names are looked at now, and each declaration when it is asked for.
    """
    if isinstance(returned, Later):
        wrong = [name for name in returned if not (isinstance(name, str) and name.isidentifier())]
        names = [name for name in returned if name not in wrong]
        return Later(names, lambda name: _made(kind, name, returned)), [
            f"{kind.hook}(): {name!r} is not usable as a name; it must be an identifier" for name in wrong
        ]
    try:
        items = _items(kind, returned)
    except _Malformed as error:
        return {}, [f"{kind.hook}() {error}"]
    accepted: dict[str, Any] = {}
    problems: list[str] = []
    for label, item in items:
        try:
            name = _checked_name(_NAMERS[kind](label, item))
            if name in accepted:
                raise _Malformed(f"the name {name!r} is declared twice")
            accepted[name] = item
        except _Malformed as error:
            problems.append(f"{kind.hook}(): {error}")
    return accepted, problems


def _made(kind: Kind, name: str, returned: Later) -> Any:
    """One declaration of those that are made later.

    Raises:
        PluginError: it is none, or has another name.
    """
    try:
        item = returned[name]
        found = _NAMERS[kind](name, item)
        if found != name:
            raise _Malformed(f"it calls itself {found!r}")
    except Exception as error:  # a plugin's code may fail in any way
        reason = str(error) if isinstance(error, _Malformed) else describe(error)
        message = f"{kind.singular} {name!r} cannot be used: {reason}"
        raise PluginError(message, span=getattr(error, "span", None)) from error
    return item


def _items(kind: Kind, returned: object) -> list[tuple[object, object]]:
    """What was returned as pairs: name and value of a mapping; None and the item of any other collection."""
    if kind in _MAPPINGS:
        if not isinstance(returned, Mapping):
            raise _Malformed(f"must return a mapping from names, not {_article(returned)}")
        return list(returned.items())
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
        raise _Malformed(f"must return a collection of {kind.value}, such as a tuple, not {_article(returned)}")
    return [(None, item) for item in returned]


def _article(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _checked_name(name: object) -> str:
    if not (isinstance(name, str) and name.isidentifier()):
        raise _Malformed(f"{name!r} is not usable as a name; it must be an identifier")
    return name


def _memory_name(_: object, item: object) -> object:
    if not (isinstance(item, type) and issubclass(item, Memory)):
        raise _Malformed(f"{item!r} is not a subclass of Memory")
    if item.name in (Memory.name, DRAM.name):
        raise _Malformed(f"memory class {item.__name__} needs a `name` of its own, not {item.name!r}")
    return item.name


def _instruction_name(_: object, item: object) -> object:
    from usl_core.procedure import Procedure  # what declares no instructions shall not pay for the frontend

    if not isinstance(item, Procedure):
        raise _Malformed(f"{item!r} is not a Procedure; declare it with @instr")
    if not item.is_instr():
        raise _Malformed(f"procedure {item.name()!r} is not an instruction; declare it with @instr")
    return item.name()


def _config_name(_: object, item: object) -> object:
    if not isinstance(item, Config):
        raise _Malformed(f"{item!r} is not a Config; declare it with @config")
    return item.name


def _extern_name(_: object, item: object) -> object:
    if not isinstance(item, Extern):
        raise _Malformed(f"{item!r} is not an Extern")
    return _not_built_in(item.name, BUILTINS, "function")


def _type_name(_: object, item: object) -> object:
    if not isinstance(item, ScalarType):
        raise _Malformed(f"{item!r} is not a ScalarType")
    return _not_built_in(item.name, {**SCALARS, **CONTROLS}, "type")


def _not_built_in(name: object, built_in: Mapping[str, object], what: str) -> object:
    """A plugin that could redefine `min` or `f32` would change the meaning of programs that never mention it."""
    if isinstance(name, str) and name in built_in:
        raise _Malformed(f"{name!r} is a built-in {what} and cannot be redefined")
    return name


def _schedule_name(label: object, item: object) -> object:
    if not callable(item):
        raise _Malformed(f"schedule {label!r} is not callable")
    return label


def _backend_name(label: object, item: object) -> object:
    missing = [name for name in ("name", "emit", "build", "jit") if not hasattr(item, name)]
    if missing or not isinstance(item, Backend):
        raise _Malformed(f"backend {label!r} lacks {', '.join(missing)}")
    return label


def _template_name(label: object, item: object) -> object:
    if not isinstance(item, str):
        raise _Malformed(f"the template for {label!r} is not a text")
    try:
        used = [field for _, field, _, _ in string.Formatter().parse(item) if field is not None]
    except ValueError as error:
        raise _Malformed(f"the template for {label!r} is ill-formed: {error}") from None
    unknown = [field for field in used if field not in ("iter", "lo", "hi", "body")]
    if unknown or "body" not in used:
        raise _Malformed(f"the template for {label!r} must use {{body}}, and beside it only {{iter}}, {{lo}}, {{hi}}")
    return label


def _emulation_name(label: object, item: object) -> object:
    if not isinstance(item, Emulation):
        raise _Malformed(f"emulation {label!r} is not an Emulation")
    return label


def _driver_name(label: object, item: object) -> object:
    if not isinstance(item, Driver):
        raise _Malformed(f"driver {label!r} is not a Driver")
    for field, kind in get_type_hints(Driver).items():
        values = getattr(item, field)
        if not isinstance(values, tuple) or not all(isinstance(value, get_args(kind)[0]) for value in values):
            raise _Malformed(f"{field} of driver {label!r} must be a tuple of {get_args(kind)[0].__name__}, not {values!r}")
    if missing := [path for path in (*item.include_dirs, *item.sources) if not (path.is_absolute() and path.exists())]:
        raise _Malformed(f"driver {label!r} names {missing[0]}, which is no absolute path of something that is there")
    return label


def _command_name(label: object, item: object) -> object:
    import click  # programs that only use a plugin's instructions shall not pay for the command line

    if not isinstance(item, click.Command):
        raise _Malformed(f"command {label!r} is not a click.Command")
    return label


_MAPPINGS = frozenset({Kind.SCHEDULES, Kind.BACKENDS, Kind.PARALLEL_TEMPLATES, Kind.EMULATIONS, Kind.DRIVERS, Kind.COMMANDS})

_NAMERS: Mapping[Kind, Callable[[object, object], object]] = {
    Kind.MEMORIES: _memory_name,
    Kind.INSTRUCTIONS: _instruction_name,
    Kind.CONFIGS: _config_name,
    Kind.EXTERNS: _extern_name,
    Kind.TYPES: _type_name,
    Kind.SCHEDULES: _schedule_name,
    Kind.BACKENDS: _backend_name,
    Kind.PARALLEL_TEMPLATES: _template_name,
    Kind.EMULATIONS: _emulation_name,
    Kind.DRIVERS: _driver_name,
    Kind.COMMANDS: _command_name,
}
