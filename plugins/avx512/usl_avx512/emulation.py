"""AVX-512 through SIMDe, for testing instructions on a processor that lacks it.

`simde/immintrin.h` takes the place of the compiler's header and adds what SIMDe 0.7 does not have.
"""

from __future__ import annotations

import subprocess
import zlib
from pathlib import Path

from usl_c11.compiler import find_compiler
from usl_core import probe
from usl_core.errors import JitError
from usl_core.plugins.hookspecs import Emulation

SHIM = Path(__file__).parent / "simde"
FEATURES = ("avx", "avx2", "fma", "avx512f", "avx512bw", "avx512vl", "avx512vnni", "avx512bf16")

_VERSION = zlib.crc32(b"".join(path.read_bytes() for path in sorted(SHIM.glob("*.h"))))
"""Compiled code is kept by its flags, so they change with the headers."""

FLAGS = (
    *(f"-mno-{feature}" for feature in reversed(FEATURES)),
    *(f"-D__{feature.upper()}__" for feature in FEATURES),
    "-DSIMDE_ENABLE_NATIVE_ALIASES",
    "-DSIMDE_NO_NATIVE",
    f"-I{SHIM}",
    f"-DUSL_AVX512_SHIM={_VERSION:#x}",
    "-w",
)
"""Generated files test the features' macros; the compiler itself must not use what they stand for."""


def simde() -> Emulation | None:
    """The emulation, if the C compiler finds SIMDe's headers."""
    if probe.hidden("simde"):
        return None
    try:
        command = [*find_compiler().command, "-fsyntax-only", *FLAGS, "-x", "c", "-"]
    except JitError:
        return None
    done = subprocess.run(command, input="#include <immintrin.h>\n", capture_output=True, text=True, check=False)
    return Emulation(frozenset(FEATURES), FLAGS) if done.returncode == 0 else None
