"""A procedure as a callable on NumPy arrays: compiled C, loaded through cffi's ABI mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from usl_c11 import arguments
from usl_c11.build import compile_flags
from usl_c11.cache import compiled
from usl_c11.compiler import find_compiler
from usl_c11.context import Context
from usl_c11.cpu import require_features
from usl_c11.emit import Library, library
from usl_c11.types import control_spelling, spelling
from usl_core.errors import JitError
from usl_core.ir.identity import Identical
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.types import ControlType, ScalarType, TensorType


class JitProcedure(Identical):
    """A compiled procedure. Call it with the formals' values in order, or by name; arrays are changed in place.

    Sizes and indices are ints, data are NumPy arrays of exactly the formal's dtype and shape (windows: with any
    strides); a scalar is an array of one element, or a number if the procedure only reads it. `source` is the C text.

    A procedure with configuration that C may read back takes `configs` by name: a dict from (configuration, field) to a value,
    which gives fields their values at the start and holds all of them afterwards. Without it they start as zero. Each call has
    a context of its own, so that calls may run at the same time.
    """

    __slots__ = ("__name__", "_context", "_convert", "_error", "_ffi", "_function", "_handle", "_proc", "library", "source")

    def __init__(self, proc: Proc, source: str, path: str, lib: Library | None = None) -> None:
        ffi = _cffi().FFI()
        ffi.cdef(_declarations(proc, lib))
        try:
            # never unloaded: the threads of an OpenMP runtime outlive a call, and would run in unmapped code
            handle = ffi.dlopen(path, ffi.RTLD_NOW | getattr(ffi, "RTLD_NODELETE", 0))
        except OSError as error:
            raise JitError(f"cannot load the compiled {proc.name}: {error}") from None
        self._proc, self._ffi, self._handle = proc, ffi, handle
        self._function, self._error = getattr(handle, proc.name), getattr(handle, f"{proc.name}_error")
        self._convert = [(formal, _converter(formal.arg, ffi)) for formal in arguments.formals(proc)]
        self._context = Context(proc.name, lib, ffi) if lib is not None and proc in lib.contexts else None
        self.__name__, self.source, self.library = proc.name, source, path

    def __repr__(self) -> str:
        return f"<compiled {self.__name__} from {self.library}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> None:
        """Runs the procedure.

        Raises:
            JitError: an argument has the wrong type, shape or place, an assertion does not hold, a `check` failed, or there
                was no memory.
        """
        proc = self._proc
        if self._context is not None:
            configs = kwargs.pop("configs", {})
            context = self._context.made(configs)
        given = args if len(args) == len(proc.args) and not kwargs else arguments.bind(proc, args, kwargs)
        sizes = {
            formal.arg.name: arguments.control_value(formal, value)
            for (formal, _), value in zip(self._convert, given, strict=True)
            if arguments.is_control(formal.arg)
        }
        arrays: dict[Arg, Any] = {}
        values = []
        for (formal, to_c), value in zip(self._convert, given, strict=True):
            match formal.arg.type:
                case ControlType():
                    values.append(sizes[formal.arg.name])
                    continue
                case ScalarType() as scalar:
                    array = arguments.scalar_array(formal, scalar, value)
                case TensorType() as typ:
                    array = arguments.tensor_array(formal, typ, value, sizes)
            arrays[formal.arg] = array
            values.append(to_c(array))
        arguments.check_overlap(proc, arrays)
        status = self._function(*values) if self._context is None else self._function(context, *values)
        if self._context is not None:
            self._context.report(context, configs)
        if status != 0:
            raise JitError(f"{proc.name}: {self._ffi.string(self._error(status)).decode()}")


def jit(proc: Proc, *, flags: Sequence[str] = (), march: str | None = None) -> JitProcedure:
    """Compiles proc, or takes it from the cache.

    flags come after the default ones (-O3, -std=c11, -ffp-contract=off, and those of the CPU features that instructions
    name), so they win; march="native" lets the compiler use everything that this machine has.

    Raises:
        BackendError: proc cannot be C. JitError: the compiler is missing or fails, the processor lacks a feature, or the cache
            cannot be written.
    """
    if not isinstance(flags, list | tuple) or not all(isinstance(each, str) and "\0" not in each for each in flags):
        raise JitError(f"flags must be a list of texts, got {flags!r}")
    lib = library([proc], proc.name)
    _cffi()
    arguments.require_dtypes(arguments.formals(proc))
    compiler = find_compiler()
    require_features(lib.features, compiler)
    sources = {name: text for name, text in lib.files.items() if not name.endswith(".d")}
    path = compiled(sources, compiler, compile_flags(lib, compiler, flags, march))
    return JitProcedure(proc, sources[f"{proc.name}.c"], str(path), lib)


def _cffi() -> Any:
    try:
        import cffi
    except ImportError:
        raise JitError("jit needs the package cffi", notes=("pip install cffi numpy",)) from None
    return cffi


def _element(scalar: ScalarType, arg: Arg) -> str:
    """The C type as cffi knows it; f16 goes through as its 16 bits."""
    text = spelling(scalar, arg.span)
    return "uint16_t" if text == "usl_f16" else text


def _declarations(proc: Proc, lib: Library | None = None) -> str:
    """The entry's declaration for cffi. `const` does not matter there, so windows of one type share a struct."""
    structs: dict[str, str] = {}
    context = lib.context.replace("usl_f16", "uint16_t") if lib is not None else ""
    formals = [f"struct {lib.name}_ctx *"] if lib is not None and proc in lib.contexts else []
    for arg in proc.args:
        match arg.type:
            case ControlType() as typ:
                formals.append(control_spelling(typ))
            case TensorType(scalar=scalar, shape=shape, window=True):
                tag = f"window_{len(shape)}{scalar.name}"
                structs[tag] = f"struct {tag} {{ {_element(scalar, arg)} *data; ptrdiff_t strides[{len(shape)}]; }};"
                formals.append(f"struct {tag}")
            case TensorType(scalar=scalar) | (ScalarType() as scalar):
                formals.append(f"{_element(scalar, arg)} *")
    entry = f"int {proc.name}({', '.join(formals) or 'void'});"
    return "\n".join([*structs.values(), context, entry, f"const char *{proc.name}_error(int status);"])


def _converter(arg: Arg, ffi: Any) -> Callable[[Any], Any]:
    """From an array that was checked to what cffi passes."""
    match arg.type:
        case TensorType(scalar=scalar, shape=shape, window=True):
            pointer, struct = ffi.typeof(f"{_element(scalar, arg)} *"), ffi.typeof(f"struct window_{len(shape)}{scalar.name} *")

            def window(array: Any) -> Any:
                strides = [stride // array.itemsize for stride in array.strides]
                return ffi.new(struct, (ffi.cast(pointer, array.__array_interface__["data"][0]), strides))[0]

            return window
        case TensorType(scalar=scalar) | (ScalarType() as scalar):
            flat = ffi.typeof(f"{_element(scalar, arg)} *")
            return lambda array: ffi.cast(flat, array.__array_interface__["data"][0])
        case ControlType():
            return lambda value: value
