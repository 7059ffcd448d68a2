"""C identifiers: legal, readable, the same whenever the same procedure is generated again.

A name is chosen from the spelling where it is bound, unique among what is visible there: `i`, then `i_1`, `i_2`, ... Nothing
depends on the numbers of Syms.
"""

from __future__ import annotations

import functools
import re
from importlib.resources import files

_KEYWORDS_TEXT = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof atomic bool complex false imaginary noreturn nullptr static_assert thread_local true typeof constexpr
    and or not xor bitand bitor compl and_eq or_eq xor_eq not_eq class new delete this template try catch throw private
    protected public virtual operator friend namespace using explicit export mutable typename asm main errno linux unix
    NULL EOF INFINITY NAN HUGE_VAL CHAR_BIT FLT_MAX FLT_MIN DBL_MAX DBL_MIN
"""
_KEYWORDS = frozenset(_KEYWORDS_TEXT.split())
"""Keywords of C11, C23 and C++, and macros that the included headers may define."""

_LIBRARY_TEXT = """
    abort abs acos acosh aligned_alloc alloca asin asinh assert at_quick_exit atan atan2 atanh atexit atof atoi atol atoll
    bcmp bcopy bsearch bzero cabs calloc cbrt ceil copysign cos cosh div erf erfc exit exp exp2 expm1 fabs fdim ffs floor
    fma fmax fmin fmod fork fpclassify free frexp gamma getenv hypot ilogb index isfinite isinf isnan isnormal j0 j1 jn labs
    ldexp ldiv lgamma llabs lldiv llrint llround log log10 log1p log2 logb lrint lround malloc mblen mbstowcs mbtowc memchr
    memcmp memcpy memmove memset modf nan nearbyint nextafter nexttoward pow printf puts qsort quick_exit rand random read
    realloc remainder remove remquo rename rindex rint round scalb scalbln scalbn select signal signbit significand sin sinh
    sqrt srand strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn
    strstr strtod strtof strtok strtol strtold strtoll strtoul strtoull strxfrm system tan tanh tgamma time trunc wait
    wcstombs wctomb write y0 y1 yn
"""
_LIBRARY = frozenset(_LIBRARY_TEXT.split())
"""Functions of the C library, in single, double and long double form: naming something so draws warnings, or worse."""


@functools.cache
def _exported_by_the_library() -> frozenset[str]:
    """Functions and objects of the GNU C library, ISO C and POSIX included (`tools/library_names.py`)."""
    return frozenset(files("usl_c11").joinpath("library_names.txt").read_text(encoding="ascii").split())


_OWN = ("usl_", "USL_")
"""Prefixes of the names that this backend makes up."""

_SIZED = re.compile(
    r"u?int(_fast|_least)?(8|16|32|64|ptr|max)_t\Z|(size|ptrdiff|wchar)_t\Z|u?int\d*(_max|_min)\Z", re.IGNORECASE
)


def is_reserved(name: str) -> bool:
    """Whether a C file should not define the name: a keyword, the library's, the implementation's or this backend's."""
    return (
        name in _KEYWORDS
        or name in _LIBRARY
        or (name[:-1] in _LIBRARY and name[-1:] in ("f", "l"))
        or name.startswith(("_", *_OWN))
        or _SIZED.match(name) is not None
    )


def is_of_the_library(name: str) -> bool:
    """Whether all of a program that links a C function of this name would call it in place of the C library's."""
    return name in _exported_by_the_library()


def is_identifier(name: str) -> bool:
    """Whether a name is legal in C."""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def legal(spelling: str) -> str:
    """An identifier of ASCII letters, digits and underscores made from any Python identifier, not reserved."""
    text = "".join(ch if ch.isascii() else f"u{ord(ch):04x}" for ch in spelling)
    text = text.lstrip("_") or "v"
    if text[0].isdigit() or text.startswith(_OWN):
        text = f"v{text}"
    return f"{text}_" if is_reserved(text) else text


def of_function(spelling: str) -> str:
    """An identifier like it that may be the name of a C function: compilers know more functions than headers declare."""
    name = legal(spelling)
    return f"{name}_" if is_of_the_library(name) else name


class Names:
    """Names in use, as nested scopes; a name is free again when its scope has ended."""

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._taken = set(taken)
        self._scopes: list[list[str]] = [[]]
        self._suffixes: dict[str, int] = {}
        """For a base, a number up to which all of `base_1`, `base_2`, ... are taken."""

    def fresh(self, spelling: str) -> str:
        """A legal name like spelling that nothing visible has, now taken in the innermost scope."""
        return self._take(spelling, self._scopes[-1])

    def lasting(self, spelling: str) -> str:
        """One that stays taken to the end of the function, as C wants it of labels."""
        return self._take(spelling, self._scopes[0])

    def _take(self, spelling: str, scope: list[str]) -> str:
        name = base = legal(spelling)
        if name in self._taken:
            count = self._suffixes.get(base, 0)
            while name in self._taken:
                count += 1
                name = f"{base}_{count}"
            self._suffixes[base] = count
        self._taken.add(name)
        scope.append(name)
        return name

    def all(self) -> frozenset[str]:
        """All names that are in use."""
        return frozenset(self._taken)

    def push(self) -> None:
        """A scope begins: names given in it can be given again after it."""
        self._scopes.append([])

    def pop(self) -> None:
        """The innermost scope ends, and its names are free again."""
        for name in self._scopes.pop():
            self._taken.discard(name)
            base, _, suffix = name.rpartition("_")
            if base in self._suffixes and suffix.isdecimal():
                self._suffixes[base] = min(int(suffix) - 1, self._suffixes[base])
