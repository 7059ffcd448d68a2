"""What the documentation shows is what happens."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from tests.docs.examples import examples, run, with_outputs
from tools import api, manual, modules, pictures

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])

_MODEL = re.compile(r"^(  counter-example:) .*$", re.MULTILINE)
"""Which values refute something is up to the solver and its version."""

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```\s*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def with_examples() -> list[Path]:
    return [page for page in PAGES if examples(page.read_text(encoding="utf-8"))]


def needed(source: str) -> set[str]:
    """The plugins that examples import, or that the methods of a procedure ask for."""
    imported = re.findall(r"^(?:from|import) (usl_(?!core)\w+)", source, re.MULTILINE)
    return {*imported, *(["usl_c11"] if re.search(r"\.(c_code|jit)\(", source) else [])}


@pytest.mark.parametrize("page", with_examples(), ids=page_id)
def test_the_examples_of_a_page_run_and_print_what_it_shows(page: Path, tmp_path: Path):
    text = page.read_text(encoding="utf-8")
    for package in needed("".join(example.source for example in examples(text))):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    for example, outcome in run(text, tmp_path):
        place = f"{page_id(page)}:{example.line}"
        if example.expected is not None:
            hint = f"{place}: update with `python -m tests.docs.examples {page_id(page)}`"
            assert _MODEL.sub(r"\1", outcome.printed) == _MODEL.sub(r"\1", example.expected), hint
        else:
            assert outcome.error is None, f"{place}: {outcome.error}"


def test_the_page_of_operators_is_generated_from_the_operators_as_they_are():
    assert manual.PAGE.read_text(encoding="utf-8") == manual.manual(), "run: python tools/manual.py"


@pytest.mark.parametrize("name", pictures.DRAWN)
def test_the_pictures_of_the_tutorials_show_what_their_pages_make(name: str) -> None:
    pytest.importorskip("usl_c11", reason="usl_c11 is not installed")
    assert (pictures.PICTURES / name).read_text(encoding="utf-8") == pictures.drawn(name), "run: python tools/pictures.py"


def test_the_page_of_the_api_is_generated_from_the_docstrings_as_they_are() -> None:
    assert api.PAGE.read_text(encoding="utf-8") == api.page(), "run: python tools/manual.py"


def test_the_page_of_instructions_is_generated_from_the_plugin_as_it_is():
    assert manual.INSTRUCTIONS_PAGE.read_text(encoding="utf-8") == manual.instructions(), "run: python tools/manual.py"


def test_what_type_checkers_read_of_the_operators_is_current() -> None:
    assert manual.STUB.read_text(encoding="utf-8") == manual.stub(), "run: python tools/manual.py"


def test_the_tables_of_modules_are_generated_from_the_modules_as_they_are():
    assert modules.PAGE.read_text(encoding="utf-8") == modules.page(), "run: python tools/modules.py"


def test_every_module_says_what_it_is_for_in_a_sentence():
    silent = [
        str(each)
        for package in modules.packages()
        for _, found in modules.folders(package)
        for each in found
        if not modules.says(each)
    ]
    assert silent == []


def test_every_error_code_in_the_sources_is_explained_and_no_other():
    sources = [*(ROOT / "usl_core").rglob("*.py"), *(ROOT / "plugins").glob("*/usl_*/**/*.py")]
    used = {code for source in sources for code in re.findall(r'"(E\d{3})"', source.read_text(encoding="utf-8"))}
    explained = re.findall(r"^\| `(E\d{3})` \|", (ROOT / "docs" / "errors.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(used) == explained


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_within_the_documentation_lead_somewhere(page: Path):
    for target in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{page_id(page)} links to {target}, which is not there"
        if anchor:
            headings = {_anchor(heading) for heading in _HEADING.findall(file.read_text(encoding="utf-8"))}
            assert anchor in headings, f"{page_id(page)} links to {target}, which has no such heading"


def _anchor(heading: str) -> str:
    """As mkdocs makes them."""
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower())


def test_the_navigation_lists_every_page_once():
    entries = re.findall(r"[\w-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(entries) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


PAGE = """\
```python
print("one")
print(f"{1 + 1}  ")
```

```text
one
```

<!-- not run -->
```python
1 / 0
```

```python
x = 3
```

Words.

```text
not an output
```
"""


def test_an_example_is_compared_with_the_text_right_after_it_only():
    first, second = examples(PAGE)
    assert (first.line, first.expected) == (2, "one\n")
    assert (second.source, second.expected) == ("x = 3\n", None)


def test_outputs_are_written_into_the_page_and_nothing_else_changes(tmp_path: Path):
    ((first, outcome), _) = run(PAGE, tmp_path)
    assert outcome.printed == "one\n2\n"
    assert with_outputs(PAGE, {first.first: outcome.printed}) == PAGE.replace("one\n```", "one\n2\n```")


def test_a_future_import_holds_for_the_examples_after_it(tmp_path: Path):
    page = "```python\nfrom __future__ import annotations\n```\n\n```python\ndef f(x: unknown): ...\n```\n"
    assert [outcome.error for _, outcome in run(page, tmp_path)] == [None, None]


def test_an_error_that_ends_an_example_is_part_of_what_it_prints(tmp_path: Path):
    page = "```python\nfrom usl_core import UslError\nraise UslError('no')\n```\n\n```text\n```\n"
    ((_, outcome),) = run(page, tmp_path)
    assert (outcome.printed, type(outcome.error).__name__) == ("no\n", "UslError")


def test_the_tables_for_those_who_come_from_elsewhere_name_functions_that_exist() -> None:
    import usl_core
    import usl_stdlib

    known = {*usl_core.__all__, *usl_stdlib.__all__, "print"}
    rows = [
        line for line in (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    assert len(rows) > 40
    for row in rows:
        theirs, ours = row.strip("|").split(" | ", 1)
        named = re.findall(r"`(\w+)`", ours)
        same = re.findall(r"`(\w+)`", theirs) if re.match(r"\s*the same", ours) else []
        assert {name for name in [*named, *same] if name not in known and name not in ("usl_stdlib",)} == set(), row
