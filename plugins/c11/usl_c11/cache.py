"""Compiled libraries, kept between runs.

An entry is a folder named by a hash of everything that decides its content: the C text, the compiler's version, the
flags. It is made in a folder of its own and renamed into place, so that processes may race for it, or be killed, at any time:
a reader sees a complete entry or none. Each holds a digest of its library; a damaged entry is set aside and built again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from usl_c11.compiler import Compiler, compile_library
from usl_core.errors import JitError

FORMAT = "1"
"""Part of every key; changed when entries of older versions must not be used."""

LIBRARY, DIGEST = "library.so", "digest"
STALE_SECONDS = 24 * 3600
"""Unfinished work of killed processes is removed when it is older than this."""


def cache_dir() -> Path:
    """`USL_CACHE_DIR` if it is set, else the user's cache folder."""
    chosen = os.environ.get("USL_CACHE_DIR")
    if chosen:
        return Path(chosen) / "c11"
    import platformdirs

    return Path(platformdirs.user_cache_dir("usl", appauthor=False)) / "c11"


def compiled(files: Mapping[str, str], compiler: Compiler, flags: Sequence[str]) -> Path:
    """The shared library of files (one `.c` with its headers), compiled now or earlier.

    Raises:
        JitError: the compiler refuses the text, or the cache cannot be written.
    """
    root = cache_dir()
    entry = root / _key(files, compiler, flags)
    if not _is_valid(entry):
        try:
            root.mkdir(parents=True, exist_ok=True)
            _remove_stale(root)
            _build(root, entry, files, compiler, flags)
        except OSError as error:
            raise JitError(
                f"cannot write the build cache {root}: {error.strerror or error}",
                notes=("set USL_CACHE_DIR to a folder that you may write",),
            ) from None
    return entry / LIBRARY


def _key(files: Mapping[str, str], compiler: Compiler, flags: Sequence[str]) -> str:
    parts = [FORMAT, *compiler.command, compiler.version, *flags]
    parts += [text for name in sorted(files) for text in (name, files[name])]
    joined = b"".join(len(part.encode()).to_bytes(8, "little") + part.encode() for part in parts)
    return hashlib.sha256(joined).hexdigest()[:40]


def _is_valid(entry: Path) -> bool:
    try:
        return _digest(entry / LIBRARY) == (entry / DIGEST).read_text()
    except OSError:
        return False


def _digest(library: Path) -> str:
    return hashlib.sha256(library.read_bytes()).hexdigest()


def _build(root: Path, entry: Path, files: Mapping[str, str], compiler: Compiler, flags: Sequence[str]) -> None:
    work = Path(tempfile.mkdtemp(prefix="tmp-", dir=root))
    try:
        for name, text in files.items():
            (work / name).write_text(text)
        source = next(work / name for name in files if name.endswith(".c"))
        compile_library(compiler, source, work / LIBRARY, flags)
        (work / DIGEST).write_text(_digest(work / LIBRARY))
        _publish(work, entry, root)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _publish(work: Path, entry: Path, root: Path) -> None:
    """Renames work to entry. Whoever comes second keeps the first one's entry, unless that is damaged."""
    for _ in range(10):
        try:
            work.rename(entry)
            return
        except OSError:
            if _is_valid(entry):
                return
            if not entry.exists():
                raise
            damaged = Path(tempfile.mkdtemp(prefix="tmp-", dir=root))
            with contextlib.suppress(OSError):  # another process may have set it aside already
                entry.rename(damaged / "entry")
            shutil.rmtree(damaged, ignore_errors=True)
    raise OSError(f"{entry} cannot be replaced")


def _remove_stale(root: Path) -> None:
    limit = time.time() - STALE_SECONDS
    for folder in root.glob("tmp-*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime < limit:
                shutil.rmtree(folder, ignore_errors=True)
