"""Plain data made from procedures, such as C text, remembered between processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from usl_core.ir.nodes import Proc
from usl_core.procedure import Procedure
from usl_core.store.calls import version_of
from usl_core.store.shelf import shelf
from usl_core.store.stamps import digest, stamp_of

T = TypeVar("T")


def remembered(
    procs: Sequence[Proc], options: object, packages: Iterable[str], make: Callable[[], T], holds: Callable[[T], bool]
) -> T:
    """What make gives, now or earlier, for these procedures and options, whose `repr` says all of them and what is made.

    packages are those whose code decides. A result is kept, and used, if holds says that nothing else decides what it is.
    """
    kept = shelf()
    key = None if kept is None else _key(procs, options, packages)
    if kept is None or key is None:
        return make()
    entry = kept.get(key)
    if entry is not None:
        try:
            found: T = pickle.loads(entry)
            if holds(found):
                return found
        except Exception:  # whatever damage: it is made anew
            pass
    result = make()
    if holds(result):
        kept.put(key, pickle.dumps(result, 5))
    return result


def _key(procs: Sequence[Proc], options: object, packages: Iterable[str]) -> bytes | None:
    """The digest of procedures with the places of their code in sources, which messages in C name."""
    known = [version_of(Procedure.procedure_of(None, proc)) for proc in procs]  # type: ignore[arg-type]  # of the IR alone
    versions = [version for version in known if version is not None and version.is_known]
    if len(versions) < len(procs):
        return None
    sources = {id(source): source for version in versions for source in version.sources.entries}
    places = [(span.file, span.line, span.column) for source in sources.values() for span in source]
    return digest((options, [stamp_of(package) for package in packages], [version.key for version in versions], places))
