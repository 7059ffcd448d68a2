"""Provenance: how one version of a procedure relates to the version it was made from, and what may stand for what.

Reference: Reinking 2022, §3.4.3 and §3.6.2; docs/semantics.md, "refinement".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Relation(Enum):
    """What a step's result is to its input."""

    EQUAL = "="
    """The same stores for all inputs."""
    REFINES = "refines"
    """The same wherever the input yields a value; poison may have become anything."""
    NARROWER = "narrower"
    """Equal on the inputs that the new assertions admit."""
    PRECISION = "precision"
    """Equal over exact numbers, at another precision: a new class."""
    INTERFACE = "interface"
    """Other argument types, memories or layout: a new class."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a procedure's history. seconds is the time the operator took; proofs counts obligations by how they were
    settled (syntactic, affine, cache, z3)."""

    operator: str
    arguments: str = ""
    relation: Relation = Relation.EQUAL
    seconds: float = 0.0
    proofs: Mapping[str, int] = field(default_factory=dict)
