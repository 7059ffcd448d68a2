"""The plugin manager: which plugins take part, and what they declare by name.

Plugins are found without importing them and loaded one by one when they are asked for. A plugin is code, so what may be
loaded can be limited: `--no-plugins` and `--plugins NAMES` of the `usl` command, USL_NO_PLUGINS and USL_PLUGINS in the
environment, `configure` in a program.
"""

from __future__ import annotations

import difflib
import os
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from usl_core.errors import PluginError
from usl_core.plugins.declarations import Kind as Kind
from usl_core.plugins.discovery import OWNERS, Found, discover
from usl_core.plugins.hookspecs import Backend
from usl_core.plugins.plugin import Plugin as Plugin
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """What `usl plugins` shows of one plugin."""

    name: str
    dist: str
    version: str
    api: int | None
    """The hook API it was built for; None if it does not say or could not be imported."""
    usable: bool
    provides: Mapping[str, tuple[str, ...]]
    """Names by kind; kinds without any are left out."""
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of the installed plugins may be loaded."""

    enabled: bool = True
    allowed: frozenset[str] | None = None
    """The names that may be loaded; None stands for all."""

    @staticmethod
    def from_environment(environment: Mapping[str, str]) -> Selection:
        """USL_NO_PLUGINS (any value but empty and 0) and USL_PLUGINS (names with commas; empty stands for all)."""
        names = split_names(environment.get("USL_PLUGINS", ""))
        return Selection(
            enabled=environment.get("USL_NO_PLUGINS", "") in ("", "0"), allowed=frozenset(names) if names else None
        )

    def admits(self, name: str) -> bool:
        """Whether the plugin of that name may be used."""
        return self.enabled and (self.allowed is None or name in self.allowed)


def split_names(text: str) -> tuple[str, ...]:
    """`"c11, avx512"` as names."""
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)


class PluginManager:
    """The installed plugins that a selection admits. Safe to use from several threads."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self._lock = threading.RLock()
        self._installed: tuple[Found, ...] | None = None
        self._plugins: tuple[Plugin, ...] = ()

    def installed(self) -> tuple[str, ...]:
        """The names of all installed plugins, whether admitted or not. Imports none of them."""
        self._discover()
        return tuple(sorted({found.name for found in self._installed or ()}))

    def _discover(self) -> None:
        with self._lock:
            if self._installed is None:
                self._installed = discover()
                self._plugins = tuple(Plugin(found) for found in self._installed if self.selection.admits(found.name))

    def get(self, namespace: str) -> Plugin:
        """The plugin of a namespace, imported if it was not yet; no other plugin is.

        Raises:
            PluginError: it is not installed, not admitted, cannot be loaded, or is just being imported.
        """
        self._discover()
        with self._lock:
            candidates = [plugin for plugin in self._plugins if plugin.name == namespace]
            if not candidates:
                raise self.refusal(namespace)
            plugin = next((each for each in candidates if not each.found.problem), candidates[0])
            plugin.load()
        if plugin.loading:
            raise PluginError(
                f"plugin {namespace!r} asks for its own namespace while it is being imported",
                notes=("hint: ask inside the function that needs it",),
            )
        if not plugin.usable:
            first, *others = plugin.problems
            raise PluginError(
                f"plugin {namespace!r} ({plugin.found.origin}) {first.message}",
                span=first.span,
                notes=[*map(str, others), *_ADVICE],
            )
        return plugin

    def refusal(self, namespace: str) -> PluginError:
        """Why no plugin of that name takes part: not installed, or not admitted."""
        installed = self.installed()
        if namespace in installed:
            return PluginError(f"plugin {namespace!r} is installed but {self._exclusion()}")
        close = difflib.get_close_matches(namespace, installed, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"installed are: {', '.join(installed) or 'none'}"
        return PluginError(f"no plugin {namespace!r} is installed", notes=(hint,))

    def _exclusion(self) -> str:
        if not self.selection.enabled:
            return "plugins are switched off (--no-plugins, USL_NO_PLUGINS)"
        return "is not on the list of plugins that may be loaded (--plugins, USL_PLUGINS)"

    def plugins(self) -> tuple[Plugin, ...]:
        """Every admitted plugin, imported; unusable ones too."""
        self._discover()
        with self._lock:
            for plugin in self._plugins:
                plugin.load()
        return self._plugins

    def load_all(self) -> tuple[PluginInfo, ...]:
        """Loads every admitted plugin, calls every hook but the self-check, and reports. Raises nothing on their account."""
        with self._lock:
            clashes = self._find_clashes()
            return tuple(_info(plugin, clashes.get(plugin, ())) for plugin in self.plugins())

    def _find_clashes(self) -> Mapping[Plugin, tuple[str, ...]]:
        """For each plugin the names that one before it declares too. Both stay reachable by their full names."""
        found: dict[Plugin, tuple[str, ...]] = {}
        for kind in Kind:
            for name, (first, *others) in self._owners(kind).items():
                for later in others:
                    full_name = f"{later.name}.{name}"
                    clash = (
                        f"{kind.singular} {name!r} is also declared by plugin {first.name!r}; write {full_name} for this one"
                    )
                    found[later] = (*found.get(later, ()), clash)
        return found

    def _owners(self, kind: Kind) -> Mapping[str, list[Plugin]]:
        owners: dict[str, list[Plugin]] = {}
        with self._lock:
            for plugin in self.plugins():
                for name in plugin.declared(kind):
                    owners.setdefault(name, []).append(plugin)
        return owners

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The bare names of one kind among all admitted plugins. Imports them all."""
        return tuple(sorted(self._owners(kind)))

    def lookup(self, name: str, kind: Kind | None = None) -> Any:
        """What `avx512.loadu_ps` names; a bare `loadu_ps` is looked for in every plugin and must be unambiguous.

        Raises:
            PluginError: no plugin declares it, or more than one does.
        """
        namespace, dot, last = name.rpartition(".")
        kinds = tuple(Kind) if kind is None else (kind,)
        if dot:
            searched = [self.get(namespace)]
        else:
            searched = [plugin for plugin in self.plugins() if plugin.usable]
        with self._lock:
            hits = [(plugin, each) for plugin in searched for each in kinds if last in plugin.declared(each)]
        if len(hits) != 1:
            raise _not_one(name, hits, searched, kinds)
        plugin, only = hits[0]
        return plugin.declared(only)[last]

    def backend(self, name: str) -> Backend:
        """The backend called name. A plugin of that name is asked first, so that usually no other is imported.

        Raises:
            PluginError: none is installed, or the plugin that has it cannot be loaded.
        """
        self._discover()
        if any(plugin.name == name for plugin in self._plugins):
            own = self.get(name)
            with self._lock:
                declared = own.declared(Kind.BACKENDS)
            if name in declared:
                backend: Backend = declared[name]
                return backend
        if name not in self.names(Kind.BACKENDS):
            raise self._no_backend(name)
        found: Backend = self.lookup(name, Kind.BACKENDS)
        return found

    def _no_backend(self, name: str) -> PluginError:
        if name in self.installed() and not self.selection.admits(name):
            return self.refusal(name)
        others = self.names(Kind.BACKENDS)
        available = (f"available backends: {', '.join(others)}",) if others else ()
        own_problems = [str(problem) for plugin in self._plugins if plugin.name == name for problem in plugin.problems]
        # A package is named only if it is ours: under any other name the index may hold somebody's trap.
        hint = f"hint: pip install {OWNERS[name]}" if name in OWNERS else "hint: `usl plugin new --kind backend` begins another"
        return PluginError(f"there is no backend {name!r}", notes=(*own_problems, *available, hint))

    def parallel_template(self, backend: str) -> str | None:
        """The form of `par` loops that a plugin sets for a backend, or None.

        Raises:
            PluginError: more than one plugin sets it.
        """
        if backend not in self._owners(Kind.PARALLEL_TEMPLATES):
            return None
        template: str = self.lookup(backend, Kind.PARALLEL_TEMPLATES)
        return template


_ADVICE = ("hint: `usl plugins` lists every plugin with its problems",)


def _info(plugin: Plugin, clashes: Iterable[str]) -> PluginInfo:
    provides = {kind.value: tuple(sorted(plugin.declared(kind))) for kind in Kind}
    return PluginInfo(
        name=plugin.name,
        dist=plugin.found.dist,
        version=plugin.found.version,
        api=plugin.api,
        usable=plugin.usable,
        provides={kind: names for kind, names in provides.items() if names},
        problems=(*map(str, plugin.problems), *clashes),
    )


def _not_one(name: str, hits: list[tuple[Plugin, Kind]], searched: Iterable[Plugin], kinds: tuple[Kind, ...]) -> PluginError:
    what = kinds[0].singular if len(kinds) == 1 else "declaration"
    if hits:
        bare = name.rpartition(".")[2]
        candidates = ", ".join(f"{plugin.name}.{bare} ({kind.singular})" for plugin, kind in hits)
        return PluginError(f"{what} {name!r} is ambiguous", notes=(f"candidates: {candidates}",))
    declared = sorted({known for plugin in searched for kind in kinds for known in plugin.declared(kind)})
    close = difflib.get_close_matches(name.rpartition(".")[2], declared, n=3)
    notes = [f"did you mean {' or '.join(close)}?"] if close else []
    notes += [f"plugin {plugin.name!r}: {problem}" for plugin in searched for problem in plugin.problems]
    return PluginError(f"no plugin has a {what} {name!r}" if "." not in name else f"there is no {what} {name!r}", notes=notes)


_default: PluginManager | None = None
_default_lock = threading.Lock()


def plugin_manager() -> PluginManager:
    """The manager of this process; what it may load comes from the environment unless `configure` said otherwise."""
    global _default
    with _default_lock:
        if _default is None:
            _default = PluginManager(Selection.from_environment(os.environ))
        return _default


def configure(*, enabled: bool = True, allowed: Iterable[str] | None = None) -> PluginManager:
    """Replaces the manager of this process by one that may load only these plugins.

    Raises:
        PluginError: a name in allowed is not installed.
    """
    global _default
    manager = PluginManager(Selection(enabled, None if allowed is None else frozenset(allowed)))
    for name in sorted(manager.selection.allowed or ()):
        if name not in manager.installed():
            raise manager.refusal(name)
    with _default_lock:
        _default = manager
    return manager


def get(namespace: str) -> Plugin:
    """See PluginManager.get."""
    return plugin_manager().get(namespace)


def load_all() -> tuple[PluginInfo, ...]:
    """See PluginManager.load_all."""
    return plugin_manager().load_all()


def lookup(name: str, kind: Kind | None = None) -> Any:
    """See PluginManager.lookup."""
    return plugin_manager().lookup(name, kind)


def backend(name: str = "c11") -> Backend:
    """See PluginManager.backend."""
    return plugin_manager().backend(name)
