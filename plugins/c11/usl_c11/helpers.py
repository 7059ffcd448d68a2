"""The small C functions that generated code needs; a file gets those that it uses.

They are `static inline`, defined for every argument, and hold the semantics that C's operators lack: division that floors,
is total and wraps (docs/semantics.md, data values), conversions that saturate, allocation that notices overflow.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from usl_c11.formats import format_in_float, packing, unpacking
from usl_c11.literals import integer_literal
from usl_c11.types import ring, spelling
from usl_core.errors import NOWHERE
from usl_core.ir.types import F32, F64, ScalarType


@dataclass(slots=True)
class Helpers:
    """The helpers used so far, by C name, in order of first use."""

    texts: dict[str, str] = field(default_factory=dict)
    includes: set[str] = field(default_factory=set)

    def _use(self, name: str, text: str) -> str:
        self.texts.setdefault(name, text)
        return name

    # ---- index arithmetic, on int64_t

    def floor_div(self) -> str:
        """`a / b` rounding to minus infinity, b > 0."""
        text = "return a / b - (a % b < 0);"
        return self._use("usl_floor_div", _function("int64_t", "usl_floor_div", "int64_t a, int64_t b", text))

    def floor_mod(self) -> str:
        """The remainder in 0 .. b - 1, b > 0."""
        text = "return a % b < 0 ? a % b + b : a % b;"
        return self._use("usl_floor_mod", _function("int64_t", "usl_floor_mod", "int64_t a, int64_t b", text))

    def index_of(self) -> str:
        """`idx(e, lo, hi)`, lo < hi."""
        text = "return e >= hi ? hi - 1 : e < lo ? lo : e;"
        return self._use("usl_idx", _function("int64_t", "usl_idx", "int64_t e, int64_t lo, int64_t hi", text))

    def index_limit(self) -> str:
        """A number without a sign as an int64_t, the greatest for those beyond it."""
        text = "return e < INT64_MAX ? (int64_t)e : INT64_MAX;"
        return self._use("usl_index_of_u64", _function("int64_t", "usl_index_of_u64", "uint64_t e", text))

    # ---- data

    def divide(self, scalar: ScalarType) -> str:
        """`a / b` on an integer type: floors, x / 0 is 0, MIN / -1 wraps."""
        c, name = spelling(scalar, NOWHERE), f"usl_data_div_{scalar.name}"
        if not scalar.signed:
            return self._use(name, _function(c, name, f"{c} a, {c} b", f"return b == 0 ? 0 : ({c})(a / b);"))
        wrapped = f"({c})(0u - ({ring(scalar)})a)"
        lines = ["if (b == 0)", "    return 0;", "if (b == -1)", f"    return {wrapped};"]
        lines.append(f"return ({c})(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));")
        return self._use(name, _function(c, name, f"{c} a, {c} b", *lines))

    def modulo(self, scalar: ScalarType) -> str:
        """`a % b` on an integer type: the sign of b, x % 0 is 0."""
        c, name = spelling(scalar, NOWHERE), f"usl_data_mod_{scalar.name}"
        if not scalar.signed:
            return self._use(name, _function(c, name, f"{c} a, {c} b", f"return b == 0 ? 0 : ({c})(a % b);"))
        lines = ["if (b == 0 || b == -1)", "    return 0;"]
        lines.append(f"return ({c})(a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b);")
        return self._use(name, _function(c, name, f"{c} a, {c} b", *lines))

    def shift(self, op: str, scalar: ScalarType) -> str:
        """`a << b` or `a >> b` on an integer type, b as a number without a sign: from the width on all bits are gone."""
        c, name, unsigned = (
            spelling(scalar, NOWHERE),
            f"usl_data_{'shl' if op == '<<' else 'shr'}_{scalar.name}",
            f"uint{scalar.bits}_t",
        )
        if op == "<<":
            line = f"return ({unsigned})b < {scalar.bits} ? ({c})(({ring(scalar)})a << b) : 0;"
        else:
            gone = "a < 0 ? -1 : 0" if scalar.signed else "0"
            line = f"return ({unsigned})b < {scalar.bits} ? ({c})(a >> b) : {gone};"
        return self._use(name, _function(c, name, f"{c} a, {c} b", line))

    def bits(self, source: ScalarType) -> str:
        """The bits of a float as an unsigned integer of its width."""
        c, unsigned, name = spelling(source, NOWHERE), f"uint{source.bits}_t", f"usl_bits_{source.name}"
        lines = (f"union {{ {c} value; {unsigned} bits; }} u = {{x}};", "return u.bits;")
        return self._use(name, _function(unsigned, name, f"{c} x", *lines))

    def from_bits(self, scalar: ScalarType) -> str:
        """The float of the bits of an unsigned integer of its width."""
        c, unsigned, name = spelling(scalar, NOWHERE), f"uint{scalar.bits}_t", f"usl_{scalar.name}_from_bits"
        lines = (f"union {{ {unsigned} bits; {c} value; }} u = {{x}};", "return u.value;")
        return self._use(name, _function(c, name, f"{unsigned} x", *lines))

    def unpack(self, scalar: ScalarType) -> str:
        """The name of the C function from the bits of a number that C lacks to float."""
        form, name = format_in_float(scalar, NOWHERE), f"usl_f32_from_{scalar.name}"
        return self._use(name, _function("float", name, f"{spelling(scalar, NOWHERE)} x", *unpacking(scalar, form)))

    def pack(self, scalar: ScalarType, source: ScalarType) -> str:
        """The name of the C function from a number of the type source to the bits of the nearest one that C lacks."""
        form, c = format_in_float(scalar, NOWHERE), spelling(scalar, NOWHERE)
        name, number = f"usl_{scalar.name}_from_{source.name}", spelling(source, NOWHERE)
        if not source.is_int:
            return self._use(name, _function(c, name, f"{number} x", *packing(scalar, form, source)))
        assert source.bits == 64
        # what a double cannot hold is brought to an odd multiple of 4096, so that rounding twice is rounding once
        limit = "INT64_C(9007199254740992)" if source.signed else "UINT64_C(9007199254740992)"
        beyond = f"x > {limit}" + (f" || x < -{limit}" if source.signed else "")
        rest = "(x % 8192 > 0) - (x % 8192 < 0)" if source.signed else "(x % 8192 > 0)"
        odd = f"const {number} odd = {beyond} ? (x / 8192 * 2 + {rest}) * 4096 : x;"
        return self._use(name, _function(c, name, f"{number} x", odd, f"return {self.pack(scalar, F64)}((double)odd);"))

    def fma(self) -> str:
        """a * b + c in double, for factors of at most 26 bits, so rounded (to odd) that rounding again is rounding once."""
        lines = [
            "const double product = a * b, sum = product + c, rest = sum - product;",
            "const double error = (product - (sum - rest)) + (c - rest);",
            "union { double value; uint64_t bits; } u = {sum};",
            "if (error != 0.0 && sum - sum == 0.0 && !(u.bits & 1))",
            "    u.bits += (error > 0.0) == (sum > 0.0) ? 1 : UINT64_MAX;",
            "return u.value;",
        ]
        return self._use("usl_fma_odd", _function("double", "usl_fma_odd", "double a, double b, double c", *lines))

    def minimum(self, scalar: ScalarType | None) -> str:
        """The name of the C function that takes the lesser of two."""
        return self._pick("min", "<", scalar)

    def maximum(self, scalar: ScalarType | None) -> str:
        """The name of the C function that takes the greater of two."""
        return self._pick("max", ">", scalar)

    def _pick(self, what: str, op: str, scalar: ScalarType | None) -> str:
        c, suffix = _typed(scalar)
        name = f"usl_{what}_{suffix}"
        return self._use(name, _function(c, name, f"{c} a, {c} b", f"return a {op} b ? a : b;"))

    def relu(self, scalar: ScalarType) -> str:
        """The name of the C function for `relu`."""
        c, name = spelling(scalar, NOWHERE), f"usl_relu_{scalar.name}"
        return self._use(name, _function(c, name, f"{c} x", "return x > 0 ? x : 0;"))

    def select(self, scalar: ScalarType, condition: ScalarType) -> str:
        """`a < b ? x : y`, a and b of the type condition.

        One is chosen by all bits or none: gcc makes no vectors of conditions of different widths within each other.
        """
        c, k = spelling(scalar, NOWHERE), spelling(condition, NOWHERE)
        name = f"usl_select_{condition.name}_{scalar.name}"
        lines = ["return a < b ? x : y;"]
        if scalar in (F32, F64):
            lines = [
                f"union {{ {c} value; uint{scalar.bits}_t bits; }} u = {{x}}, v = {{y}};",
                f"const uint{scalar.bits}_t all = (uint{scalar.bits}_t)0 - (a < b);",
                "u.bits = (u.bits & all) | (v.bits & ~all);",
                "return u.value;",
            ]
        elif scalar.is_int:
            lines = [f"const {c} all = ({c})-(a < b);", f"return ({c})((x & all) | (y & ~all));"]
        return self._use(name, _function(c, name, f"{k} a, {k} b, {c} x, {c} y", *lines))

    def absolute(self, scalar: ScalarType) -> str:
        """|x| of a signed integer; that of the least value wraps to itself. gcc knows its instructions in these forms alone:
        absolute values of narrow numbers, the greatest of others."""
        c, name = spelling(scalar, NOWHERE), f"usl_abs_{scalar.name}"
        lines = [f"const {c} opposite = ({c})(0u - ({ring(scalar)})x);", "return x > opposite ? x : opposite;"]
        if scalar.bits < 32:
            lines = ["const int32_t wide = x;", "const int32_t found = wide < 0 ? -wide : wide;", f"return ({c})found;"]
        return self._use(name, _function(c, name, f"{c} x", *lines))

    def saturate(self, scalar: ScalarType, source: ScalarType) -> str:
        """Conversion of a float to an integer: truncates, saturates, NaN to 0.

        The limits are powers of two, so every floating type holds them exactly (f16 is widened to float first).
        """
        c, float_type = spelling(scalar, NOWHERE), "double" if source.bits == 64 else "float"
        name = f"usl_{scalar.name}_from_{'f64' if source.bits == 64 else 'f32'}"
        end = "" if source.bits == 64 else "f"
        lo, hi = scalar.int_range()
        if lo == 0 and scalar.bits <= 16:  # two instructions of all lanes, max and min; NaN is not greater than 0
            lines = [
                f"const {float_type} low = x > 0.0{end} ? x : 0.0{end};",
                f"return ({c})(int32_t)(low < {hi}.0{end} ? low : {hi}.0{end});",
            ]
            return self._use(name, _function(c, name, f"{float_type} x", *lines))
        lines = [  # no branch either; x is below the first limit unless it is NaN, which becomes 0
            f"const {float_type} below = x < {hi + 1}.0{end} ? x : 0.0{end};",
            f"const {float_type} held = below > {lo}.0{end} ? below : {lo}.0{end};",
            f"return x >= {hi + 1}.0{end} ? {integer_literal(hi, scalar).text} : ({c})held;",
        ]
        return self._use(name, _function(c, name, f"{float_type} x", *lines))

    def widen(self, source: ScalarType) -> str:
        """A narrow signed integer modulo 2^32. A function, because gcc sees through the cast and warns about the sign
        wherever the result is an operand of unsigned arithmetic."""
        c, name = spelling(source, NOWHERE), f"usl_u32_from_{source.name}"
        return self._use(name, _function("uint32_t", name, f"{c} x", "return (uint32_t)x;"))

    def opaque(self, scalar: ScalarType) -> str:
        """A value as it is. gcc warns where `x | 1`, or the complement it makes of `255 - x`, is compared; not behind this."""
        c, name = spelling(scalar, NOWHERE), f"usl_value_{scalar.name}"
        return self._use(name, _function(c, name, f"{c} x", "return x;"))

    # ---- storage

    def allocate(self) -> str:
        """Storage of an array aligned to a cache line, or NULL; the byte count is computed without overflow."""
        self.includes.add("<stdlib.h>")
        return self._use("usl_alloc", _ALLOC)

    def dense_fits(self) -> str:
        """The name of the C test that a dense buffer fits the address space."""
        return self._use("usl_dense_fits", _DENSE_FITS)

    def footprint(self) -> str:
        """The name of the C function that computes what a view covers."""
        return self._use("usl_footprint", _FOOTPRINT)

    def distinct(self) -> str:
        """The name of the C test that a view's elements are different places."""
        return self._use("usl_distinct", _DISTINCT)

    def disjoint(self) -> str:
        """The name of the C test that two views do not overlap."""
        return self._use("usl_disjoint", _DISJOINT)


