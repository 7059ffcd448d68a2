"""The command behind `make fuzz WHAT=perceus`: a few programs of each kind, and what it does about a failure."""

from __future__ import annotations

import perceus_fuzz as fuzz
import pytest
from test_perceus_c_random import require_flag


@pytest.mark.parametrize("kind", sorted(set(fuzz.TURNS)))
def test_a_few_programs_of_each_kind_pass(kind, tmp_path):
    require_flag(tmp_path, *fuzz.SANITIZED)
    result = fuzz.run(fuzz.Batch(kind, (8, 9, 10)))
    assert result.failures == []
    assert result.programs == 3 or kind == "flow"
    assert result.functions > 20 or kind != "promises"


def test_a_failure_is_kept_with_its_program(tmp_path, monkeypatch, capsys):
    def wrong(seeds, result):
        for seed in seeds:
            assert seed != 12, "it differs"
            result.programs += 1

    monkeypatch.setattr(fuzz, "nested", wrong)
    monkeypatch.setattr(fuzz, "FAILURES", tmp_path)
    result = fuzz.run(fuzz.Batch("nested", (11, 12, 13)))
    assert (result.programs, fuzz.report(result)) == (2, 1)
    assert "failed: nested:12" in capsys.readouterr().out
    text = (tmp_path / "nested_12.py").read_text(encoding="utf-8")
    assert "def p12_() -> i64:" in text
    assert "it differs" in text


def test_counts_go_on_where_they_stopped():
    first, second = (list(fuzz.batches(2, done, 2 * fuzz.BATCH)) for done in (0, 2 * fuzz.BATCH))
    assert [batch.kind for batch in (*first, *second)] == list(fuzz.TURNS[:4])
    assert second[0].seeds[0] == first[-1].seeds[-1] + 1
