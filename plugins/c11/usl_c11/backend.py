"""The backend object: procedures in, C11 files, shared libraries and callables out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from usl_c11.batch import jit_all, missing_features
from usl_c11.build import build, make_variables
from usl_c11.checks import check_exported, check_public
from usl_c11.emit import library
from usl_c11.jit import JitProcedure, jit
from usl_core.errors import JitError
from usl_core.ir.nodes import Proc


class C11:
    """Emits conforming C11; see docs on the generated code for what callers and compilers must know."""

    name = "c11"

    def emit(self, procs: Sequence[Proc], name: str, *, entry_checks: bool = True) -> dict[str, str]:
        """The text of `name.c`, `name.h` and the depfile `name.d`, by file name."""
        irs = [_ir(proc) for proc in procs]
        check_exported(irs)
        check_public(irs)
        return library(irs, name, entry_checks=entry_checks).files

    def make_variables(self, procs: Sequence[Proc], name: str) -> str:
        """The text of `name.mk`: what the files of `emit` are compiled and linked with, as variables for make."""
        return make_variables(library([_ir(proc) for proc in procs], name))

    def build(
        self,
        procs: Sequence[Proc],
        name: str,
        directory: Path,
        *,
        entry_checks: bool = True,
        flags: Sequence[str] = (),
        march: str | None = None,
    ) -> Path:
        """Writes the files into directory and compiles them; the path of the shared library."""
        irs = [_ir(proc) for proc in procs]
        check_exported(irs)
        check_public(irs)
        return build(irs, name, Path(directory), entry_checks=entry_checks, flags=flags, march=march)

    def jit(self, procedure: Any, **options: Any) -> JitProcedure:
        """A callable on NumPy arrays for one procedure; options are those of `usl_c11.jit.jit`."""
        unknown = options.keys() - {"flags", "march"}
        if unknown:
            raise JitError(f"jit has no option {min(unknown)}", notes=("options: flags, march",))
        return jit(_ir(procedure), **options)

    def jit_all(
        self, procs: Sequence[Proc], name: str, *, flags: Sequence[str] = (), emulated: bool = False
    ) -> Mapping[str, JitProcedure]:
        """Callables of several procedures, by name, from one library (`usl_c11.batch`)."""
        return jit_all(procs, name, flags=flags, emulated=emulated)

    def missing_features(self, features: Sequence[str]) -> tuple[str, ...]:
        """The CPU features among these that this processor lacks."""
        return missing_features(features)


def _ir(procedure: Any) -> Proc:
    """The IR of a Procedure; IR itself is taken as it is."""
    ir = procedure if isinstance(procedure, Proc) else procedure.ir
    assert isinstance(ir, Proc)
    return ir
