"""Texts that are no programs: random programs with mistakes put in, by tokens and by what stands for an expression."""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
from pathlib import Path

from soac_programs import SCOPE, random_program

from usl_soac.decorators import parse_program
from usl_soac.errors import SoacError


def _listed(section: str) -> list[str]:
    """The lines of a section of the file of odd pieces of text."""
    text = (Path(__file__).parent / "soac_odd.txt").read_text(encoding="utf-8")
    return text.split(f"# {section}\n")[1].split("\n# ")[0].strip("\n").split("\n")


ODD = _listed("expressions")
"""What may stand where an expression does."""

STATEMENTS = _listed("statements")
"""What may stand where a statement does."""

TYPES = _listed("types")
"""What may stand where a type does."""


def malformed(seed: int) -> str:
    """A text with one to three mistakes; a few are programs all the same."""
    rng = random.Random(seed)
    text = random_program(seed).text
    for _ in range(rng.choice([1, 1, 2, 3])):
        change = rng.choice([_expression, _expression, _expression, _statement, _type, _tokens, _tokens, _characters])
        text = change(text, rng)
    return text


def refused(text: str) -> SoacError | None:
    """The error for a text, None if it is a program. Anything but a SoacError is a mistake of ours and is raised."""
    try:
        for function in parse_program(text, "<malformed>", SCOPE).values():
            function.sized()
    except SoacError as error:
        return error
    return None


def _replaced(text: str, node: ast.AST, new: str) -> str:
    lines = text.split("\n")
    line: int = node.lineno - 1  # type: ignore[attr-defined]
    end: int = node.end_lineno - 1  # type: ignore[attr-defined]
    before = lines[line].encode()[: node.col_offset].decode()  # type: ignore[attr-defined]
    after = lines[end].encode()[node.end_col_offset :].decode()  # type: ignore[attr-defined]
    return "\n".join([*lines[:line], before + new + after, *lines[end + 1 :]])


def _nodes(text: str, kind: type[ast.AST]) -> list[ast.AST]:
    try:
        return [each for each in ast.walk(ast.parse(text)) if isinstance(each, kind) and hasattr(each, "lineno")]
    except (SyntaxError, ValueError):
        return []


def _expression(text: str, rng: random.Random) -> str:
    nodes = _nodes(text, ast.expr)
    if not nodes:
        return text
    new = _known(rng.choice(ODD), text, rng) if rng.random() < 0.7 else ast.unparse(rng.choice(nodes))
    return _replaced(text, rng.choice(nodes), new)


def _known(new: str, text: str, rng: random.Random) -> str:
    """With a variable of the text for x1."""
    names = re.findall(r"\b[xve]\d+\b", text)
    return new.replace("x1", rng.choice(names)) if names else new


def _statement(text: str, rng: random.Random) -> str:
    nodes = [each for each in _nodes(text, ast.stmt) if not isinstance(each, ast.FunctionDef)]
    if not nodes:
        return text
    chosen = rng.choice(nodes)
    indent = " " * chosen.col_offset  # type: ignore[attr-defined]
    new = _known(rng.choice(STATEMENTS), text, rng).replace("\\n    ", "\n" + indent)
    return _replaced(text, chosen, new if rng.random() < 0.5 else f"{new}\n{indent}{ast.unparse(chosen).splitlines()[0]}")


def _type(text: str, rng: random.Random) -> str:
    places = [
        each
        for node in _nodes(text, ast.FunctionDef)
        for each in (*(arg.annotation for arg in node.args.args), node.returns)  # type: ignore[attr-defined]
        if each is not None
    ]
    return _replaced(text, rng.choice(places), rng.choice(TYPES)) if places else text


def _tokens(text: str, rng: random.Random) -> str:
    """A token less, twice, or in the place of another one."""
    try:
        tokens = [each for each in tokenize.generate_tokens(io.StringIO(text).readline) if each.string.strip()]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return text
    if len(tokens) < 2:
        return text
    chosen = rng.choice(tokens)
    new = rng.choice(["", chosen.string * 2, rng.choice(tokens).string, rng.choice(tokens).string])
    lines = text.split("\n")
    line = lines[chosen.start[0] - 1]
    if chosen.start[0] != chosen.end[0]:
        return text
    lines[chosen.start[0] - 1] = line[: chosen.start[1]] + new + line[chosen.end[1] :]
    return "\n".join(lines)


def _characters(text: str, rng: random.Random) -> str:
    """Some characters less, or others in their place."""
    at = rng.randrange(len(text))
    new = "".join(rng.choice("()[]:,.=+-*/%&|<>\n\t \\'\"#@é\0abx019_") for _ in range(rng.randrange(3)))
    return text[:at] + new + text[at + rng.randrange(3) :]
