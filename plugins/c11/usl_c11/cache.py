"""Compiled libraries, kept between runs.

An entry is a folder named by a hash of everything that decides its content: the C text, the compiler's version, the
flags. It is made in a folder of its own and renamed into place, so that processes may race for it, or be killed, at any time:
a reader sees a complete entry or none. Each holds a digest of its library; a damaged entry is set aside and built again.
`notes/` remembers which entry what came before the C text led to (`remembered`), or the text without a compiler (`noted`).
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import re
import shlex
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from usl_c11.compiler import Compiler, compile_library
from usl_core.cache_folder import cache_folder
from usl_core.errors import JitError
from usl_core.progress import doing

FORMAT = "2"
"""Part of every key; changed when entries of older versions must not be used."""

LIBRARY, DIGEST, COMMAND, NOTES = "library.so", "digest", "command", "notes"
_NAME = re.compile(r"[0-9a-f]{40}")
STALE_SECONDS = 24 * 3600
"""Unfinished work of killed processes is removed when it is older than this."""


def cache_dir() -> Path:
    """Where libraries are kept."""
    return cache_folder() / "c11"


def compiled(files: Mapping[str, str], compiler: Compiler, flags: Sequence[str], others: str = "") -> Path:
    """The shared library of files (one `.c` with its headers), compiled now or earlier.

    others changes with the files elsewhere that flags name.

    Where the cache cannot be written (read-only, full), a folder of this process takes its place, with one warning.

    Raises:
        JitError: the compiler refuses the text, or nothing can be written at all.
    """
    root, key = cache_dir(), _key(files, compiler, flags, others)
    if _is_valid(root / key):
        return root / key / LIBRARY
    try:
        return _made(root, key, files, compiler, flags)
    except OSError as error:
        reason = f"cannot write the build cache {root}: {error.strerror or error}"
    try:
        own = _folder_of_process(reason)
        return own / key / LIBRARY if _is_valid(own / key) else _made(own, key, files, compiler, flags)
    except OSError as error:
        notes = (f"nor {tempfile.gettempdir()}: {error.strerror or error}", "set USL_CACHE_DIR to a folder that you may write")
        raise JitError(reason, notes=notes) from None


def _made(root: Path, key: str, files: Mapping[str, str], compiler: Compiler, flags: Sequence[str]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    _remove_stale(root)
    _build(root, root / key, files, compiler, flags)
    return root / key / LIBRARY


@functools.cache
def _folder_of_process(reason: str) -> Path:
    """A folder that goes when this process ends; whoever needs it is warned once."""
    folder = tempfile.mkdtemp(prefix="usl-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    message = (
        f"{reason}; what is compiled lasts as long as this process (hint: set USL_CACHE_DIR to a folder that you may write)"
    )
    warnings.warn(message, RuntimeWarning, stacklevel=2)
    return Path(folder)


def remembered(parts: Sequence[str], make: Callable[[], Path]) -> Path:
    """What make, which ends with `compiled`, built for the same parts before, in any process; else what it builds now.

    parts decide what make builds: all of its sources, the compiler, what of the machine it looks at. A note in the cache says
    which entry they led to; one that cannot be read, or whose entry is gone or damaged, is ignored and written again.
    """
    found = noted(parts)
    if found is None:
        found = make()
        note(parts, found)
    return found


def noted(parts: Sequence[str]) -> Path | None:
    """The library that a note says parts led to, if it is there and whole."""
    root = cache_dir()
    with contextlib.suppress(OSError, ValueError):
        name = (root / NOTES / _hash(parts)).read_text(encoding="ascii")
        if _NAME.fullmatch(name) and _is_valid(root / name):
            return root / name / LIBRARY
    return None


def note(parts: Sequence[str], library: Path) -> None:
    """Writes down that parts led to a library of this cache."""
    root, name = cache_dir(), library.parent.name
    file = root / NOTES / _hash(parts)
    with contextlib.suppress(OSError):  # the library is there; only the next process has to make it again
        if file.is_file() and file.read_bytes() == name.encode():
            return
        work = Path(tempfile.mkdtemp(prefix="tmp-", dir=root))
        try:
            (work / "note").write_text(name, encoding="ascii")
            file.parent.mkdir(exist_ok=True)
            (work / "note").replace(file)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def command_of(library: Path) -> str:
    """The compiler and its flags, as one would type them, that made a library of this cache; empty if that is not known."""
    with contextlib.suppress(OSError, ValueError):
        return (library.parent / COMMAND).read_text(encoding="utf-8")
    return ""


def _key(files: Mapping[str, str], compiler: Compiler, flags: Sequence[str], others: str = "") -> str:
    parts = [*compiler.command, compiler.version, *flags, others]
    return _hash(parts + [text for name in sorted(files) for text in (name, files[name])])


def _hash(parts: Sequence[str]) -> str:
    parts = [FORMAT, *parts]
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
        with doing(f"compiling {source.stem}: {Path(compiler.command[0]).name} {' '.join(flags[:4])} ..."):
            compile_library(compiler, source, work / LIBRARY, flags)
        (work / COMMAND).write_text(shlex.join([*compiler.command, *flags]), encoding="utf-8")
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