def _typed(scalar: ScalarType | None) -> tuple[str, str]:
    return ("int64_t", "index") if scalar is None else (spelling(scalar, NOWHERE), scalar.name)


def _function(result: str, name: str, formals: str, *body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body)
    return f"static inline {result} {name}({formals})\n{{\n{lines}\n}}\n"


_ALLOC = """\
static inline void *usl_alloc(size_t size, int rank, const int64_t *shape)
{
    for (int d = 0; d < rank; d++) {
        if (shape[d] < 1)
            continue;
        if ((uint64_t)shape[d] > (uint64_t)(PTRDIFF_MAX - 64) / size)
            return NULL;
        size *= (size_t)shape[d];
    }
    return aligned_alloc(64, (size + 63) / 64 * 64);
}
"""

_DENSE_FITS = """\
static inline bool usl_dense_fits(size_t size, int rank, const int64_t *shape)
{
    for (int d = 0; d < rank; d++) {
        if (shape[d] < 1 || (uint64_t)shape[d] > (uint64_t)PTRDIFF_MAX / size)
            return false;
        size *= (size_t)shape[d];
    }
    return true;
}
"""

_FOOTPRINT = """\
/* The bytes from the least to the greatest element of a window, with its strides; valid if they fit PTRDIFF_MAX. */
struct usl_footprint {
    uintptr_t first; /* address of the least element */
    uint64_t bytes;  /* distance to the end of the greatest */
    bool valid;
    size_t size; /* of an element */
    int rank;
    const int64_t *shape;
    const ptrdiff_t *strides;
};

static inline struct usl_footprint usl_footprint(const void *data, size_t size, int rank, const int64_t *shape,
                                                 const ptrdiff_t *strides)
{
    struct usl_footprint f = {(uintptr_t)data, size, false, size, rank, shape, strides};
    for (int d = 0; d < rank; d++) {
        if (shape[d] < 1)
            return f;
        const uint64_t steps = (uint64_t)shape[d] - 1;
        const uint64_t stride = strides[d] < 0 ? 0u - (uint64_t)strides[d] : (uint64_t)strides[d];
        const uint64_t room = ((uint64_t)PTRDIFF_MAX - f.bytes) / size;
        if (steps != 0 && stride > room / steps)
            return f;
        f.bytes += steps * stride * size;
        if (strides[d] < 0)
            f.first -= (uintptr_t)(steps * stride * size);
    }
    f.valid = true;
    return f;
}
"""

