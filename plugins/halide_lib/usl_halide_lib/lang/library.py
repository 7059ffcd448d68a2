"""A pipeline as C: the procedure, and an entry that takes buffers, works out all bounds, and says what is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from usl_core.plugins.manager import backend
from usl_halide_lib.lang.emit import Emitted, Formal
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.images import Buffer, first_of
from usl_halide_lib.lang.linear import Extremum, Lin, Quotient, Unknown, Variable
from usl_halide_lib.lang.nodes import show
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.pipeline import Pipeline
from usl_halide_lib.lang.query import Family
from usl_halide_lib.lang.target import window
from usl_halide_lib.lang.types import I32, Kind, Type

MOST_DIMENSIONS = 8

TAKEN = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false NULL "
    "needed status least most floor_div misses main".split()
)
"""Names that an entry cannot have, nor its parameters."""

COMMON = f"""\
#ifndef USL_HALIDE_BUFFER
#define USL_HALIDE_BUFFER
/* An image: dimension d has the places min ... min + extent - 1, stride elements apart; data is at the least place. */
struct usl_halide_dimension {{
    int64_t min, extent, stride;
}};
struct usl_halide_buffer {{
    void *data;
    struct usl_halide_dimension dim[{MOST_DIMENSIONS}];
}};
/* What a buffer has to hold where it does not: the places min ... min + extent - 1 of a dimension. */
struct usl_halide_needed {{
    const char *buffer;
    int dimension;
    int64_t min, extent;
}};
enum {{
    USL_HALIDE_OK = 0,
    USL_HALIDE_INPUT_TOO_SMALL = 1,  /* needed says what is read */
    USL_HALIDE_OTHER_PLACES = 2,     /* needed says what is computed */
    USL_HALIDE_NOT_DENSE = 3,        /* inputs need stride 1 in dimension 0, outputs no gaps */
    USL_HALIDE_NEGATIVE_EXTENT = 4,  /* of a reduction domain */
    USL_HALIDE_NO_RANGE = 5,         /* a place is no 32-bit integer */
    USL_HALIDE_NULL = 6,
    USL_HALIDE_BOUND = 7,            /* a bound of the schedule does not hold: needed says what is computed */
    USL_HALIDE_KERNEL = 100          /* and more: 100 + the status of the procedure, whose NAME_error tells */
}};
#endif
"""

HELPERS = """\
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
static int misses(struct usl_halide_needed *needed, const char *buffer, int dimension, int64_t min, int64_t extent, int status)
{
    if (needed != NULL)
        *needed = (struct usl_halide_needed){buffer, dimension, min, extent};
    return status;
}
"""


def c_files(pipeline: Pipeline, name: str) -> dict[str, str]:
    """The C files of a pipeline by name: the entry `name` with its header, and the procedure `name_kernel`.

    Raises:
        AlgorithmError: E770, name is no C identifier, or a buffer has more than eight dimensions.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise refuse(f"{name!r} is no C identifier", code="E770")
    compiled = pipeline.compiled()
    kernel = dict(backend().emit([compiled.procedure.ir], f"{name}_kernel"))
    fixed = {
        each: low for image in pipeline.images().values() if isinstance(image, Buffer) for each, low in image.firsts().items()
    }
    entry = _Entry(name, compiled.procedure.name(), compiled.emitted, fixed)
    return {**kernel, f"{name}.h": entry.header(), f"{name}.c": entry.source()}


