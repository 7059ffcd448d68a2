"""Whole products: blocks that fit the caches, and which way small and large sizes go."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from usl_avx512 import kernels_algorithms
from usl_avx512.gemm import bands
from usl_avx512.gemm.panels import ROWS, edge_panel, either, exact_panel, full_panels, narrow_panel
from usl_avx512.gemm.tiles import AHEAD, Kernel, Lanes, scheduled, windowed
from usl_avx512.gemm.turned import in_case_of_any, staged_turned, turn
from usl_c11.memory import Stack
from usl_core import Procedure
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    insert_noop_call,
    parallelize_loop,
    rearrange_dim,
    rename,
    reorder_loops,
    resize_dim,
    set_memory,
    simplify,
    specialize,
    stage_mem,
)
from usl_stdlib import replace_all

HIGH = 3
"""Registers in a row of tiles that are higher than those of most panels."""

NEAR = 256
"""Steps of a sum: as many rows of a panel of B stay in the second-level cache however far apart they are."""

FAR = 128
"""Columns and steps of the sum from which B fills the first-level cache."""

TURNED, TURNED_SHORT = (192, 128), (2048, bands.TERMS)
"""Columns and terms of the copy of a block of a transposed B, in elements of four bytes: a tenth of a second-level cache. Three
panels are wide enough for the high tiles; where sums are short, rows of C are to be long."""

FEW_TERMS, SAME_PLACES = 4, 1024
"""Rows a multiple of so many elements of four bytes apart all go to the same places of a first-level cache, which has room for
about so many of them beside those of C: more of them are copied, as far as sums are short."""

ROWS_AHEAD = 8
"""How many rows before its turn a part of B is asked for."""


@dataclass(frozen=True, slots=True)
class Blocking:
    """How many rows of A (`m`), columns of B (`n`) and steps of the sum (`k`) a block has, in elements of four bytes.

    A block of A, m x k, stays in the second-level cache with the panel of B that it meets; packed panels of B, k x n, stay in
    the third-level cache while blocks of A pass by. With fewer than `many_rows` rows a packed panel is used a few times only:
    two at a time are packed then, and still in the second-level cache when they are used. Products with fewer than `few_rows`
    rows, or half of that where the sum is longer than 2 `k`, twice where A is transposed, a quarter where B is, and those whose
    B is small, run on the matrices as they are: packing costs more than it saves. Small is n + k <= `small`, or
    `small_for_many` with at least `many_rows` rows. Sums of at most `short_sum` terms (`bands.TERMS` or fewer) in at least
    `wide` columns are bound by how fast C comes and goes: they are done in bands.
    """

    m: int = 180
    n: int = 3072
    k: int = 512
    few_rows: int = 65
    many_rows: int = 256
    short_sum: int = bands.TERMS
    wide: int = 192
    small: int = 1088
    small_for_many: int = 520


def gemm_schedule(p: Procedure, lanes: Lanes, blocking: Blocking | None = None, *, parallel: bool = False) -> Procedure:
    """`C += alpha op(A) op(B)` from the plain loops `for i: for j: for k`, where op is nothing or a transposition.

    p is one of `kernels_algorithms.gemm`, `gemm_tn` (A is K x M), `gemm_nt` (B is N x K), `gemm_tt`. The result takes windows,
    whose rows may be any distance apart, and any sizes of at least 1. With parallel, large products run blocks of rows at the
    same time. lanes chooses the precision.
    """
    blocking = blocking or Blocking()
    ways = gemm_ways(p, lanes, blocking, parallel=parallel)
    worth, direct = worth_packing(blocking, lanes, *turned_operands(p)), ways.direct
    if not parallel:
        worth = f"(K > {blocking.short_sum} or N < {least_wide(blocking, lanes)}) and {worth}"
        direct = choice(direct.base, worth_bands(blocking, lanes), ways.bands, direct)
    whole = choice(based(p, lanes), worth, ways.large, direct)
    letter = "s" if lanes.scalar == "f32" else "d"
    return rename(whole.fast, f"{letter}{p.name()}{'_parallel' if parallel else ''}")


def based(p: Procedure, lanes: Lanes) -> Procedure:
    """The plain loops on windows of this precision."""
    return rename(windowed(p, lanes), f"{lanes.scalar}_{p.name()}")


def turned_operands(p: Procedure) -> tuple[bool, bool]:
    """Whether the plain loops read A and B transposed."""
    return "A[k, i]" in str(p), "B[j, k]" in str(p)


@dataclass(frozen=True, slots=True)
class Ways:
    """What a product is made of: the matrices as they are, the same for few terms in each sum and long rows of C that is in a
    cache or is not, packed panels of B in blocks of k, and these in blocks of j."""

    direct: Kernel
    bands: Kernel
    bands_far: Kernel
    panels: Kernel
    large: Kernel


def gemm_ways(p: Procedure, lanes: Lanes, blocking: Blocking, *, parallel: bool = False) -> Ways:
    """What `gemm_schedule` chooses from by `worth_packing`, for C that makes the choice itself."""
    base, (a, b), c = based(p, lanes), turned_operands(p), InC.EITHER if "before: index" in str(p) else InC.SOMETHING
    direct = of_turned_rows(lanes, c) if a else of_rows(lanes, c)
    if b:
        direct = on_turned_b(base, direct, *TURNED, lanes)
    near, far = (of_short_sums(base, lanes, b, in_bands(lanes, a, c, rows)) for rows in (bands.ROWS, bands.ROWS_FAR))
    packed_panels = in_blocks(packed(base, panels(lanes, False, c), lanes, blocking, parallel, a, b), "k", blocking.k)
    block = choice(base, f"N >= {lanes.panel}", packed_panels, direct)
    sizes = (blocking.n, 2 * lanes.panel)
    large = choice(base, f"M >= {blocking.many_rows}", *(in_blocks(block, "j", size) for size in sizes))
    return Ways(direct, near, far, packed_panels, large)


def worth_packing(blocking: Blocking, lanes: Lanes, a: bool, b: bool) -> str:
    """On which M, N and K packing pays, where a and b tell which matrices are transposed."""
    much = f"N + K > {blocking.small} or (N + K > {blocking.small_for_many} and M >= {blocking.many_rows})"
    if a and not b:
        enough = f"M >= {2 * blocking.few_rows - 1}"
    else:
        few = blocking.few_rows // 4 if b else blocking.few_rows  # a transposed B is turned over in any case
        enough = f"(M >= {few} or (M >= {(few + 1) // 2} and K > {2 * blocking.k}))"
    return f"{enough} and N >= {lanes.panel} and ({much})"


def worth_bands(blocking: Blocking, lanes: Lanes) -> str:
    """On which N and K bands of rows of C are fastest, before it is asked whether packing pays."""
    return f"K <= {blocking.short_sum} and N >= {least_wide(blocking, lanes)}"


def least_wide(blocking: Blocking, lanes: Lanes) -> int:
    """Columns from which there are bands."""
    return blocking.wide * lanes.count // 16


class InC(Enum):
    """What is in C before a product: something that is added to, nothing yet, or one of both, by `before == 0`."""

    SOMETHING = ""
    NOTHING = "_first"
    EITHER = "_after"


@cache
def plain_loops(lanes: Lanes, a: bool, c: InC = InC.SOMETHING) -> Procedure:
    """The product in a precision; with a A is transposed."""
    plain = getattr(kernels_algorithms, f"gemm{c.value}{'_tn' if a else ''}")
    return rename(windowed(plain, lanes), f"{lanes.scalar}_{plain.name()}")


@dataclass(frozen=True, slots=True)
class Panels:
    """All rows of some columns: of a panel for near matrices, for a B that comes from memory, for a C that is far, of one with
    higher tiles, and of less than a panel.

    The second is for a C that has something, the third and the fourth are for an A that is not transposed.
    """

    near: Kernel
    ahead: Kernel | None
    far: Kernel | None
    high: Kernel | None
    edge: Kernel


@cache
def panels(lanes: Lanes, a: bool, c: InC) -> Panels:
    """The panels of a precision, with a for a transposed A; always the same ones, so that a library has them once."""
    base = plain_loops(lanes, a, c)
    if c is not InC.EITHER:
        full = full_panels(base, lanes, ahead=c is InC.SOMETHING, far=not a)
        high = None if a else exact_panel(base, HIGH, lanes)
        return Panels(full.near, full.ahead, full.far, high, edge_panel(base, lanes))
    nothing, something = panels(lanes, a, InC.NOTHING), panels(lanes, a, InC.SOMETHING)
    wide, narrow = (base.partial_eval(N=columns) for columns in (lanes.panel, HIGH * lanes.count))
    return Panels(
        either(wide, nothing.near, something.near),
        None,
        either(wide, nothing.far, something.far) if nothing.far and something.far else None,
        either(narrow, nothing.high, something.high) if nothing.high and something.high else None,
        either(base.add_assertion(f"N <= {lanes.panel}"), nothing.edge, something.edge),
    )


@cache
def in_bands(lanes: Lanes, a: bool, c: InC, rows: int) -> Kernel:
    """Bands of so many rows, for products with few terms in each sum, on the matrices as they are; with a A is transposed."""
    if c is InC.EITHER:
        base = plain_loops(lanes, a, c).add_assertion(f"K <= {bands.TERMS}").add_assertion(f"N % {lanes.panel} == 0")
        nothing, something = (
            bands.whole_panels(plain_loops(lanes, a, each), lanes, rows) for each in (InC.NOTHING, InC.SOMETHING)
        )
        whole = either(base, nothing, something)
    else:
        whole = bands.whole_panels(plain_loops(lanes, a, c), lanes, rows)
    return bands.all_columns(plain_loops(lanes, a, c), whole, panels(lanes, a, c).edge, lanes)


def of_short_sums(base: Procedure, lanes: Lanes, b: bool, direct: Kernel) -> Kernel:
    """Bands on copies of blocks of a transposed B, and of one of which too many rows go to the same places of a cache."""
    if b:
        return on_turned_b(base, direct, *TURNED_SHORT, lanes)
    many = f"K > {FEW_TERMS} and M >= {2 * bands.ROWS} and stride(B, 0) % {SAME_PLACES * lanes.count // 16} == 0"
    return choice(direct.base, many, on_copied_b(direct, *TURNED_SHORT, lanes), direct)


def few_columns(lanes: Lanes, a: bool, c: InC) -> list[Procedure]:
    """Products whose C has at most half a register of columns, a whole one, or four of them; with a A is transposed."""
    assert lanes.half is not None
    base, letter = plain_loops(lanes, a, c), "s" if lanes.scalar == "f32" else "d"
    of = {"half": narrow_panel(base, 1, lanes.half), "one": narrow_panel(base, 1, lanes), "four": edge_panel(base, lanes)}
    return [rename(panel.fast, f"{letter}{name}{c.value}_{'tn' if a else 'nn'}") for name, panel in of.items()]


@cache
def of_turned_rows(lanes: Lanes, c: InC = InC.SOMETHING) -> Kernel:
    """Products on the matrices as they are for a transposed A, whose elements are spread over registers from where they are."""
    some = panels(lanes, True, c)
    return unpacked(plain_loops(lanes, True, c), in_near_blocks(some.near), some.edge, lanes.panel)


@cache
def of_rows(lanes: Lanes, c: InC = InC.SOMETHING) -> Kernel:
    """The matrices as they are: panels of tiles of six rows, or of eight where few rows would be left over.

    A long sum runs in blocks of k, so that what tiles share of B is still in the second-level cache for the next one: it is not
    where rows are a multiple of many bytes apart, which all go to the same places of the cache.
    """
    base, some = plain_loops(lanes, False, c), panels(lanes, False, c)
    assert some.high is not None
    wide, high = in_near_blocks(some.near), in_near_blocks(some.high)
    ways = (unpacked(base, panel, some.edge, columns) for panel, columns in ((high, HIGH * lanes.count), (wide, lanes.panel)))
    rows = ROWS[HIGH]
    few_left = f"M >= {rows - 1} and (M % {rows} == 0 or M % {rows} >= {rows - 2})"
    return choice(base, f"{few_left} and K >= {FAR} and N >= {FAR}", *ways)


def from_memory(lanes: Lanes, a: bool) -> Procedure:
    """AHEAD rows of B at a time, all columns of them, so that it comes in the order in which it lies in memory.

    Panel by panel, parts of rows that are far apart come at half the speed or less. With a A is transposed.
    """
    base, some = plain_loops(lanes, a), panels(lanes, a, InC.SOMETHING)
    assert some.ahead is not None
    whole = in_blocks(unpacked(base, some.ahead, some.edge, lanes.panel, "ahead"), "k", AHEAD)
    letter = "s" if lanes.scalar == "f32" else "d"
    return rename(whole.fast, f"{letter}ahead_{'tn' if a else 'nn'}")


def in_near_blocks(panel: Kernel) -> Kernel:
    """Blocks of k for more rows than one tile has."""
    return choice(panel.base, f"K > {NEAR * 3 // 2} and M > {ROWS[HIGH]}", in_blocks(panel, "k", NEAR), panel)


def on_turned_b(base: Procedure, direct: Kernel, columns: int, terms: int, lanes: Lanes) -> Kernel:
    """The small way on copies of blocks of B, of so many columns and terms of four bytes, with rows for columns."""
    columns = columns * lanes.count // 16
    some_columns = base.add_assertion(f"N <= {columns}")
    block = one_turned_block(some_columns.add_assertion(f"K <= {terms}"), direct, columns, terms, lanes)
    return in_blocks(in_blocks(block, "k", terms, some_columns), "j", columns, base)


def one_turned_block(base: Procedure, direct: Kernel, columns: int, terms: int, lanes: Lanes) -> Kernel:
    """At most so many columns and terms."""
    base = rename(base, f"{base.name()}_copied_{columns}")
    rows = base.find_loop("i")
    p = staged_turned(base, rows, "B[0:N, 0:K]", "B_rows", lanes)
    p = room_for_rows(direct.call(p, p.forward(rows)), columns, terms, lanes)
    return Kernel(base, scheduled(simplify(p), direct, turn(lanes.scalar)))


def on_copied_b(direct: Kernel, columns: int, terms: int, lanes: Lanes) -> Kernel:
    """The same on copies of blocks of B, of so many columns of four bytes and at most so many terms, as direct has."""
    columns = columns * lanes.count // 16
    block = rename(direct.base.add_assertion(f"N <= {columns}"), f"{direct.base.name()}_copied_{columns}")
    rows = block.find_loop("i")
    p = stage_mem(block, rows, "B[0:K, 0:N]", "B_rows")
    p = room_for_rows(direct.call(p, p.forward(rows)), columns, terms, lanes)
    return in_blocks(Kernel(block, scheduled(simplify(p), direct)), "j", columns, direct.base)


def room_for_rows(p: Procedure, columns: int, terms: int, lanes: Lanes) -> Procedure:
    """Let a copy of a block of B always have the same size.

    It is on the stack, where main memory has smaller arrays only: what is allocated costs small products a third.
    """
    apart = columns + lanes.count  # no power of two: such rows would all go to the same places of a cache
    p = resize_dim(resize_dim(p, "B_rows", 0, terms, 0), "B_rows", 1, apart, 0)
    return set_memory(p, "B_rows", Stack)


def unpacked(gemm: Procedure, full: Kernel, edge: Kernel, width: int, name: str = "unpacked") -> Kernel:
    """Panels of so many columns on B as it is, where it stays in a cache or each element is used a few times only."""
    base = rename(gemm, f"{gemm.name()}_{name}_{width}")
    p = reorder_loops(base, "i j")
    columns = p.find_loop("j")
    p = divide_loop(p, columns, width, ["jo", "ji"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(columns).next(), f"N % {width}")
    p = reorder_loops(p, p.forward(columns).body()[0])
    p = full.call(p, p.forward(columns).body()[0])
    return Kernel(base, scheduled(simplify(columns_left(p, rest, edge)), full, edge))


def columns_left(p: Procedure, rest: Any, edge: Kernel) -> Procedure:
    """The columns that fill no panel: `for ji in seq(0, N % panel): for i: for k`."""
    p = reorder_loops(p, p.forward(rest))
    return edge.call(p, p.forward(rest).parent())


def packed(base: Procedure, plain: Panels, lanes: Lanes, blocking: Blocking, parallel: bool, a: bool, b: bool) -> Kernel:
    """One block of k: B is copied panel by panel, each row of a panel next to the row before; blocks of A come past.

    a and b tell which matrices are transposed: blocks of such an A, and the columns of such a B that fill no panel, are copied
    too.
    """
    assert plain.far is not None
    base = rename(base.add_assertion(f"N >= {lanes.panel}"), f"{base.name()}_packed")
    p = reorder_loops(base, "i j")
    columns = p.find_loop("j")
    p = divide_loop(p, columns, lanes.panel, ["jo", "ji"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(columns).next(), f"N % {lanes.panel}")
    if b:
        p = staged_turned(p, p.forward(rest), f"B[N / {lanes.panel} * {lanes.panel}:N, 0:K]", "B_edge", lanes)
    p = reorder_loops(p, p.forward(rest))
    rows = p.forward(rest).parent()
    p = rows_in_blocks(p, rows, plain.edge, lanes, blocking, a, False) if a else plain.edge.call(p, rows)
    p = turned_panels(p, p.forward(columns), lanes) if b else pack_panels(p, p.forward(columns), lanes)
    p = reorder_loops(p, p.forward(columns).body()[0])
    p = reorder_loops(p, p.forward(columns))
    p = rows_in_blocks(p, p.forward(columns).parent(), plain.far, lanes, blocking, a, True, parallel)
    return Kernel(base, scheduled(simplify(p), plain.far, plain.edge, *([turn(lanes.scalar)] if a or b else [])))


def rows_in_blocks(
    p: Procedure, rows: Any, panel: Kernel, lanes: Lanes, blocking: Blocking, turned: bool, panels: bool, parallel: bool = False
) -> Procedure:
    """A loop over rows, around panels or around a single one, in blocks; those of a transposed A are copied."""
    p = divide_loop(p, rows, blocking.m, ["io", "ii"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(rows).next(), f"M % {blocking.m}")
    first, last = f"{blocking.m} * io", f"M / {blocking.m} * {blocking.m}"
    for block, window in (
        (p.forward(rows).body()[0], f"{first}:{first} + {blocking.m}"),
        (rest, f"{last}:M"),
    ):
        outermost = p.forward(block)
        if panels:
            p = reorder_loops(p, outermost)
            outermost = p.forward(block).parent()
        if turned:
            p = staged_turned(p, outermost, f"A[0:K, {window}]", "A_block", lanes)
        p = panel.call(p, p.forward(block))
    if parallel:
        p = parallelize_loop(p, p.forward(rows))
    return p


def turned_panels(p: Procedure, panels: Any, lanes: Lanes) -> Procedure:
    """Let the loop over panels work on a copy of a transposed B, in which a panel is contiguous and has columns for rows."""
    width = lanes.panel
    p = stage_mem(p, panels, f"B[0:N / {width} * {width}, 0:K]", "B_panels")
    p = divide_dim(p, "B_panels", 0, width)
    p = rearrange_dim(p, "B_panels", [0, 2, 1])
    rows = p.forward(panels).prev()
    p = divide_loop(p, rows, width, ["jo", "ji"], perfect=True)
    return turn(lanes.scalar).call(p, p.forward(rows).body()[0])


def pack_panels(p: Procedure, panels: Any, lanes: Lanes) -> Procedure:
    """Let the loop over panels work on a copy of B, in which a panel is contiguous.

    B is read row by row, and each part of a row is asked for a few rows before: rows are often so far apart that the processor
    does not foresee them.
    """
    width = lanes.panel
    p = stage_mem(p, panels, f"B[0:K, 0:N / {width} * {width}]", "B_panels")
    p = divide_dim(p, "B_panels", 1, width)
    p = rearrange_dim(p, "B_panels", [1, 0, 2])
    k = p.forward(panels).prev()
    p = divide_loop(p, k.body()[0], width, ["jo", "ji"], perfect=True)
    p = divide_loop(p, p.forward(k).body()[0].body()[0], lanes.count, ["jt", "jl"], perfect=True)
    inner = p.forward(k).body()[0].body()[0]
    i0, jo, jt = (p.forward(k).name(), p.forward(k).body()[0].name(), inner.name())
    start = f"{width} * {jo} + {lanes.count} * {jt}"
    ahead: list[int | str] = [ROWS_AHEAD, f"B[{i0}:{i0} + 1, {start}:{start} + 1]"]
    p = insert_noop_call(p, inner.body()[0].before(), lanes.prefetch_row, ahead)
    return replace_all(p, lanes.instructions)


def in_blocks(inner: Kernel, dimension: str, size: int, base: Procedure | None = None) -> Kernel:
    """Blocks of so many rows of A (`i`), columns of B (`j`) or steps of the sum (`k`), and a last one of what is left.

    base is what is cut into blocks, where that is not inner's.
    """
    base = rename(base or inner.base, f"{inner.base.name()}_{dimension}{size}")
    extent, inward = {"i": ("M", []), "j": ("N", ["i"]), "k": ("K", ["j", "i"])}[dimension]
    p = base
    for other in inward:
        p = reorder_loops(p, f"{other} {dimension}")
    loop = p.find_loop(dimension)
    p = divide_loop(p, loop, size, [f"{dimension}o", f"{dimension}i"], tail="cut")
    p, rest = in_case_of_any(p, p.forward(loop).next(), f"{extent} % {size}")
    for block in (p.forward(loop).body()[0], rest):
        for _ in inward:
            p = reorder_loops(p, p.forward(block))
        outermost = p.forward(block)
        for _ in inward:
            outermost = outermost.parent()
        p = inner.call(p, outermost)
    return Kernel(base, scheduled(simplify(p), inner))


def choice(gemm: Procedure, condition: str, yes: Kernel, no: Kernel) -> Kernel:
    """One way or the other, by a condition on the sizes."""
    base = rename(gemm, f"{gemm.name()}_choice")
    p = specialize(base, base.body(), condition)
    first, second = p.find("for i in _: _", many=True)
    p = yes.call(p, first)
    p = no.call(p, p.forward(second))
    return Kernel(base, scheduled(p, yes, no))
