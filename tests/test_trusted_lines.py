"""The count of trusted lines, and its budget."""

from __future__ import annotations

from tools import trusted


def test_lines_of_code_are_counted_without_blanks_comments_and_docstrings(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        '"""A docstring\nof two lines."""\n\n# a comment\nimport os  # and one beside code\n\n\n'
        'def f(\n    x: int,\n) -> str:\n    """Another."""\n    return """text\n\n# in text"""\n\n\n'
        'LIMIT = 1\n"""What it is."""\n'
    )
    assert trusted.code_lines(module) == 1 + 3 + 3 + 1


def test_growth_beyond_the_budget_fails(monkeypatch, capsys):
    assert trusted.main() == 0
    monkeypatch.setattr(trusted, "BUDGET", sum(trusted.counts().values()) - 7)
    assert trusted.main() == 1
    assert "7 lines too many" in capsys.readouterr().err
