"""The functions through which Python calls compiled procedures: one C signature for all of them.

    int usl_call_NAME(const int64_t *controls, void *const *data, const ptrdiff_t *strides)

takes the control arguments, the addresses of the data (first the context's, where the procedure has one: NULL stands for one
that is all zero), and the strides of the windows, counted in elements, each in the order of the formals.
"""

from __future__ import annotations

from collections.abc import Iterable

from usl_c11.emit import Library
from usl_c11.types import control_spelling, window_struct
from usl_core.backend import written_formals
from usl_core.ir.nodes import Proc
from usl_core.ir.types import ControlType, ScalarType, TensorType

PREFIX = "usl_call_"

_TEXT = """
{head};
{head}
{{
    (void)controls, (void)data, (void)strides;
{context}    return {name}({actuals});
}}
"""

_CONTEXT = """\
    static const struct {tag} zero;
    struct {tag} context = zero;
"""


def with_trampolines(lib: Library, procs: Iterable[Proc]) -> dict[str, str]:
    """The `.c` and `.h` of a library, by file name, with the functions that Python calls its exported procedures through."""
    files = {name: text for name, text in lib.files.items() if not name.endswith(".d")}
    files[f"{lib.name}.c"] += "".join(_trampoline(proc, lib) for proc in procs)
    return files


def _trampoline(proc: Proc, lib: Library) -> str:
    head = f"int {PREFIX}{proc.name}(const int64_t *controls, void *const *data, const ptrdiff_t *strides)"
    tag = f"{lib.name}_ctx" if proc in lib.contexts else ""
    context = _CONTEXT.format(tag=tag) if tag else ""
    return _TEXT.format(head=head, name=proc.name, context=context, actuals=", ".join(_actuals(proc, tag)))


def _actuals(proc: Proc, context: str) -> Iterable[str]:
    written = written_formals(proc)
    controls = strides = data = 0
    if context:
        yield "data[0] == NULL ? &context : data[0]"
        data = 1
    for arg in proc.args:
        match arg.type:
            case ControlType() as typ:
                yield f"controls[{controls}]{' != 0' if control_spelling(typ) == 'bool' else ''}"
                controls += 1
            case TensorType(scalar=scalar, shape=shape, window=True):
                tag = window_struct(scalar, len(shape), arg.name not in written)
                steps = ", ".join(f"strides[{strides + dim}]" for dim in range(len(shape)))
                yield f"(struct {tag}){{data[{data}], {{{steps}}}}}"
                strides, data = strides + len(shape), data + 1
            case TensorType() | ScalarType():
                yield f"data[{data}]"
                data += 1
