"""Where each illegal step is refused. `python -m tests.corpus.places` writes the table `places.txt`: read what changed in it.

A place is `line:column` in the program (which begins with its `def`) or in a callee; `text:line:column` in an argument given as
text; or `schedule`, the line that called the operator.
"""

from __future__ import annotations

from pathlib import Path

from tests.corpus import illegal
from tests.corpus.case import Illegal, apply, cases_in
from usl_core.errors import Span, UslError
from usl_core.procedure import Procedure

TABLE = Path(__file__).with_name("places.txt")


def shown(span: Span | None, before: Procedure, names: dict[str, object]) -> str:
    """The place of a refusal, as the table has it."""
    assert span is not None and span.line > 0, "a refusal without a place"
    texts = [before, *(each for each in names.values() if isinstance(each, Procedure))]
    if span.file in {each.ir.span.file for each in texts} or span.file.startswith("<string"):
        return f"{span.line}:{span.column}"
    if span.file.startswith("<") and span.file.endswith(">"):
        return f"{span.file[1:-1]}:{span.line}:{span.column}"
    assert Path(span.file).parent == Path(illegal.__file__).parent
    return "schedule"


def expected() -> dict[str, str]:
    """The place of each case by operator and name."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines)


def key(case: Illegal) -> str:
    """How the table calls a case."""
    return f"{case.operator}-{case.name}"


def _found(case: Illegal) -> str:
    names = case.program.names()
    before, step = apply(case, names)
    try:
        step()
    except UslError as error:
        return shown(error.span, before, names)
    raise AssertionError(f"accepted: {key(case)}")


if __name__ == "__main__":
    cases: list[Illegal] = cases_in(illegal)
    TABLE.write_text("".join(f"{key(case)} {_found(case)}\n" for case in cases), encoding="utf-8")
