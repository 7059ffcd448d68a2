"""One plugin: imported when first asked for, each hook called when somebody first wants what it declares.

Whatever a plugin's code does wrong ends up in `problems`; nothing here raises on its account.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType
from typing import Any

import pluggy

from usl_core.errors import Span
from usl_core.plugins import hookspecs
from usl_core.plugins.blame import blamed_span, describe
from usl_core.plugins.declarations import Kind, collect
from usl_core.plugins.discovery import Found
from usl_core.records import dataclass

# A plugin may call sys.exit() while it is imported; that is its own failure. KeyboardInterrupt is the user's wish.
FAILURES = (Exception, SystemExit)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a plugin, and the place in its source where that is known."""

    message: str
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.span}: {self.message}" if self.span is not None else self.message


class Plugin:
    """The plugin of one namespace. `usable` is false if it cannot be loaded at all; then it declares nothing."""

    def __init__(self, found: Found) -> None:
        self.name = found.name
        self.found = found
        self.api: int | None = None
        self._problems: list[Problem] = []
        self._declared: dict[Kind, Mapping[str, Any]] = {}
        self._hooks: Mapping[str, pluggy.HookImpl] = {}
        self._state = "new"

    def __repr__(self) -> str:
        return f"Plugin({self.name!r}, {self.found.origin})"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What has been found wrong so far; complete once every kind of declaration has been asked for."""
        return tuple(self._problems)

    @property
    def usable(self) -> bool:
        """Whether it loaded without a problem."""
        return self._state == "loaded"

    @property
    def loading(self) -> bool:
        """Whether the plugin's own import is under way, so that asking it for anything would go round in a circle."""
        return self._state == "loading"

    def load(self) -> None:
        """Imports the plugin and finds its hooks; the second time does nothing."""
        if self._state != "new":
            return
        self._state = "loading"
        if self._find_hooks():
            self._state = "loaded"
        else:
            self._state, self._hooks = "unusable", {}

    def _find_hooks(self) -> bool:
        if self.found.problem:
            return self._report(self.found.problem)
        try:
            module = self.found.entry.load()
        except FAILURES as error:
            return self._report(f"cannot be imported: {describe(error)}", error)
        try:
            return self._check_api(module) and self._register(module)
        except FAILURES as error:  # a module may define __getattr__ or __dir__, which run here
            return self._report(f"cannot be loaded: {describe(error)}", error)

    def _check_api(self, module: object) -> bool:
        api = getattr(module, "USL_API", None)
        if type(api) is not int:
            return self._report(f"does not state the hook API it was built for; add USL_API = {hookspecs.API_VERSION}")
        self.api = api
        if api != hookspecs.API_VERSION:
            advice = "update usl-core" if api > hookspecs.API_VERSION else f"update {self.found.dist}"
            return self._report(
                f"was built for hook API {api}, and this usl-core has hook API {hookspecs.API_VERSION}; {advice}"
            )
        return True

    def _register(self, module: object) -> bool:
        """Lets pluggy find and check the hook implementations.

        Each plugin has a manager of its own, so that what one of them does cannot reach another.
        """
        host = pluggy.PluginManager(hookspecs.PROJECT)
        host.add_hookspecs(hookspecs)
        host.register(module, name=self.name)
        callers = host.get_hookcallers(module) or []
        for message in (*_misspelt(callers), *_unmarked(module, {caller.name for caller in callers})):
            self._report(message)
        self._hooks = {caller.name: impl for caller in callers for impl in caller.get_hookimpls()}
        return not self._problems

    def _report(self, message: str, error: BaseException | None = None) -> bool:
        """Notes a problem. Returns False, so that a check can end with it."""
        span = None if error is None else blamed_span(error, self._owns)
        self._problems.append(Problem(message, span))
        return False

    def _owns(self, frame: FrameType) -> bool:
        package = self.found.entry.module.partition(".")[0]
        return str(frame.f_globals.get("__name__", "")).partition(".")[0] == package

    def declared(self, kind: Kind) -> Mapping[str, Any]:
        """The well-formed declarations of one kind, by name. Calls the hook the first time."""
        self.load()
        if not self.usable:  # not remembered: a plugin that is being imported declares nothing yet
            return {}
        if kind not in self._declared:
            self._declared[kind] = {}  # what the hook itself asks of us while it runs
            self._declared[kind] = self._collect(kind)
        return self._declared[kind]

    def _collect(self, kind: Kind) -> Mapping[str, Any]:
        hook = self._hooks.get(kind.hook)
        if hook is None:
            return {}
        try:
            accepted, problems = collect(kind, hook.function())
        except FAILURES as error:
            self._report(f"{kind.hook}() raised {describe(error)}", error)
            return {}
        for problem in problems:
            self._report(problem)
        return accepted

    def selfcheck(self) -> tuple[str, ...]:
        """What the plugin finds wrong with its installation; empty if it has no such hook."""
        self.load()
        hook = self._hooks.get("usl_selfcheck")
        if hook is None:
            return ()
        try:
            returned = hook.function()
            if isinstance(returned, str) or not isinstance(returned, Iterable):
                return ("usl_selfcheck() must return a collection of sentences, such as a tuple",)
            return tuple(str(sentence) for sentence in returned)
        except FAILURES as error:
            return (f"usl_selfcheck() raised {describe(error)}",)


def _misspelt(callers: Iterable[pluggy.HookCaller]) -> Iterator[str]:
    for caller in callers:
        if not caller.has_spec():
            yield f"implements an unknown hook {caller.name}{_meant(caller.name)}"
        elif any(impl.hookwrapper or impl.wrapper for impl in caller.get_hookimpls()):
            yield f"{caller.name} is a wrapper; hooks return their own plugin's declarations and wrap nobody's"


def _unmarked(module: object, marked: set[str]) -> Iterator[str]:
    """Functions that look like hooks without `@hookimpl`, which pluggy passes over in silence."""
    for name in dir(module):
        if name.startswith("usl_") and name not in marked:
            value = getattr(module, name, None)
            if inspect.isfunction(value) and value.__module__ == getattr(module, "__name__", None):
                yield f"the function {name} is not marked with @hookimpl{'' if name in _HOOKS else _meant(name)}"


def _meant(name: str) -> str:
    close = difflib.get_close_matches(name, _HOOKS, n=1)
    return f"; did you mean {close[0]}?" if close else ""


_HOOKS = frozenset({kind.hook for kind in Kind} | {"usl_selfcheck"})
