"""Connects the layers: methods of `Procedure` whose work lies in later layers find it here, loaded when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from usl_core import pickling, progress, tracebacks
from usl_core.arguments import check_all
from usl_core.deep import deeply
from usl_core.expansion import expand, fragment
from usl_core.frontend import build, parser
from usl_core.ir.config import Config
from usl_core.procedure import LATER, Procedure, config, from_ir, instr, proc, proc_from_source
from usl_core.store.calls import check_once


def _partial_eval(p: Procedure, *args: Any, **values: int | bool) -> Procedure:
    from usl_core.primitives.procs.partial_eval import partial_eval

    return partial_eval(p, *args, **values)


def _add_assertion(p: Procedure, assertion: str, configs: Sequence[Config] = ()) -> Procedure:
    from usl_core.primitives.procs.add_assertion import add_assertion

    return add_assertion(p, assertion, configs)


def _transpose(p: Procedure, arg: Any) -> Procedure:
    from usl_core.primitives.procs.transpose import transpose

    return transpose(p, arg)


@deeply
def _c_code(p: Procedure, **options: Any) -> str:
    from usl_core.plugins.manager import backend

    files = backend().emit([p.ir], p.ir.name, **options)
    return files[f"{p.ir.name}.c"]


@deeply
def _jit(p: Procedure, *, backend: str = "c11", **options: Any) -> Callable[..., Any]:
    from usl_core.plugins.manager import backend as named

    return named(backend).jit(p.ir, **options)


def _as_html(p: Procedure) -> str:
    from usl_core.display import as_html

    return as_html(p)


def _as_bundle(p: Procedure, include: Any = None, exclude: Any = None) -> Mapping[str, str]:
    from usl_core.display import as_bundle

    return as_bundle(p, include, exclude)


LATER.partial_eval = _partial_eval
LATER.add_assertion = _add_assertion
LATER.transpose = _transpose
LATER.c_code = _c_code
LATER.jit = _jit
LATER.check_once = check_once
build.set_finish(from_ir)
parser.LATER.expand = expand
setattr(Procedure, "_repr_html_", _as_html)  # noqa: B010  notebooks look for these two
setattr(Procedure, "_repr_mimebundle_", _as_bundle)  # noqa: B010
pickling.install()
progress.install()
tracebacks.install()
for owner in (build, build.ProcBuilder):
    made_there = [name for name, each in vars(owner).items() if getattr(each, "__module__", "") == build.__name__]
    check_all(owner, [name for name in made_there if not name.startswith("_") or name == "__init__"])

__all__ = ["Procedure", "build", "config", "fragment", "instr", "proc", "proc_from_source"]