_DISTINCT = """\
/* Whether the elements of a valid window lie in different places: each stride steps over all that smaller ones reach. */
static inline bool usl_distinct(struct usl_footprint f)
{
    for (int d = 0; d < f.rank; d++) {
        const uint64_t stride = f.strides[d] < 0 ? 0u - (uint64_t)f.strides[d] : (uint64_t)f.strides[d];
        uint64_t reach = 0;
        for (int e = 0; e < f.rank; e++) {
            const uint64_t other = f.strides[e] < 0 ? 0u - (uint64_t)f.strides[e] : (uint64_t)f.strides[e];
            if (e != d && f.shape[e] > 1 && (other < stride || (other == stride && e < d)))
                reach += other * ((uint64_t)f.shape[e] - 1);
        }
        if (f.shape[d] > 1 && stride <= reach)
            return false;
    }
    return true;
}
"""

_DISJOINT = """\
/* Bytes that the dimensions not aligned with a period cover. */
static inline uint64_t usl_residue(struct usl_footprint f, uint64_t period)
{
    uint64_t bytes = f.size;
    for (int d = 0; d < f.rank; d++) {
        const uint64_t stride = (f.strides[d] < 0 ? 0u - (uint64_t)f.strides[d] : (uint64_t)f.strides[d]) * f.size;
        if (f.shape[d] > 1 && stride % period != 0)
            bytes += stride * ((uint64_t)f.shape[d] - 1);
    }
    return bytes;
}

/* Whether b lies between the rows that a leaves free: apart modulo one of the strides of a. */
static inline bool usl_between_rows(struct usl_footprint a, struct usl_footprint b)
{
    for (int d = 0; d < a.rank; d++) {
        const uint64_t period = (a.strides[d] < 0 ? 0u - (uint64_t)a.strides[d] : (uint64_t)a.strides[d]) * a.size;
        if (a.shape[d] < 2 || period == 0)
            continue;
        const uint64_t distance =
            b.first >= a.first ? (b.first - a.first) % period : (period - (a.first - b.first) % period) % period;
        if (distance >= usl_residue(a, period) && usl_residue(b, period) <= period - distance)
            return true;
    }
    return false;
}

/* Whether two valid footprints provably share no byte. */
static inline bool usl_disjoint(struct usl_footprint a, struct usl_footprint b)
{
    if (a.first < b.first ? b.first - a.first >= a.bytes : a.first - b.first >= b.bytes)
        return true;
    return usl_between_rows(a, b) || usl_between_rows(b, a);
}
"""