class _Entry:
    """The text of the entry. dimension 0 is x throughout, as in the language."""

    def __init__(self, name: str, kernel: str, emitted: Emitted, mins: Mapping[str, int]) -> None:
        self.mins = mins
        self.name, self.kernel, self.emitted = name, kernel, emitted
        self.algorithm = emitted.bounds.target.algorithm
        self.outputs = [self.algorithm.func(each) for each in self.algorithm.outputs]
        for each, rank in [(f.name, len(f.args)) for f in self.outputs] + [(n, d) for n, d, _ in self.algorithm.images]:
            if rank > MOST_DIMENSIONS:
                raise refuse(f"{each} has {rank} dimensions, and C entries have {MOST_DIMENSIONS} at most", code="E770")
        self.values: dict[str, str] = {}
        firsts = {first_of(name, dim): (name, dim) for name, rank, _ in self.algorithm.images for dim in range(rank)}
        self.anywhere = {firsts[name] for name, _ in self.algorithm.params if name in firsts}
        self.params = [param for param in self.algorithm.params if param[0] not in firsts]
        inputs = [*(image[0] for image in self.algorithm.images), *(param[0] for param in self.params)]
        for wanted in (name, *self.algorithm.outputs, *inputs):
            if wanted in TAKEN:
                raise refuse(f"{wanted} means something in C; give it another name", code="E770")

    def parameters(self) -> list[str]:
        """The entry's parameters: inputs, parameters, outputs, what is needed."""
        given = [f"const struct usl_halide_buffer *{name}" for name, _, _ in self.algorithm.images]
        given += [f"{c_type(typ)} {name}" for name, typ in self.params]
        given += [
            f"struct usl_halide_buffer *{each}" for func in self.outputs for each in _elements(func.name, len(func.types))
        ]
        return [*given, "struct usl_halide_needed *needed"]

    def header(self) -> str:
        """NAME.h."""
        guard, lines = f"USL_HALIDE_{self.name.upper()}_H", ",\n    ".join(self.parameters())
        return (
            f"/* Generated by usl halide. Do not edit: it is written again whenever its source changes. */\n#ifndef {guard}\n"
            f"#define {guard}\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\n"
            f'extern "C" {{\n#endif\n\n{COMMON}\n'
            f"/* Computes the places of the output buffers; needed may be NULL. The result is one of the constants above. */\n"
            f"int {self.name}(\n    {lines});\nconst char *{self.name}_error(int status);\n\n"
            "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
        )

    def source(self) -> str:
        """NAME.c."""
        body = "\n".join(f"    {line}" for line in self._body())
        parameters = ",\n    ".join(self.parameters())
        return (
            "/* Generated by usl halide. Do not edit: it is written again whenever its source changes. */\n"
            f'#include "{self.name}.h"\n#include "{self.name}_kernel.h"\n\n{self._helpers(body)}\n'
            f"int {self.name}(\n    {parameters})\n{{\n{body}\n}}\n\n"
            f"const char *{self.name}_error(int status)\n{{\n    switch (status) {{\n"
            '    case USL_HALIDE_OK:\n        return "success";\n'
            '    case USL_HALIDE_INPUT_TOO_SMALL:\n        return "an input is too small";\n'
            '    case USL_HALIDE_OTHER_PLACES:\n        return "an output has other places than are computed";\n'
            '    case USL_HALIDE_NOT_DENSE:\n        return "elements are not next to each other";\n'
            '    case USL_HALIDE_NEGATIVE_EXTENT:\n        return "a reduction domain has a negative extent";\n'
            '    case USL_HALIDE_NO_RANGE:\n        return "a place is no 32-bit integer";\n'
            '    case USL_HALIDE_NULL:\n        return "a buffer is NULL";\n'
            '    case USL_HALIDE_BOUND:\n        return "a bound of the schedule does not hold";\n'
            f"    default:\n        return {self.kernel}_error(status - USL_HALIDE_KERNEL);\n    }}\n}}\n"
        )

    def _helpers(self, body: str) -> str:
        chunks = re.split(r"(?m)^(?=static )", HELPERS)
        return "".join(each for each in chunks if each and re.search(rf"\b{_called(each)}\(", body))

    def _body(self) -> Iterator[str]:
        yield from self._places()
        yield from self._domains()
        yield from self._named()
        yield from self._tests()
        yield f"const int status = {self.kernel}({', '.join(map(self._argument, self.emitted.formals))});"
        yield "return status == 0 ? USL_HALIDE_OK : USL_HALIDE_KERNEL + status;"

    def _places(self) -> Iterator[str]:
        """Buffers that are there, and names for windows and extents."""
        buffers = [name for name, _, _ in self.algorithm.images]
        buffers += [each for func in self.outputs for each in _elements(func.name, len(func.types))]
        for each in buffers:
            yield f"if ({each} == NULL || {each}->data == NULL)"
            yield "    return USL_HALIDE_NULL;"
        for name, rank, _ in self.algorithm.images:
            for dim in range(rank):
                place = f"{name}->dim[{dim}]"
                self.values[f"{name}.extent.{dim}"] = f"{place}.extent"
                self.values[first_of(name, dim)] = f"{place}.min" if (name, dim) in self.anywhere else "0"
                if (name, dim) in self.anywhere:
                    yield f"if ({place}.extent < 0 || {place}.min < INT32_MIN || {place}.min > INT32_MAX - {place}.extent)"
                    yield "    return USL_HALIDE_NO_RANGE;"
        for name, typ in self.params:
            if typ == I32:
                self.values[name] = f"(int64_t){name}"
        for func in self.outputs:
            for dim in range(len(func.args)):
                low, length = window(func.name, dim)
                place = f"{func.name}->dim[{dim}]"
                self.values[low.name], self.values[length.name] = f"{place}.min", f"{place}.extent"
                yield f"if ({place}.extent == 0)"
                yield "    return USL_HALIDE_OK;"
                yield f"if ({place}.extent < 0 || {place}.min < INT32_MIN || {place}.min > INT32_MAX - {place}.extent)"
                yield "    return USL_HALIDE_NO_RANGE;"

    def _domains(self) -> Iterator[str]:
        normal = Normal(self.algorithm, self.emitted.bounds.facts, lambda hole: None)
        for func in self.algorithm.funcs:
            for rvar in (each for stage in func.stages for each in stage.rvars):
                extent = normal.form(rvar.extent)
                if extent.is_constant() and extent.constant >= 0:
                    continue
                if any(isinstance(atom, Unknown) for atom, _ in extent.terms):
                    message = f"the extent {show(rvar.extent)} of {rvar.name} is no linear form, which C entries need"
                    raise refuse(message, code="E770")
                yield f"if ({self.number(extent)} < 0)"
                yield "    return USL_HALIDE_NEGATIVE_EXTENT;"

    def _named(self) -> Iterator[str]:
        for each in self.emitted.bounds.named:
            name = re.sub(r"\W", "_", each.name)
            self.values[each.name] = name
            yield f"const int64_t {name} = {self.number(each.value)};"

    def _tests(self) -> Iterator[str]:
        yield from self._limits()
        for func in self.outputs:
            yield from self._output(func.name, len(func.types))
        for name, rank, _ in self.algorithm.images:
            box = self.emitted.bounds.boxes.get(Family("image", name), ())
            for dim, (low, high) in enumerate(box):
                first, last = self.number(low), self.number(high)
                has = f"{name}->dim[{dim}]"
                is_anywhere, fixed = (name, dim) in self.anywhere, self.mins.get(first_of(name, dim), 0)
                other = "" if is_anywhere else f" || {has}.min != {fixed}"
                yield f"if ({first} < 0 || {last} >= {has}.extent{other})"
                place = f"{first} + {has}.min" if is_anywhere else f"{first} + {fixed}" if fixed else first
                count = self.number(high - low + 1)
                yield f'    return misses(needed, "{name}", {dim}, {place}, {count}, USL_HALIDE_INPUT_TOO_SMALL);'
            if rank:
                yield f"if ({name}->dim[0].stride != 1)"
                yield "    return USL_HALIDE_NOT_DENSE;"

    def _limits(self) -> Iterator[str]:
        """What the schedule says of places."""
        bounds = self.emitted.bounds
        for each in self.emitted.limits:
            func, dim = each.directive.func, each.dim
            box = bounds.boxes.get(Family("cpu", func))
            if box is None:
                continue
            low, high = box[dim]
            for kind, form, modulus in each.tests(bounds):
                yield f"if ({self.number(form)} {'< 0' if kind == 'least' else f'% {modulus} != 0'})"
                places = f"{self.number(low)}, {self.number(high - low + 1)}"
                yield f'    return misses(needed, "{func}", {dim}, {places}, USL_HALIDE_BOUND);'

    def _output(self, name: str, elements: int) -> Iterator[str]:
        box = self.emitted.bounds.boxes.get(Family("mem", name), ())
        for each in _elements(name, elements):
            dense = "1"
            for dim, (low, high) in enumerate(box):
                first, count = self.number(low), self.number(high - low + 1)
                has = f"{each}->dim[{dim}]"
                wrong = [
                    f"{has}.{end} != {value}" for end, value in (("min", first), ("extent", count)) if f"{has}.{end}" != value
                ]
                if wrong:
                    yield f"if ({' || '.join(wrong)})"
                    yield f'    return misses(needed, "{each}", {dim}, {first}, {count}, USL_HALIDE_OTHER_PLACES);'
                yield f"if ({has}.stride != {dense})"
                yield "    return USL_HALIDE_NOT_DENSE;"
                dense = f"{has}.extent" if dim == 0 else f"{dense} * {has}.extent"

    def number(self, form: Lin) -> str:
        """A form as a C expression of type int64_t."""
        terms = [f"{c} * {self._atom(atom)}" if c != 1 else self._atom(atom) for atom, c in form.terms]
        if form.constant or not terms:
            terms.append(f"(int64_t){form.constant}" if not terms else str(form.constant))
        return f"({' + '.join(terms)})" if len(terms) > 1 else terms[0]

    def _atom(self, atom: object) -> str:
        match atom:
            case Variable(name=name):
                return self.values[name]
            case Quotient(form=form, divisor=k):
                return f"floor_div({self.number(form)}, {k})"
            case Extremum(is_max=is_max, a=a, b=b):
                return f"{'most' if is_max else 'least'}({self.number(a)}, {self.number(b)})"
            case _:
                raise AssertionError(atom)

    def _argument(self, formal: Formal) -> str:
        of, dim = formal.of, formal.dim
        match formal.kind:
            case "min" | "len":
                return self.values[window(of, dim)[formal.kind == "len"].name]
            case "bound":
                return self.values[of]
            case "extent":
                return self.values[f"{of}.extent.{dim}"]
            case "param" if of not in dict(self.params):
                return self.values[of]
            case "param":
                return f"(int64_t){of}" if dict(self.algorithm.params)[of] == I32 else f"&{of}"
            case "output":
                func = self.algorithm.func(of)
                element = _elements(of, len(func.types))[dim]
                return f"({c_type(func.types[dim])} *){element}->data"
            case _:
                _, rank, typ = next(each for each in self.algorithm.images if each[0] == of)
                data = f"(const {c_type(typ)} *){of}->data"
                if not rank:
                    return data
                strides = ", ".join(f"{of}->dim[{each}].stride" for each in reversed(range(rank)))
                return f"(struct usl_win_{rank}{typ.usl}c){{{data}, {{{strides}}}}}"


def _called(text: str) -> str:
    found = re.match(r"static \w+ (\w+)\(", text)
    assert found
    return found[1]


def _elements(name: str, count: int) -> list[str]:
    return [name, *(f"{name}_{part}" for part in range(1, count))]


def c_type(typ: Type) -> str:
    """The C type of values; truth values are bytes."""
    if typ.is_float:
        return {16: "_Float16", 32: "float", 64: "double"}[typ.bits]
    return "uint8_t" if typ.kind is Kind.BOOL else f"{'u' if typ.kind is Kind.UINT else ''}int{typ.bits}_t"
