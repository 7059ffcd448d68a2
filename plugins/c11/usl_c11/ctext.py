"""C expressions as text with their precedence, so that only the parentheses that are needed are written."""

from __future__ import annotations

from dataclasses import dataclass

COMMA, TERNARY, OR, AND, BITOR, BITXOR, BITAND, EQUALITY, RELATIONAL, SHIFT, ADDITIVE, MULTIPLICATIVE, UNARY, PRIMARY = range(
    14
)
"""C11 (N1570) §6.5, from the loosest to the tightest."""

BINARY = {
    "+": ADDITIVE,
    "-": ADDITIVE,
    "*": MULTIPLICATIVE,
    "/": MULTIPLICATIVE,
    "%": MULTIPLICATIVE,
    "<": RELATIONAL,
    "<=": RELATIONAL,
    ">": RELATIONAL,
    ">=": RELATIONAL,
    "==": EQUALITY,
    "!=": EQUALITY,
    "<<": SHIFT,
    ">>": SHIFT,
    "&": BITAND,
    "^": BITXOR,
    "|": BITOR,
    "&&": AND,
    "||": OR,
}


@dataclass(frozen=True, slots=True)
class C:
    """C text of an expression and the precedence of its outermost operator."""

    text: str
    prec: int = PRIMARY

    def __str__(self) -> str:
        return self.text

    def at(self, prec: int) -> str:
        """The text, in parentheses unless it binds at least as tightly as prec."""
        return self.text if self.prec >= prec else f"({self.text})"


def binary(op: str, lhs: C, rhs: C) -> C:
    """`lhs op rhs`. Comparisons, operations on bits and mixed `&&`/`||` get the parentheses that compilers ask for."""
    prec = BINARY[op]
    if prec == SHIFT or BITOR <= prec <= BITAND:
        left = lhs.at(UNARY) if prec == SHIFT or lhs.prec != prec else lhs.text
        return C(f"{left} {op} {rhs.at(UNARY)}", prec)
    if prec in (EQUALITY, RELATIONAL):
        return C(f"{lhs.at(ADDITIVE)} {op} {rhs.at(ADDITIVE)}", prec)
    if prec == OR:
        return C(f"{_or_operand(lhs)} || {_or_operand(rhs)}", OR)
    return C(f"{lhs.at(prec)} {op} {rhs.at(prec + 1)}", prec)


def _or_operand(operand: C) -> str:
    return f"({operand.text})" if operand.prec == AND else operand.at(OR)


def cast(ctype: str, operand: C) -> C:
    """`(ctype)operand`."""
    return C(f"({ctype}){operand.at(UNARY)}", UNARY)


def unary(op: str, operand: C) -> C:
    """`-x`, `!x`, `&x`, `*x`; `-(-x)` keeps its parentheses, since `--` is another operator."""
    text = operand.at(UNARY)
    return C(f"{op}({operand.text})" if text.startswith(op) else f"{op}{text}", UNARY)


def call(function: str, *args: C | str) -> C:
    """`function(args)`."""
    return C(f"{function}({', '.join(map(str, args))})")
