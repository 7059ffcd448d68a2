"""Where compiled programs take memory for arrays."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allocation:
    """One place in the outer code: for which array of which function, how many bytes, in how many loops.

    bytes is a product of sizes; sizes that the program has no names for are called as in the outer code.
    """

    function: str
    array: str
    bytes: str
    depth: int

    def __str__(self) -> str:
        loops = "" if not self.depth else f", in {self.depth} loop{'s' if self.depth > 1 else ''}"
        return f"{self.function}: {self.array}, {self.bytes} bytes{loops}"
