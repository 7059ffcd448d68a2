"""A Bayer mosaic to colours: green along the direction that changes less, red and blue by their differences from green.

A quad of the mosaic is green, red / blue, green. Averages are rounded up, as processors do; sums end at 0 and 65535.
"""

from __future__ import annotations

from usl_core import fragment, proc


@fragment
def average(a, b):
    """Half the sum, rounded up."""
    return u16((u32(a) + u32(b) + 1) / 2)


@fragment
def distance(a, b):
    """The difference without its sign."""
    return max(a, b) - min(a, b)


@fragment
def less(a, b):
    """a - b, or 0."""
    return max(a, b) - b


@fragment
def closer(a, b, c, d):
    """The average of a and b, or of c and d if these are closer to each other."""
    return select(distance(c, d), distance(a, b), average(c, d), average(a, b))


@fragment
def moved(green, colour, reference):
    """green + colour - reference, at least 0 and at most 65535: one of the two differences is 0."""
    return less(u16(min(u32(green) + u32(less(colour, reference)), 65535)), less(reference, colour))


@proc
def demosaic(H: size, W: size, mosaic: [u16][2 * H + 4, 2 * W + 4], colours: [u16][3, 2 * H, 2 * W]):
    assert stride(mosaic, 1) == 1
    assert stride(colours, 2) == 1
    # The four kinds of pixels, with a quad on each side.
    gr: u16[H + 2, W + 2]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            gr[y, x] = mosaic[2 * y, 2 * x]
    r: u16[H + 2, W + 2]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            r[y, x] = mosaic[2 * y, 2 * x + 1]
    b: u16[H + 2, W + 2]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            b[y, x] = mosaic[2 * y + 1, 2 * x]
    gb: u16[H + 2, W + 2]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            gb[y, x] = mosaic[2 * y + 1, 2 * x + 1]
    # Green at red and at blue pixels: row y is of quad y + 1 and of quad y, column x of quad x and of quad x + 1.
    g_r: u16[H + 1, W + 1]
    for y in seq(0, H + 1):
        for x in seq(0, W + 1):
            g_r[y, x] = closer(gr[y + 1, x], gr[y + 1, x + 1], gb[y, x], gb[y + 1, x])
    g_b: u16[H + 1, W + 1]
    for y in seq(0, H + 1):
        for x in seq(0, W + 1):
            g_b[y, x] = closer(gb[y, x], gb[y, x + 1], gr[y, x + 1], gr[y + 1, x + 1])
    # Red and blue at green pixels.
    r_gr: u16[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            r_gr[y, x] = moved(gr[y + 1, x + 1], average(r[y + 1, x], r[y + 1, x + 1]), average(g_r[y, x], g_r[y, x + 1]))
    b_gr: u16[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            b_gr[y, x] = moved(gr[y + 1, x + 1], average(b[y, x + 1], b[y + 1, x + 1]), average(g_b[y, x], g_b[y + 1, x]))
    r_gb: u16[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            r_gb[y, x] = moved(
                gb[y + 1, x + 1], average(r[y + 1, x + 1], r[y + 2, x + 1]), average(g_r[y, x + 1], g_r[y + 1, x + 1])
            )
    b_gb: u16[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            b_gb[y, x] = moved(
                gb[y + 1, x + 1], average(b[y + 1, x + 1], b[y + 1, x + 2]), average(g_b[y + 1, x], g_b[y + 1, x + 1])
            )
    # Red at blue pixels and blue at red ones, along the diagonal that changes less.
    r_b: u16[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            r_b[y, x] = select(
                distance(r[y + 1, x], r[y + 2, x + 1]),
                distance(r[y + 1, x + 1], r[y + 2, x]),
                moved(g_b[y + 1, x], average(r[y + 1, x], r[y + 2, x + 1]), average(g_r[y, x], g_r[y + 1, x + 1])),
                moved(g_b[y + 1, x], average(r[y + 1, x + 1], r[y + 2, x]), average(g_r[y, x + 1], g_r[y + 1, x])),
            )
    b_r: u16[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            b_r[y, x] = select(
                distance(b[y, x + 1], b[y + 1, x + 2]),
                distance(b[y, x + 2], b[y + 1, x + 1]),
                moved(g_r[y, x + 1], average(b[y, x + 1], b[y + 1, x + 2]), average(g_b[y, x], g_b[y + 1, x + 1])),
                moved(g_r[y, x + 1], average(b[y, x + 2], b[y + 1, x + 1]), average(g_b[y, x + 1], g_b[y + 1, x])),
            )
    for y in seq(0, H):
        for x in seq(0, W):
            colours[0, 2 * y, 2 * x] = r_gr[y, x]
            colours[0, 2 * y, 2 * x + 1] = r[y + 1, x + 1]
            colours[0, 2 * y + 1, 2 * x] = r_b[y, x]
            colours[0, 2 * y + 1, 2 * x + 1] = r_gb[y, x]
            colours[1, 2 * y, 2 * x] = gr[y + 1, x + 1]
            colours[1, 2 * y, 2 * x + 1] = g_r[y, x + 1]
            colours[1, 2 * y + 1, 2 * x] = g_b[y + 1, x]
            colours[1, 2 * y + 1, 2 * x + 1] = gb[y + 1, x + 1]
            colours[2, 2 * y, 2 * x] = b_gr[y, x]
            colours[2, 2 * y, 2 * x + 1] = b_r[y, x]
            colours[2, 2 * y + 1, 2 * x] = b[y + 1, x + 1]
            colours[2, 2 * y + 1, 2 * x + 1] = b_gb[y, x]
