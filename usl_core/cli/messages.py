"""What a command says of an exception that ends it."""

from __future__ import annotations

from usl_core.errors import UslError


def message(error: BaseException) -> str:
    """The text on the standard error stream."""
    return str(error) if isinstance(error, UslError) else f"usl: {as_error(error)}"


def as_error(error: BaseException) -> UslError:
    """Any exception as one of the language's: what the system says, and bugs in this package."""
    match error:
        case UslError():
            return error
        case KeyboardInterrupt():
            return UslError("interrupted")
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            return UslError(f"{place}{error.strerror or error}")
        case _:
            hint = "hint: `usl --debug ...` shows where; please report it"
            return UslError(f"internal error: {type(error).__name__}: {error}", notes=(hint,), code="E001")
