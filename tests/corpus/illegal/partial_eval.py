"""Illegal steps of `partial_eval`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Malformed, Misuse
from usl_core.scheduling import partial_eval

CASES = [
    Illegal(
        "partial_eval",
        "a_size_of_zero",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: partial_eval(p, n=0),
        "E404",
        "size n must be at least 1, got 0",
        Malformed("x[0] = 1.0", "E303", formals="x: f32[0]"),
    ),
    Illegal(
        "partial_eval",
        "against_an_assertion",
        "n: size, x: f32[n]",
        """
        assert n % 4 == 0
        x[0] = 1.0
        """,
        lambda p: partial_eval(p, n=6),
        "E410",
        "contradict",
        Malformed(
            """
            assert 6 % 4 == 0
            x[0] = 1.0
            """,
            "E301",
            formals="x: f32[6]",
        ),
    ),
    Illegal(
        "partial_eval",
        "against_an_assertion_with_a_negative_remainder",
        "k: index, x: f32",
        """
        assert k % 4 == 1
        x = 1.0
        """,
        # -3 % 4 is 1, and -1 % 4 is 3.
        lambda p: partial_eval(p, k=-1),
        "E410",
        "contradict",
        Malformed(
            """
            assert -1 % 4 == 1
            x = 1.0
            """,
            "E301",
            formals="x: f32",
        ),
    ),
    Illegal(
        "partial_eval",
        "an_unknown_formal",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: partial_eval(p, m=4),
        "E404",
        "m is not a control formal of f",
        Misuse("no such formal"),
    ),
    Illegal(
        "partial_eval",
        "a_data_formal",
        "n: size, x: f32[n], a: f32",
        "x[0] = a",
        lambda p: partial_eval(p, a=4),
        "E404",
        "a is not a control formal of f",
        Misuse("data is not fixed"),
    ),
    Illegal(
        "partial_eval",
        "a_number_for_a_truth_value",
        "flag: bool, x: f32",
        """
        if flag:
            x = 1.0
        """,
        lambda p: partial_eval(p, flag=1),
        "E404",
        "flag is a bool",
        Misuse("1 is not a truth value"),
    ),
    Illegal(
        "partial_eval",
        "more_values_than_formals",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: partial_eval(p, 4, 5),
        "E404",
        "2 values for 1 control formals",
        Misuse("no second formal"),
    ),
]
