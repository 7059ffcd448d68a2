"""Writing several files so that either all of them are new or none has changed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from usl_core.errors import UslError


def write_all(directory: Path, texts: Mapping[str, str]) -> list[Path]:
    """Writes each text to its file in directory, which is made if it is missing; returns the paths in sorted order.

    Each text goes to a temporary file beside its target first. Only when all are complete are they renamed, and a rename
    that fails takes back those before it.

    Raises:
        UslError: the directory or a file in it cannot be written. No file is new or changed then.
    """
    targets = {directory / name: text for name, text in sorted(texts.items())}
    staged: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        made = _make_directory(directory)
        for target, text in targets.items():
            staged[target] = _stage(target, text)
        _rename_all(staged)
    except OSError as error:
        _discard(staged, made)
        raise UslError(
            f"cannot write to {directory}: {error.strerror}: {error.filename2 or error.filename}",
            notes=("hint: choose a writable directory with -o",),
        ) from error
    except BaseException:
        _discard(staged, made)
        raise
    return list(targets)


def _discard(staged: Mapping[Path, Path], folders: Sequence[Path]) -> None:
    """Removes the temporary files, then the folders made for them, unless somebody else has put something there."""
    for temporary in staged.values():
        temporary.unlink(missing_ok=True)
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _make_directory(directory: Path) -> list[Path]:
    """Makes directory and its missing parents; returns those made, the outermost first."""
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _stage(target: Path, text: str) -> Path:
    """A complete temporary file beside target, with the permissions that a new file of this user gets."""
    if target.is_dir():
        raise IsADirectoryError(21, "is a directory", str(target))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(0o666 & ~_umask())
    except BaseException:  # an interrupt included: no partial files
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _rename_all(staged: Mapping[Path, Path]) -> None:
    before: dict[Path, bytes | None] = {}
    try:
        for target, temporary in staged.items():
            before[target] = target.read_bytes() if target.exists() else None
            temporary.replace(target)
    except OSError:
        for target, content in before.items():
            _restore(target, content, replaced=not staged[target].exists())
        raise


def _restore(target: Path, content: bytes | None, *, replaced: bool) -> None:
    if not replaced:
        return
    if content is None:
        target.unlink()
    else:
        target.write_bytes(content)
