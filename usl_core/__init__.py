"""A user-schedulable language: plain loop nests, rewritten by operators that provably keep their meaning.

    from __future__ import annotations
    from usl_core import proc, divide_loop

    @proc
    def scale(n: size, x: f32[n]):
        for i in seq(0, n):
            x[i] = 2.0 * x[i]

    print(divide_loop(scale, "i", 8, ["io", "ii"], tail="cut"))

The operators are documented one by one in docs/operators.md; cursors and patterns in docs/cursors.md.
"""
