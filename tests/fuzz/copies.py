"""Copies and pickles of procedures in the middle of a schedule: they are the thing itself, are refused, or behave alike."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

from usl_core.errors import UslError
from usl_core.procedure import Procedure

KINDS: dict[str, Callable[[Procedure], Procedure]] = {
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda procedure: pickle.loads(pickle.dumps(procedure)),
}
REFUSALS = (UslError, TypeError, pickle.PicklingError)
"""How a copy may be refused: the standard library's own errors, with a message, are as good as ours."""


def drawn_copy(procedure: Procedure, rng: random.Random) -> tuple[str, Procedure | None]:
    """A copy of some kind, and its kind; None if this is refused."""
    kind = rng.choice(sorted(KINDS))
    try:
        return kind, KINDS[kind](procedure)
    except REFUSALS as error:
        if not str(error):
            raise
        return kind, None


def travelled_as_text(kind: str, made: Procedure) -> bool:
    """Whether a copy was read from the program's text, so that its places and its history are others."""
    return kind == "pickle" and [step.operator for step in made.history()] == ["written"]


def copy_failure(procedure: Procedure, made: Procedure) -> str | None:
    """How a copy differs at first sight, None if it does not."""
    if made is procedure:
        return None
    if str(made) != str(procedure):
        return f"it has another text:\n{made}"
    if travelled_as_text("pickle", made):
        return None
    if made.history() != procedure.history() or made.assurance() != procedure.assurance():
        return f"it says of itself: {made.assurance()}; and must say: {procedure.assurance()}"
    return None
