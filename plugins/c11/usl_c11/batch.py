"""Several procedures as callables of one compiled library: one run of the compiler instead of one each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from usl_c11.build import build_in_cache
from usl_c11.compiler import find_compiler
from usl_c11.cpu import has_feature
from usl_c11.emit import library
from usl_c11.jit import JitProcedure
from usl_c11.trampoline import with_trampolines
from usl_core.ir.nodes import Proc


def jit_all(
    procs: Sequence[Proc], name: str, *, flags: Sequence[str] = (), emulated: bool = False
) -> Mapping[str, JitProcedure]:
    """Compiles procs into one library called name, or takes it from the cache; the callables by procedure name.

    bf16 arrays are passed as their bits, in uint16. flags come after the default ones. emulated says that they make the
    compiler emulate the CPU features that the instructions name, so that the processor need not have them.

    Raises:
        BackendError: a procedure cannot be C. JitError: see `usl_c11.jit.jit`.
    """
    lib = library(procs, name)
    path = build_in_cache(lib, with_trampolines(lib, procs), flags, emulated=emulated)
    return {proc.name: JitProcedure(proc, lib.files[f"{name}.c"], str(path), lib) for proc in procs}


def missing_features(features: Sequence[str]) -> tuple[str, ...]:
    """Those of the CPU features, by the compiler's names, that this processor lacks."""
    compiler = find_compiler()
    return tuple(feature for feature in features if not has_feature(feature, compiler))
