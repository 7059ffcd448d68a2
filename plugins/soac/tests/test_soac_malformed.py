"""Texts with mistakes: one message each with its place, and no other exception."""

from __future__ import annotations

import re

from soac_malformed import malformed, refused


def test_a_text_with_mistakes_has_one_message_with_its_place():
    errors = []
    for seed in range(250):
        text = malformed(seed)
        error = refused(text)
        if error is None:
            continue
        errors.append(error)
        assert re.fullmatch(r"E7\d\d", error.code), text
        assert "\n" not in error.message, text
        assert error.span is not None and 1 <= error.span.line <= text.count("\n") + 2, text
        assert re.match(r"<malformed>:\d+:\d+: ", str(error)), text
    assert len(errors) >= 150
    assert len({error.message for error in errors}) >= 80
