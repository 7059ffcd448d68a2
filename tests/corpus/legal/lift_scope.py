"""Legal steps of `lift_scope`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import lift_scope

CASES = [
    Legal(
        "lift_scope",
        "an_invariant_condition",
        "n: size, m: size, x: f32[n]",
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "lift_scope",
        "an_invariant_condition_with_else",
        "n: size, m: size, x: f32[n]",
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
            else:
                x[i] = 2.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 2.0
        """,
    ),
    Legal(
        "lift_scope",
        "a_loop_out_of_a_condition",
        "n: size, m: size, x: f32[n]",
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
        """,
    ),
    Legal(
        "lift_scope",
        "two_conditions",
        "n: size, m: size, x: f32",
        """
        if m < 3:
            if n < 4:
                x = 1.0
            else:
                x = 2.0
        else:
            x = 3.0
        """,
        lambda p: lift_scope(p, "if n < 4: _"),
        """
        if n < 4:
            if m < 3:
                x = 1.0
            else:
                x = 3.0
        elif m < 3:
            x = 2.0
        else:
            x = 3.0
        """,
    ),
    Legal(
        "lift_scope",
        "data_that_the_body_leaves_alone",
        "n: size, c: f32, x: f32[n]",
        """
        for i in seq(0, n):
            if c < 0.0:
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        if c < 0.0:
            for i in seq(0, n):
                x[i] = 1.0
        """,
    ),
    Legal(
        "lift_scope",
        "an_outer_tile_index_over_an_inner_loop",
        "n: size, x: f32[n]",
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + 3 < n:
                    x[4 * io + ii] = 1.0
        """,
        lambda p: lift_scope(p, "if _: _"),
        """
        for io in seq(0, (n + 3) / 4):
            if 4 * io + 3 < n:
                for ii in seq(0, 4):
                    x[4 * io + ii] = 1.0
        """,
    ),
    Legal(
        "lift_scope",
        "two_loops",
        "n: size, m: size, x: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
        """,
        lambda p: lift_scope(p, "for j in _: _"),
        """
        for j in seq(0, m):
            for i in seq(0, n):
                x[i, j] = 1.0
        """,
    ),
    Legal(
        "lift_scope",
        "a_loop_over_an_if_with_else",
        "n: size, m: size, x: f32[n]",
        """
        if m < 3:
            for i in seq(0, n):
                x[i] = 1.0
        else:
            x[0] += 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
        if m >= 3:
            x[0] += 1.0
        """,
    ),
    Legal(
        "lift_scope",
        "a_loop_out_of_an_else",
        "n: size, m: size, x: f32[n]",
        """
        if m < 3:
            x[0] += 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
        """,
        lambda p: lift_scope(p, "for i in _: _"),
        """
        if m < 3:
            x[0] += 1.0
        for i in seq(0, n):
            if m >= 3:
                x[i] = 1.0
        """,
    ),
    Legal(
        "lift_scope",
        "an_if_out_of_an_else",
        "n: size, m: size, x: f32[2]",
        """
        if m < 3:
            x[0] += 1.0
            x[1] = 2.0
        else:
            if n < 4:
                x[0] = 3.0
            else:
                x[1] = 4.0
        """,
        lambda p: lift_scope(p, p.find("x[0] = 3.0").parent()),
        """
        if n < 4:
            if m >= 3:
                x[0] = 3.0
            else:
                x[0] += 1.0
                x[1] = 2.0
        elif m >= 3:
            x[1] = 4.0
        else:
            x[0] += 1.0
            x[1] = 2.0
        """,
    ),
    Legal(
        "lift_scope",
        "an_if_without_else_out_of_an_else",
        "n: size, m: size, x: f32[2]",
        """
        if m < 3:
            x[0] += 1.0
        else:
            if n < 4:
                x[0] = 3.0
        """,
        lambda p: lift_scope(p, p.find("x[0] = 3.0").parent()),
        """
        if n < 4:
            if m >= 3:
                x[0] = 3.0
            else:
                x[0] += 1.0
        elif m >= 3:
            pass
        else:
            x[0] += 1.0
        """,
    ),
]
