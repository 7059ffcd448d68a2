"""`BoundaryConditions`: what an input is beyond its edges, as funcs that read it at other places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_halide_lib.lang.api import Func
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import Expr, as_node
from usl_halide_lib.lang.functions import abs, cast, clamp, i32, likely, max, select
from usl_halide_lib.lang.images import Image
from usl_halide_lib.lang.syntax import Func as AnyFunc
from usl_halide_lib.lang.types import Type
from usl_halide_lib.lang.variables import Var, fresh

Place = Callable[[Expr, Expr, Expr], Expr]


class BoundaryConditions:
    """Each takes an image, or a func and its bounds [(min, extent), ...], x first, and gives a func that is defined everywhere.

    A pair (None, None), or a missing one at the end, leaves a dimension as it is.
    """

    @staticmethod
    def repeat_edge(source: Any, bounds: Any = None) -> Func:
        """The nearest element."""
        return _at_places("repeat_edge", source, bounds, _clamped)

    @staticmethod
    def repeat_image(source: Any, bounds: Any = None) -> Func:
        """Copies of the image, edge to edge."""
        return _at_places("repeat_image", source, bounds, _repeated)

    @staticmethod
    def mirror_image(source: Any, bounds: Any = None) -> Func:
        """Copies of the image, each a mirror image of its neighbours: the edge stands twice."""
        return _at_places("mirror_image", source, bounds, _mirrored)

    @staticmethod
    def mirror_interior(source: Any, bounds: Any = None) -> Func:
        """The same, but the edge stands once."""
        return _at_places("mirror_interior", source, bounds, _mirrored_inside)

    @staticmethod
    def constant_exterior(source: Any, value: Any, bounds: Any = None) -> Func:
        """The same value everywhere beyond."""
        read, sizes, typ = _source(source, bounds)
        func, places = Func(fresh("constant_exterior")), [Var(fresh("v")) for _ in sizes]
        outside: Any = None
        inside = []
        for place, (low, extent) in zip(places, sizes, strict=True):
            if extent is None:
                inside.append(Expr(place))
                continue
            beyond = (place < low) | (place >= _plus(extent, low))
            outside = beyond if outside is None else outside | beyond
            inside.append(_clamped(Expr(place), low, extent))
        value = Expr(value) if isinstance(value, Expr) else cast(typ, value)
        if as_node(value).type != typ:
            raise refuse(f"constant_exterior: the value is {as_node(value).type}, and the image has {typ}: cast it")
        func[tuple(places)] = read(inside) if outside is None else select(outside, value, likely(read(inside)))
        return func


def _at_places(kind: str, source: Any, bounds: Any, change: Place) -> Func:
    read, sizes, _ = _source(source, bounds)
    func, places = Func(fresh(kind)), [Var(fresh("v")) for _ in sizes]
    index = [
        Expr(place) if extent is None else change(Expr(place), low, extent)
        for place, (low, extent) in zip(places, sizes, strict=True)
    ]
    func[tuple(places)] = read(index)
    return func


def _source(source: Any, bounds: Any) -> tuple[Callable[[list[Expr]], Any], list[tuple[Any, Any]], Type]:
    """How a source is read, its bounds (None is no bound), its type."""
    if not isinstance(source, Image | AnyFunc):
        raise refuse(f"a boundary condition is given an image or a func, not {source!r}")
    if bounds is None:
        if not isinstance(source, Image):
            raise refuse(f"{source.name()} is a func, whose bounds have to be given: [(min, extent), ...]")
        bounds = [(source.dim(i).min(), source.dim(i).extent()) for i in range(source.dimensions())]
    pairs = [tuple(each) for each in bounds]
    if len(pairs) > source.dimensions() or not all(len(each) == 2 for each in pairs):
        raise refuse(f"{source.name()} has {source.dimensions()} dimensions; give a pair (min, extent) for each")
    pairs += [(None, None)] * (source.dimensions() - len(pairs))
    sizes = [(None, None) if extent is None else (i32(low), i32(extent)) for low, extent in pairs]
    return (lambda index: source[tuple(index)]), sizes, source.type()


def _from(place: Expr, low: Expr) -> Expr:
    """place - low."""
    return place if str(low) == "0" else place - low


def _clamped(place: Expr, low: Expr, extent: Expr) -> Expr:
    """The nearest place of the image."""
    return clamp(place, low, extent - 1 if str(low) == "0" else low + extent - 1)


def _plus(place: Expr, low: Expr) -> Expr:
    return place if str(low) == "0" else place + low


def _repeated(place: Expr, low: Expr, extent: Expr) -> Expr:
    return _clamped(_plus(_from(place, low) % extent, low), low, extent)


def _mirrored(place: Expr, low: Expr, extent: Expr) -> Expr:
    at = _from(place, low) % max(extent * 2, 1)
    return _clamped(_plus(select(at >= extent, extent * 2 - 1 - at, at), low), low, extent)


def _mirrored_inside(place: Expr, low: Expr, extent: Expr) -> Expr:
    last = extent - 1
    at = _from(place, low) % max(last * 2, 1)
    return _clamped(_plus(last - i32(abs(at - last)), low), low, extent)
