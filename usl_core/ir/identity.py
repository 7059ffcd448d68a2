"""What is compared by identity (`is`): a copy of it is the thing itself, and pickle finds it again by name or refuses it.

All tests with `is` on declarations (procedures, configurations, functions, control types), names and nodes rely on this.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Self

from usl_core.errors import UsageError


class Identical:
    """Compared by identity, and known in this process only."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __reduce_ex__(self, _: Any) -> Any:
        raise _refusal(self, "another process could not tell what it belongs to", "pickle the procedure, or str(procedure)")


class Declaration(Identical):
    """Compared by identity, and pickled as the name under which a module has it, as Python's functions are."""

    __slots__ = ()

    def declared_as(self) -> str:
        """What it is, in words that are the same in every process that declares the same."""
        raise NotImplementedError

    def __reduce_ex__(self, _: Any) -> Any:
        modules = sorted(sys.modules.items(), key=lambda item: item[0] == "__main__")  # another process has another one
        for module_name, module in modules:
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if value is self:
                    return declared, (module_name, name, self.declared_as())
        hint = "declare it at the top of a module; a procedure may travel as its text"
        raise _refusal(self, "no module has it under a name", hint)


def declared(module: str, name: str, text: str) -> Any:
    """The declaration that a module has under a name, if it is still what text says."""
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"unpickling: {module}.{name} is not there: {error}") from None
    if not isinstance(found, Declaration) or found.declared_as() != text:
        raise UsageError(f"unpickling: {module}.{name} is another declaration than the one that was pickled", notes=[text])
    return found


def _refusal(thing: Identical, why: str, hint: str) -> UsageError:
    name = thing.declared_as().partition("(")[0] if isinstance(thing, Declaration) else type(thing).__name__
    return UsageError(f"{name} cannot be pickled: {why}", notes=[f"hint: {hint}"])
