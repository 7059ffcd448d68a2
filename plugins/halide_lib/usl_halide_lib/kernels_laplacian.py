"""A local Laplacian filter with a pyramid of five levels: details are remapped for eight brightnesses, a pixel blends two.

Reference: Paris, Hasinoff and Kautz 2011. Level j of a pyramid begins 2^(5 - j) - 1 places before the image, so that place y of
a level is made of 2 y to 2 y + 3 of the level below. What is collapsed begins one place before the image.
"""

from __future__ import annotations

from usl_core import fragment, proc


@fragment
def down(a, b, c, d):
    """The place between b and c."""
    return 0.125 * (a + d) + 0.375 * (b + c)


@fragment
def up(before, here, after):
    """A place nearer to here than to the two around; of these one is here too."""
    return 0.25 * (before + after) + 0.5 * here


@fragment
def hat(value, level):
    """How much a brightness from 0 to 7 has of one level."""
    return max(1.0 - abs(value - level), 0.0)


@proc
def local_laplacian(H: size, W: size, alpha: f32, beta: f32, inp: [u16][3, H, W], out: [u16][3, H, W]):
    assert stride(inp, 2) == 1
    assert stride(out, 2) == 1
    curve: f32[3585]
    for i in seq(0, 3585):
        curve[i] = alpha * (f32(i - 1792) * 0.00390625) * exp(f32(i - 1792) * f32(i - 1792) * -0.00000762939453125)
    level: f32[8]
    for k in seq(0, 8):
        level[k] = f32(k)
    middle: f32[8]
    for k in seq(0, 8):
        middle[k] = (1.0 - beta) * f32(k) / 7.0
    centre: i32[8]
    for k in seq(0, 8):
        centre[k] = 1792 - 256 * i32(k)

    # The image's own pyramid.
    in0: f32[16 * ((H + 14) / 16) + 62, 16 * ((W + 14) / 16) + 62]
    for y in seq(0, 16 * ((H + 14) / 16) + 62):
        for x in seq(0, 16 * ((W + 14) / 16) + 62):
            in0[y, x] = (
                0.0000045624475 * f32(inp[0, min(max(y - 31, 0), H - 1), min(max(x - 31, 0), W - 1)])
                + 0.0000089570459 * f32(inp[1, min(max(y - 31, 0), H - 1), min(max(x - 31, 0), W - 1)])
                + 0.0000017395284 * f32(inp[2, min(max(y - 31, 0), H - 1), min(max(x - 31, 0), W - 1)])
            )
    iny1: f32[8 * ((H + 14) / 16) + 30, 16 * ((W + 14) / 16) + 62]
    for y in seq(0, 8 * ((H + 14) / 16) + 30):
        for x in seq(0, 16 * ((W + 14) / 16) + 62):
            iny1[y, x] = down(in0[2 * y, x], in0[2 * y + 1, x], in0[2 * y + 2, x], in0[2 * y + 3, x])
    in1: f32[8 * ((H + 14) / 16) + 30, 8 * ((W + 14) / 16) + 30]
    for y in seq(0, 8 * ((H + 14) / 16) + 30):
        for x in seq(0, 8 * ((W + 14) / 16) + 30):
            in1[y, x] = down(iny1[y, 2 * x], iny1[y, 2 * x + 1], iny1[y, 2 * x + 2], iny1[y, 2 * x + 3])
    iny2: f32[4 * ((H + 14) / 16) + 14, 8 * ((W + 14) / 16) + 30]
    for y in seq(0, 4 * ((H + 14) / 16) + 14):
        for x in seq(0, 8 * ((W + 14) / 16) + 30):
            iny2[y, x] = down(in1[2 * y, x], in1[2 * y + 1, x], in1[2 * y + 2, x], in1[2 * y + 3, x])
    in2: f32[4 * ((H + 14) / 16) + 14, 4 * ((W + 14) / 16) + 14]
    for y in seq(0, 4 * ((H + 14) / 16) + 14):
        for x in seq(0, 4 * ((W + 14) / 16) + 14):
            in2[y, x] = down(iny2[y, 2 * x], iny2[y, 2 * x + 1], iny2[y, 2 * x + 2], iny2[y, 2 * x + 3])
    iny3: f32[2 * ((H + 14) / 16) + 6, 4 * ((W + 14) / 16) + 14]
    for y in seq(0, 2 * ((H + 14) / 16) + 6):
        for x in seq(0, 4 * ((W + 14) / 16) + 14):
            iny3[y, x] = down(in2[2 * y, x], in2[2 * y + 1, x], in2[2 * y + 2, x], in2[2 * y + 3, x])
    in3: f32[2 * ((H + 14) / 16) + 6, 2 * ((W + 14) / 16) + 6]
    for y in seq(0, 2 * ((H + 14) / 16) + 6):
        for x in seq(0, 2 * ((W + 14) / 16) + 6):
            in3[y, x] = down(iny3[y, 2 * x], iny3[y, 2 * x + 1], iny3[y, 2 * x + 2], iny3[y, 2 * x + 3])
    iny4: f32[(H + 14) / 16 + 2, 2 * ((W + 14) / 16) + 6]
    for y in seq(0, (H + 14) / 16 + 2):
        for x in seq(0, 2 * ((W + 14) / 16) + 6):
            iny4[y, x] = down(in3[2 * y, x], in3[2 * y + 1, x], in3[2 * y + 2, x], in3[2 * y + 3, x])
    in4: f32[(H + 14) / 16 + 2, (W + 14) / 16 + 2]
    for y in seq(0, (H + 14) / 16 + 2):
        for x in seq(0, (W + 14) / 16 + 2):
            in4[y, x] = down(iny4[y, 2 * x], iny4[y, 2 * x + 1], iny4[y, 2 * x + 2], iny4[y, 2 * x + 3])

    # The pyramids of the remapped images.
    place: i32[16 * ((H + 14) / 16) + 62, 16 * ((W + 14) / 16) + 62]
    for y in seq(0, 16 * ((H + 14) / 16) + 62):
        for x in seq(0, 16 * ((W + 14) / 16) + 62):
            place[y, x] = i32(in0[y, x] * 1792.0)
    g0: f32[8, 16 * ((H + 14) / 16) + 62, 16 * ((W + 14) / 16) + 62]
    for k in seq(0, 8):
        for y in seq(0, 16 * ((H + 14) / 16) + 62):
            for x in seq(0, 16 * ((W + 14) / 16) + 62):
                g0[k, y, x] = beta * in0[y, x] + middle[k] + curve[idx(place[y, x] + centre[k], 0, 3585)]
    gy1: f32[8, 8 * ((H + 14) / 16) + 30, 16 * ((W + 14) / 16) + 62]
    for k in seq(0, 8):
        for y in seq(0, 8 * ((H + 14) / 16) + 30):
            for x in seq(0, 16 * ((W + 14) / 16) + 62):
                gy1[k, y, x] = down(g0[k, 2 * y, x], g0[k, 2 * y + 1, x], g0[k, 2 * y + 2, x], g0[k, 2 * y + 3, x])
    g1: f32[8, 8 * ((H + 14) / 16) + 30, 8 * ((W + 14) / 16) + 30]
    for k in seq(0, 8):
        for y in seq(0, 8 * ((H + 14) / 16) + 30):
            for x in seq(0, 8 * ((W + 14) / 16) + 30):
                g1[k, y, x] = down(gy1[k, y, 2 * x], gy1[k, y, 2 * x + 1], gy1[k, y, 2 * x + 2], gy1[k, y, 2 * x + 3])
    gy2: f32[8, 4 * ((H + 14) / 16) + 14, 8 * ((W + 14) / 16) + 30]
    for k in seq(0, 8):
        for y in seq(0, 4 * ((H + 14) / 16) + 14):
            for x in seq(0, 8 * ((W + 14) / 16) + 30):
                gy2[k, y, x] = down(g1[k, 2 * y, x], g1[k, 2 * y + 1, x], g1[k, 2 * y + 2, x], g1[k, 2 * y + 3, x])
    g2: f32[8, 4 * ((H + 14) / 16) + 14, 4 * ((W + 14) / 16) + 14]
    for k in seq(0, 8):
        for y in seq(0, 4 * ((H + 14) / 16) + 14):
            for x in seq(0, 4 * ((W + 14) / 16) + 14):
                g2[k, y, x] = down(gy2[k, y, 2 * x], gy2[k, y, 2 * x + 1], gy2[k, y, 2 * x + 2], gy2[k, y, 2 * x + 3])
    gy3: f32[8, 2 * ((H + 14) / 16) + 6, 4 * ((W + 14) / 16) + 14]
    for k in seq(0, 8):
        for y in seq(0, 2 * ((H + 14) / 16) + 6):
            for x in seq(0, 4 * ((W + 14) / 16) + 14):
                gy3[k, y, x] = down(g2[k, 2 * y, x], g2[k, 2 * y + 1, x], g2[k, 2 * y + 2, x], g2[k, 2 * y + 3, x])
    g3: f32[8, 2 * ((H + 14) / 16) + 6, 2 * ((W + 14) / 16) + 6]
    for k in seq(0, 8):
        for y in seq(0, 2 * ((H + 14) / 16) + 6):
            for x in seq(0, 2 * ((W + 14) / 16) + 6):
                g3[k, y, x] = down(gy3[k, y, 2 * x], gy3[k, y, 2 * x + 1], gy3[k, y, 2 * x + 2], gy3[k, y, 2 * x + 3])
    gy4: f32[8, (H + 14) / 16 + 2, 2 * ((W + 14) / 16) + 6]
    for k in seq(0, 8):
        for y in seq(0, (H + 14) / 16 + 2):
            for x in seq(0, 2 * ((W + 14) / 16) + 6):
                gy4[k, y, x] = down(g3[k, 2 * y, x], g3[k, 2 * y + 1, x], g3[k, 2 * y + 2, x], g3[k, 2 * y + 3, x])
    g4: f32[8, (H + 14) / 16 + 2, (W + 14) / 16 + 2]
    for k in seq(0, 8):
        for y in seq(0, (H + 14) / 16 + 2):
            for x in seq(0, (W + 14) / 16 + 2):
                g4[k, y, x] = down(gy4[k, y, 2 * x], gy4[k, y, 2 * x + 1], gy4[k, y, 2 * x + 2], gy4[k, y, 2 * x + 3])

    # From the top down: what is above, doubled, and the details of the levels that a pixel lies between.
    o4: f32[(H + 14) / 16 + 2, (W + 14) / 16 + 2]
    for y in seq(0, (H + 14) / 16 + 2):
        for x in seq(0, (W + 14) / 16 + 2):
            o4[y, x] = 0.0
    for y in seq(0, (H + 14) / 16 + 2):
        for k in seq(0, 8):
            for x in seq(0, (W + 14) / 16 + 2):
                o4[y, x] += hat(7.0 * in4[y, x], level[k]) * g4[k, y, x]
    ug3: f32[8, (H + 6) / 8 + 2, (W + 14) / 16 + 2]
    for k in seq(0, 8):
        for y in seq(0, (H + 6) / 8 + 2):
            for x in seq(0, (W + 14) / 16 + 2):
                ug3[k, y, x] = up(g4[k, y / 2, x], g4[k, (y + 1) / 2, x], g4[k, y / 2 + 1, x])
    uo3: f32[(H + 6) / 8 + 2, (W + 14) / 16 + 2]
    for y in seq(0, (H + 6) / 8 + 2):
        for x in seq(0, (W + 14) / 16 + 2):
            uo3[y, x] = up(o4[y / 2, x], o4[(y + 1) / 2, x], o4[y / 2 + 1, x])
    o3: f32[(H + 6) / 8 + 2, (W + 6) / 8 + 2]
    for y in seq(0, (H + 6) / 8 + 2):
        for x in seq(0, (W + 6) / 8 + 2):
            o3[y, x] = up(uo3[y, x / 2], uo3[y, (x + 1) / 2], uo3[y, x / 2 + 1])
    for y in seq(0, (H + 6) / 8 + 2):
        for k in seq(0, 8):
            for x in seq(0, (W + 6) / 8 + 2):
                o3[y, x] += hat(7.0 * in3[y + 2, x + 2], level[k]) * (
                    g3[k, y + 2, x + 2] - up(ug3[k, y, x / 2], ug3[k, y, (x + 1) / 2], ug3[k, y, x / 2 + 1])
                )
    ug2: f32[8, (H + 2) / 4 + 2, 2 * ((W + 14) / 16) + 6]
    for k in seq(0, 8):
        for y in seq(0, (H + 2) / 4 + 2):
            for x in seq(0, 2 * ((W + 14) / 16) + 6):
                ug2[k, y, x] = up(g3[k, y / 2 + 2, x], g3[k, (y + 1) / 2 + 2, x], g3[k, y / 2 + 3, x])
    uo2: f32[(H + 2) / 4 + 2, (W + 6) / 8 + 2]
    for y in seq(0, (H + 2) / 4 + 2):
        for x in seq(0, (W + 6) / 8 + 2):
            uo2[y, x] = up(o3[y / 2, x], o3[(y + 1) / 2, x], o3[y / 2 + 1, x])
    o2: f32[(H + 2) / 4 + 2, (W + 2) / 4 + 2]
    for y in seq(0, (H + 2) / 4 + 2):
        for x in seq(0, (W + 2) / 4 + 2):
            o2[y, x] = up(uo2[y, x / 2], uo2[y, (x + 1) / 2], uo2[y, x / 2 + 1])
    for y in seq(0, (H + 2) / 4 + 2):
        for k in seq(0, 8):
            for x in seq(0, (W + 2) / 4 + 2):
                o2[y, x] += hat(7.0 * in2[y + 6, x + 6], level[k]) * (
                    g2[k, y + 6, x + 6] - up(ug2[k, y, x / 2 + 2], ug2[k, y, (x + 1) / 2 + 2], ug2[k, y, x / 2 + 3])
                )
    ug1: f32[8, H / 2 + 2, 4 * ((W + 14) / 16) + 14]
    for k in seq(0, 8):
        for y in seq(0, H / 2 + 2):
            for x in seq(0, 4 * ((W + 14) / 16) + 14):
                ug1[k, y, x] = up(g2[k, y / 2 + 6, x], g2[k, (y + 1) / 2 + 6, x], g2[k, y / 2 + 7, x])
    uo1: f32[H / 2 + 2, (W + 2) / 4 + 2]
    for y in seq(0, H / 2 + 2):
        for x in seq(0, (W + 2) / 4 + 2):
            uo1[y, x] = up(o2[y / 2, x], o2[(y + 1) / 2, x], o2[y / 2 + 1, x])
    o1: f32[H / 2 + 2, W / 2 + 2]
    for y in seq(0, H / 2 + 2):
        for x in seq(0, W / 2 + 2):
            o1[y, x] = up(uo1[y, x / 2], uo1[y, (x + 1) / 2], uo1[y, x / 2 + 1])
    for y in seq(0, H / 2 + 2):
        for k in seq(0, 8):
            for x in seq(0, W / 2 + 2):
                o1[y, x] += hat(7.0 * in1[y + 14, x + 14], level[k]) * (
                    g1[k, y + 14, x + 14] - up(ug1[k, y, x / 2 + 6], ug1[k, y, (x + 1) / 2 + 6], ug1[k, y, x / 2 + 7])
                )

    # The image itself: what the levels give of a pixel's own brightness needs no pyramid.
    own: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            own[y, x] = in0[y + 31, x + 31] * 7.0 - f32(min(i32(in0[y + 31, x + 31] * 7.0), 6))
    low: i32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            low[y, x] = place[y + 31, x + 31] - 256 * min(i32(in0[y + 31, x + 31] * 7.0), 6)
    mapped: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            mapped[y, x] = (
                in0[y + 31, x + 31]
                + (1.0 - own[y, x]) * curve[idx(low[y, x] + 1792, 0, 3585)]
                + own[y, x] * curve[idx(low[y, x] + 1536, 0, 3585)]
            )
    ug0: f32[8, H, 8 * ((W + 14) / 16) + 30]
    for k in seq(0, 8):
        for y in seq(0, H):
            for x in seq(0, 8 * ((W + 14) / 16) + 30):
                ug0[k, y, x] = up(g1[k, (y + 1) / 2 + 14, x], g1[k, y / 2 + 15, x], g1[k, (y + 1) / 2 + 15, x])
    uo0: f32[H, W / 2 + 2]
    for y in seq(0, H):
        for x in seq(0, W / 2 + 2):
            uo0[y, x] = up(o1[(y + 1) / 2, x], o1[y / 2 + 1, x], o1[(y + 1) / 2 + 1, x])
    o0: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            o0[y, x] = up(uo0[y, (x + 1) / 2], uo0[y, x / 2 + 1], uo0[y, (x + 1) / 2 + 1])
    for y in seq(0, H):
        for k in seq(0, 8):
            for x in seq(0, W):
                o0[y, x] += -1.0 * (
                    hat(7.0 * in0[y + 31, x + 31], level[k])
                    * up(ug0[k, y, (x + 1) / 2 + 14], ug0[k, y, x / 2 + 15], ug0[k, y, (x + 1) / 2 + 15])
                )
    factor: f32[H, W]
    for y in seq(0, H):
        for x in seq(0, W):
            factor[y, x] = (o0[y, x] + mapped[y, x] + 0.01) / (in0[y + 31, x + 31] + 0.01)
    for y in seq(0, H):
        for c in seq(0, 3):
            for x in seq(0, W):
                out[c, y, x] = u16(min(max(factor[y, x] * (f32(inp[c, y, x]) + 655.35) + -655.35, 0.0), 65535.0) + 0.5)
