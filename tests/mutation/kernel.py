"""What counts as a condition of the kernel: which modules hold them, and what code in these may only make an operator refuse.

No mark in the kernel's code says so. Refusals are known by their names (`refuse`, `require...`, `check...`, `raise` of a user's
error, a `Conflict` that is returned); the few conditions of other shapes are listed here by function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = "usl_core"

ENGINE = frozenset(
    {
        *("affine", "bounding", "formula", "linear", "lower", "models", "polynomial", "raise_", "show", "solver"),
        *("equations", "questions"),
    }
)
"""Modules of the analysis that compute and prove. Their tests compare them with brute force and z3; they hold no conditions."""

GUESSES = frozenset({f"primitives.calls.{name}" for name in ("unify", "solving", "rearranging")})
"""A guess of arguments and of steps before the call; `agreement` checks every part of the call again."""

CHECKED = re.compile(r"^_?(refuse|require|check|recheck|verify)(_|$)")
"""Names of functions whose call, as a statement, may only raise."""

ERRORS = frozenset(
    {"BackendError", "BoundsError", "InvalidCursorError", "Mismatch", "SchedulingError", "TypeError_", "Undecided"}
)
"""What a refusal raises. An AssertionError says that the kernel is wrong, which is no condition."""

PROBLEMS = frozenset({"Conflict", "Clash"})
"""Functions that return one of these or None answer "why not"."""

REASONS = frozenset(
    {"exposed_read", "interface_difference", "overlap", "reads_strides", "reads_target", "why_not_exchangeable"}
)
"""Functions that answer "why not" with something else."""

PERMITS: dict[str, bool] = {
    # the answer of a function that lets a rewrite happen
    "conflicting_kinds": False,
    "conflicting": False,
    "_is_idx": False,
    "_is_total": True,
    "fold_into_reduce.is_target": True,
    "_impossible": True,
    "covered": True,
    "follows": True,
    "Region.is_all": True,
    "mentions": False,
    "passed_whole": False,
    "same_location": True,
    "same_meaning": True,
    "Summary.touches_config": False,
    "Outline._safe": True,
    "_reads_the_same": True,
    "_require_strides_as_before.has_stride": False,
    "_unconditional": True,
    "IteratorRanges.holds": True,
    "Values.same_index": True,
    "_callee_reads_strides": False,
    "_is_of": False,
    "_has_parallel": False,
    "_passes_whole": False,
    "_Proved.covers": True,
    "Filling.is_exact": True,
    "Filling.may_stop": False,
    "_misplaces_data": False,
    "_to_place_of": True,
    "_proved": True,
    "Context.holds": True,
    "_holds_dense": True,
    "_is_apart": True,
    "_is_inside": True,
    "_is_needless": True,
    "_is_outdated": False,
    "_is_parallelizable": False,
    "_uses": False,
    "_moves": False,
    "_mentions_held": False,
    "_Same.__eq__": True,
    "Reach.outlives": False,
    "does_nothing": True,
    "has_only_else": True,
    "held": True,
    "holds_already": True,
    "is_idle": True,
    "_may_lack_value": False,
    "_is_certain": True,
    "_Written.certainly": True,
    "_Search.may_see": False,
    "_Search.touched_by": False,
    "_new_places_are_not_needed": True,
    "_is_window": False,
    "_made_of_data": False,
    "_must_copy_in": False,
    "_fits": True,
    "_plain": True,
    "_repeats_are_void": True,
    "_same_head": True,
    **{
        f"_Agreement.{name}": True
        for name in ("alike", "blocks", "equal", "equivalent", "expr", "head", "is_called", "loop", "of_data", "stmt")
    },
}
"""Predicates by function: the value that lets a rewrite happen. `make mutate LIST=1` names those that are not classified."""

NEUTRAL = frozenset(
    {
        "is_partial",  # words a message
        "_Lazy.__contains__",  # the fields that a mapping has
        "has_strides", "_holds_idle",  # what is looked at (again)
        "_divides",  # chooses a form
        "_is_short",  # what takes too long to ask about tells nothing
        "is_of_held",  # which of two sets a fact goes to; a value that a field held at some place has one name for ever
        "_are_namesakes",  # which of two bodies is rewritten
        "_varies",  # whether a dimension is of use; what needs one is proved
        "is_real", "_only_literals", "_same", "_is_stale", "_has_expression", "_is_used",  # choose a form
        "Fields.may_have_changed", "Fields.asserted",  # which of two sets of facts is looked through
        "Event.reads", "Event.modifies", "Access.modifies", "Procedure.is_instr",  # what an access is
    }
)  # fmt: skip
"""Predicates that are no conditions."""

COVERS = frozenset({"covered", "covering", "_guarded", "_Search.stmt", "_Search.loop", "_Search.exact_writes"})
"""Functions that collect what is certainly written: what limits such a set is a condition."""

ALTERNATIVES = frozenset({"precedes", "_same_place.together"})
"""Functions that list the ways in which something may go wrong."""

RECORDS = frozenset({"add", "reads"})
"""Methods that add to the effect of code: what they leave out, nothing would be compared with."""


def kernel_modules() -> list[str]:
    """The modules that hold conditions, without the package's name."""
    base = ROOT / PACKAGE
    found = [*base.glob("analysis/*.py"), *base.glob("primitives/**/*.py"), base / "equivalence.py", base / "procedure.py"]
    names = [".".join(path.relative_to(base).with_suffix("").parts) for path in found]
    engine = {f"analysis.{name}" for name in ENGINE}
    return sorted(n for n in names if not n.endswith("__init__") and n not in engine and n not in GUESSES)


def path_of(module: str) -> Path:
    return ROOT.joinpath(PACKAGE, *module.split(".")).with_suffix(".py")


def called_name(node: ast.AST) -> str:
    """`f` of a call of f, `x.f` or `f[T]`; empty for anything else."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return ""


def raises_refusal(node: ast.stmt) -> bool:
    return isinstance(node, ast.Raise) and (node.exc is None or called_name(node.exc) in ERRORS)


def answers_why_not(function: ast.FunctionDef) -> bool:
    """Whether a function returns None if there is no objection."""
    if function.name in REASONS:
        return True
    match function.returns:
        case ast.BinOp(left=ast.Name(id=name), op=ast.BitOr(), right=ast.Constant(value=None)):
            return name in PROBLEMS
        case _:
            return False


def code_of(call: ast.AST) -> str:
    """The error code that a refusal gives, as far as it stands there."""
    if not isinstance(call, ast.Call):
        return ""
    for keyword in call.keywords:
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    given = [a.value for a in call.args if isinstance(a, ast.Constant) and re.fullmatch(r"E\d{3}", str(a.value))]
    return str(given[-1]) if given else {"require": "E404"}.get(called_name(call), "")


def unclassified() -> Iterator[str]:
    """The predicates of the kernel that are neither in PERMITS nor NEUTRAL."""
    for module in kernel_modules():
        tree = ast.parse(path_of(module).read_text(encoding="utf-8"))
        for function, name in functions(tree):
            returns = function.returns
            if isinstance(returns, ast.Name) and returns.id == "bool" and name not in PERMITS and name not in NEUTRAL:
                yield f"{module}:{name}"


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[ast.FunctionDef, str]]:
    """Every function of a module with its qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            if isinstance(node, ast.FunctionDef):
                yield node, name
            yield from functions(node, f"{name}.")
        else:
            yield from functions(node, prefix)
