"""What is remembered of a question: its verdict, which stage reached it, and the text in which a file holds both.

Values of variables are in the order of the question's names (`questions`), so that one verdict serves every question with the
same key.
"""

from __future__ import annotations

from dataclasses import dataclass

Value = int | bool | None
"""Of a variable in a refuting model; None where any value does."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` is proved, refuted or unknown; `how` the stage: affine, model or z3. Only one of values and reason is used."""

    kind: str
    how: str
    values: tuple[Value, ...] = ()
    reason: str = ""


TRUTHS = {"T": True, "F": False}
LETTERS = {value: letter for letter, value in TRUTHS.items()}


def encode(verdict: Verdict) -> str | None:
    """The verdict as text, or None for unknown, which is never kept: a later version may do better."""
    match verdict:
        case Verdict("proved", how):
            return f"proved {how}"
        case Verdict("refuted", how, values):
            return f"refuted {how} {','.join(map(_letters, values))}"
        case _:
            return None


def _letters(value: Value) -> str:
    if value is None:
        return ""
    return LETTERS[value] if isinstance(value, bool) else str(value)


def decode(text: str, names: int) -> Verdict | None:
    """The verdict that text stands for, on a question with so many names; None if it stands for none."""
    match text.split(" "):
        case ["proved", "affine" | "z3" as how]:
            return Verdict("proved", how)
        case ["refuted", "model" | "z3" as how, listed]:
            parts = listed.split(",") if names else []
            if len(parts) != names or (not names and listed):
                return None
            try:
                return Verdict("refuted", how, tuple(map(_value, parts)))
            except ValueError:
                return None
        case _:
            return None


def _value(text: str) -> Value:
    if not text:
        return None
    return TRUTHS[text] if text in TRUTHS else int(text)
