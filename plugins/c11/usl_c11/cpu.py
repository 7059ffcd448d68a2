"""Which features this machine's processor has, so that a missing one is an error with a name and not a crash."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from usl_c11.compiler import Compiler
from usl_core import probe
from usl_core.errors import JitError


def require_features(features: Sequence[str], compiler: Compiler | None) -> None:
    """Raises JitError unless the processor has every feature, given by the compiler's names (`avx512f`).

    Where the system does not list them, the compiler is asked.
    """
    missing = [feature for feature in features if not has_feature(feature, compiler)]
    if missing:
        raise JitError(
            f"this processor lacks {', '.join(missing)}, which the procedure's instructions or memories need",
            notes=("schedule for another target, or run on a machine that has it; c_code() works anywhere",),
        )


def has_feature(feature: str, compiler: Compiler | None) -> bool:
    """Whether the processor, and the system's support of it, has a feature."""
    known = listed_features()
    if known is not None:
        here = probe.plain(feature) in known
    else:
        here = compiler is not None and _probe(feature, compiler) and not probe.hidden(feature)
    if here:
        probe.found.add(feature)
    return here


def listed_features() -> frozenset[str] | None:
    """The features that Linux lists, in plain letters; None on systems without that list."""
    flags = probe.cpu_flags()
    if flags is None:
        return None
    names = {probe.plain(name) for name in flags}
    return frozenset(names | {"sse3"} if "pni" in names else names)  # Linux calls SSE3 by its code name


@functools.lru_cache
def _probe(feature: str, compiler: Compiler) -> bool:
    """Asks the processor by a small program; a feature that the compiler does not know counts as missing."""
    import platform  # seldom needed, and slow to import

    if platform.machine().lower() not in ("x86_64", "amd64", "i686", "x86"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "probe.c"), Path(folder, "probe")
        source.write_text(f'int main(void) {{ return __builtin_cpu_supports("{feature}") ? 0 : 1; }}\n')
        command = [*compiler.command, "-o", str(program), str(source)]
        built = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return built.returncode == 0 and subprocess.run([str(program)], check=False).returncode == 0
