"""Cursors: places in a procedure, how edits move them, and finding them by pattern. The classes of cursors are public here."""

from usl_core.cursors.cursor import BlockCursor, Cursor, ExprCursor, GapCursor, InvalidCursor, NodeCursor, StmtCursor
from usl_core.cursors.display import head_line
from usl_core.cursors.kinds import (
    AllocCursor,
    ArgCursor,
    AssignConfigCursor,
    AssignCursor,
    BinaryOpCursor,
    CallCursor,
    CastCursor,
    CheckCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    PassCursor,
    ReadConfigCursor,
    ReadCursor,
    ReduceCursor,
    StrideExprCursor,
    UnaryMinusCursor,
    WindowExprCursor,
    WindowStmtCursor,
)

__all__ = [
    "AllocCursor", "ArgCursor", "AssignConfigCursor", "AssignCursor", "BinaryOpCursor", "BlockCursor", "CallCursor",
    "CastCursor", "CheckCursor", "Cursor", "ExprCursor", "ExternFunctionCursor", "ForCursor", "GapCursor", "IfCursor",
    "InvalidCursor", "LiteralCursor", "NodeCursor", "PassCursor", "ReadConfigCursor", "ReadCursor", "ReduceCursor",
    "StmtCursor", "StrideExprCursor", "UnaryMinusCursor", "WindowExprCursor", "WindowStmtCursor", "head_line",
]  # fmt: skip
