"""The hooks of a plugin: what a package can add to the language.

A plugin is a module named by an entry point of group `usl`; the entry point's name is the plugin's namespace. The module
states `USL_API = 1` and implements any of these hooks with `@hookimpl`. Hooks take nothing, return declarations, and do
nothing else: a hook is called at most once, when somebody first asks for what it declares, so a costly import belongs
inside it. See docs/plugins.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import pluggy

from usl_core.errors import BackendError
from usl_core.ir.config import Config
from usl_core.ir.externs import Extern
from usl_core.ir.memory import Memory
from usl_core.ir.nodes import Proc
from usl_core.ir.types import ScalarType
from usl_core.records import dataclass

if TYPE_CHECKING:
    import click

API_VERSION = 1
"""The version of these hooks. It grows when a plugin written for an older one would no longer work."""

PROJECT = "usl"
ENTRY_POINT_GROUP = "usl"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@runtime_checkable
class Backend(Protocol):
    """Turns procedures into files, libraries and callables. Every method raises UslError for what it cannot do.

    A class that derives from this one has only `name` and `emit` to define: what it leaves out is refused.
    """

    @property
    def name(self) -> str:
        """The name users write: `c11`."""
        ...

    def emit(self, procs: Sequence[Proc], name: str, *, entry_checks: bool = True) -> Mapping[str, str]:
        """The text of each file of a library called name, by plain file name. Writes nothing.

        Without entry_checks, exported procedures trust their caller's sizes, strides and assertions.
        """
        ...

    def build(self, procs: Sequence[Proc], name: str, directory: Path) -> Path:
        """Compiles the library into directory; the path of the shared library."""
        raise BackendError(f"backend {self.name!r} builds no libraries")

    def jit(self, procedure: Any, **options: Any) -> Callable[..., Any]:
        """A callable on NumPy arrays for one procedure (its IR, a `Proc`); options are the backend's own.

        `usl plugin check` runs it.
        """
        raise BackendError(f"backend {self.name!r} runs nothing here")


@runtime_checkable
class BatchBackend(Backend, Protocol):
    """A backend that `usl plugin check` can use: it also compiles many procedures at once, and knows the processor."""

    def jit_all(
        self, procs: Sequence[Proc], name: str, *, flags: Sequence[str] = (), emulated: bool = False
    ) -> Mapping[str, Callable[..., Any]]:
        """Callables on NumPy arrays (bf16 as its bits, in uint16) by procedure name, from one library called name.

        flags are added to the compiler's; emulated says that they emulate the CPU features that instructions name.
        """
        ...

    def missing_features(self, features: Sequence[str]) -> tuple[str, ...]:
        """The CPU features among these that this processor lacks."""
        ...


class Later(Mapping[str, Any]):
    """Declarations by name of which each is made when it is asked for; any hook may return one.

    `usl plugins` then lists the names, and who uses one declaration does not pay for the others.
    """

    def __init__(self, names: Iterable[str], make: Callable[[str], Any]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._found:
            self._found[name] = self._make(name)
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True, slots=True)
class Emulation:
    """How instructions can be tested on a processor that lacks them: compiler flags under which C emulates them.

    The flags must also keep the compiler from using the features itself (`-mno-avx512f`).
    """

    features: frozenset[str]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Driver:
    """What C that includes one of the headers has to be compiled and linked with. Folders and files are absolute paths."""

    headers: tuple[str, ...]
    """As `#include` names them, without quotes or brackets."""
    include_dirs: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    """C files that are compiled with the generated one."""
    library_dirs: tuple[Path, ...] = ()
    libraries: tuple[str, ...] = ()
    """As `-l` names them."""

    def serving(self, header: str) -> Driver | None:
        """The driver for C that includes a header. A family of headers, one for each chip say, has one that makes others."""
        return self if header in self.headers else None


@hookspec
def usl_memories() -> Iterable[type[Memory]]:
    """The memory classes this plugin adds, each with a `name` of its own."""
    return ()


@hookspec
def usl_instructions() -> Iterable[object]:
    """The instructions: `Procedure`s made by `@instr`. Of many, return a `Later`: parsing takes milliseconds each."""
    return ()


@hookspec
def usl_configs() -> Iterable[Config]:
    """The configuration state of the hardware, made by `@config`."""
    return ()


@hookspec
def usl_externs() -> Iterable[Extern]:
    """Functions on data; each brings its meaning (`exact`, `machine`) and its C. None may take the name of a built-in."""
    return ()


@hookspec
def usl_types() -> Iterable[ScalarType]:
    """Scalar types of data. None may take the name of a built-in."""
    return ()


@hookspec
def usl_schedules() -> Mapping[str, Callable[..., Any]]:
    """Schedules by name: functions from a procedure and options to a procedure, also found as `usl_core.schedules.NAME`."""
    return {}


@hookspec
def usl_backends() -> Mapping[str, Backend]:
    """Backends by name."""
    return {}


@hookspec
def usl_parallel_templates() -> Mapping[str, str]:
    """C text of a `par` loop by the backend it is for, in place of that backend's own form.

    A `str.format` text over `{iter}`, `{lo}`, `{hi}` (C expressions) and `{body}` (C statements).
    """
    return {}


@hookspec
def usl_emulations() -> Mapping[str, Emulation]:
    """Ways to emulate CPU features that work on this machine, by name; `usl plugin check` uses them where it must."""
    return {}


@hookspec
def usl_drivers() -> Mapping[str, Driver]:
    """What the C of instructions and memories is compiled and linked with, by name; found by the headers that C includes."""
    return {}


@hookspec
def usl_commands() -> Mapping[str, click.Command]:
    """Commands of `usl` by name; none may take the name of one of its own. Import what they need when they run."""
    return {}


@hookspec
def usl_selfcheck() -> Iterable[str]:
    """What is wrong with this installation, one sentence each (a missing library, say); empty if all is well."""
    return ()
