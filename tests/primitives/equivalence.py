"""What the tests of operators share: procedures from text, and the exact interpreter as the judge of a rewrite."""

from __future__ import annotations

import random
from textwrap import dedent

from tests.fuzz.refine import refinement_failure, steps_modulo
from usl_core.ir.verify import verify
from usl_core.procedure import Procedure, proc_from_source


def parse(text: str, **scope: object) -> Procedure:
    """A procedure from an indented text; scope holds callees and memories by name."""
    return proc_from_source(dedent(text).strip() + "\n", scope)


def body_text(proc: Procedure) -> str:
    """The text of the body without its indentation: everything after the head and the assertions."""
    lines = [line for line in str(proc).splitlines() if line.startswith("    ") and not line.startswith("    assert ")]
    return dedent("\n".join(lines)).strip()


def assert_body(proc: Procedure, text: str) -> None:
    """The body prints as text, and the procedure is well-formed."""
    verify(proc.ir)
    assert body_text(proc) == dedent(text).strip()


def assert_refines(before: Procedure, after: Procedure, factor: int = 4, vectors: int = 8) -> None:
    """after is well-formed and gives what before gives, at several sizes; factor makes sizes that tiles divide and do not.

    Of configuration fields those may differ at the end that the steps from one to the other, in either direction, name.
    """
    verify(after.ir)
    modulo = steps_modulo(before, after) | steps_modulo(after, before)
    difference = refinement_failure(before.ir, after.ir, random.Random(0), factor, vectors, modulo=modulo)
    assert difference is None, f"{difference}\n{before}\n{after}"


def assert_equivalent(before: Procedure, after: Procedure, factor: int = 4, vectors: int = 8) -> None:
    """Each refines the other: also poison stays poison."""
    assert_refines(before, after, factor, vectors)
    assert_refines(after, before, factor, vectors)
