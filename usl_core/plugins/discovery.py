"""Which plugins are installed: entry points of group `usl`, read without importing any of them."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from usl_core.plugins.hookspecs import ENTRY_POINT_GROUP
from usl_core.records import dataclass

OWNERS = {name: f"usl-{name}" for name in ("c11", "avx512", "conformance", "perceus", "stdlib")}
"""The packages that our own plugins' names belong to."""


@dataclass(frozen=True, slots=True)
class Found:
    """An installed plugin: its namespace, the module or object that holds its hooks, and the package it comes from."""

    name: str
    entry: importlib.metadata.EntryPoint
    dist: str
    version: str
    problem: str = ""
    """Why it must not be loaded, or empty."""

    @property
    def origin(self) -> str:
        """The package and its version, for messages."""
        return f"{self.dist} {self.version}"


def discover() -> tuple[Found, ...]:
    """Every installed plugin by name, then by package; those that cannot be told apart or read carry a problem.

    Distributions are read one by one: the standard library's `entry_points()` fails as a whole on one damaged file.
    """
    found = sorted(_found(importlib.metadata.distributions()), key=lambda each: (each.name, each.dist))
    return tuple(_without_clashes(found))


def _found(distributions: Iterable[importlib.metadata.Distribution]) -> Iterator[Found]:
    seen: set[str] = set()
    for distribution in distributions:
        has_plugins = f"[{ENTRY_POINT_GROUP}]" in _text(distribution, "entry_points.txt")
        # Of others the folder's name will do: reading all metadata takes three times as long.
        name, version = _identity(distribution) if has_plugins else (_named_by_folder(distribution), "")
        key = _plain(name)
        if key in seen:  # another copy, further down the path: Python would import the first one
            continue
        seen.add(key)
        if has_plugins:
            yield from _plugins_of(distribution, name, version)


def _plain(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _folder(distribution: importlib.metadata.Distribution) -> str:
    """The folder of a distribution's metadata; empty where it has none."""
    return str(getattr(getattr(distribution, "_path", None), "name", ""))


def _named_by_folder(distribution: importlib.metadata.Distribution) -> str:
    """The name in `name-version.dist-info`."""
    stem = _folder(distribution).rpartition(".")[0]
    return stem.rpartition("-")[0] or stem


def _identity(distribution: importlib.metadata.Distribution) -> tuple[str, str]:
    """Name and version; a distribution whose metadata is damaged is still named by its folder, where it has one."""
    fields = dict(_FIELD.findall(_text(distribution, "METADATA", "PKG-INFO").partition("\n\n")[0]))
    return fields.get("Name") or _folder(distribution) or "(unnamed package)", fields.get("Version") or "(unknown version)"


_FIELD = re.compile(r"^(Name|Version):[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
"""Read without the parser of e-mail that `Distribution.metadata` uses: importing that takes longer than all the rest."""


def _text(distribution: importlib.metadata.Distribution, *files: str) -> str:
    """The first of the files that is there; empty if none is, or it is no text."""
    try:
        return next((text for file in files if (text := distribution.read_text(file))), "")
    except Exception:  # of a damaged distribution anything may be wrong
        return ""


def _plugins_of(distribution: importlib.metadata.Distribution, dist: str, version: str) -> Iterator[Found]:
    try:
        entries = [entry for entry in distribution.entry_points if entry.group == ENTRY_POINT_GROUP]
    except Exception as error:
        broken = importlib.metadata.EntryPoint(dist, "", ENTRY_POINT_GROUP)
        yield Found(dist, broken, dist, version, f"entry_points.txt of this package cannot be read: {error}")
        return
    for entry in entries:
        yield Found(entry.name, entry, dist, version, _name_problem(entry.name))


def _name_problem(name: str) -> str:
    if name.isidentifier():
        return ""
    return f"the name {name!r} is not an identifier, so nothing in this namespace could be named; rename the entry point"


def _without_clashes(found: Sequence[Found]) -> Iterator[Found]:
    """Names of ours belong to our packages, whoever else takes them; of others with one name none is used."""
    for each in found:
        same = [other for other in found if other.name == each.name]
        if each.name in OWNERS and _plain(each.dist) != OWNERS[each.name]:
            problem = f"the name {each.name!r} belongs to the package {OWNERS[each.name]}; rename the entry point"
        elif len(same) > 1 and each.name not in OWNERS:
            origins = " and ".join(other.origin for other in same)
            problem = f"the name {each.name!r} is taken by {origins}, so none of them is used; uninstall all but one"
        else:
            problem = each.problem
        yield replace(each, problem=problem)
