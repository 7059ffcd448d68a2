"""The documentation as a site: it builds, loads nothing from elsewhere, can be searched, and fits a telephone."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from usl_core import probe

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTHS = (390, 1280)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder


class _Loaded(HTMLParser):
    """What a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.found.append(str(given["src"]))
        if tag == "link" and given.get("rel") != "canonical":
            self.found.append(str(given.get("href")))


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        loaded = _Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        assert [each for each in loaded.found if re.match(r"(\w+:)?//", each)] == [], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_the_search_knows_every_page_and_every_operator(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"] for entry in index["docs"]}
    assert {f"{page.stem}/" for page in (ROOT / "docs").glob("*.md") if page.stem != "index"} <= places
    assert {"operators/#divide_loop", "operators/#vectorize", "api/#procedure"} <= places


# ---- in a browser

_CHECK = """<!doctype html><body><script>
const pages = %s, widths = %s, found = [];
const open = (url, width) => new Promise(done => {
  const frame = document.createElement("iframe");
  frame.style.width = width + "px"; frame.style.height = "900px";
  frame.onload = () => done(frame); frame.src = url; document.body.append(frame);
});
const pause = ms => new Promise(done => setTimeout(done, ms));
(async () => {
  for (const page of pages) for (const width of widths) {
    const frame = await open(page, width), root = frame.contentDocument.documentElement;
    const cut = [...root.querySelectorAll(".rst-content pre, .rst-content table")].filter(
      each => each.getBoundingClientRect().right > width + 1).length;
    found.push({page, width, needs: root.scrollWidth, cut});
    frame.remove();
  }
  const frame = await open("search.html?q=divide_loop", 1280);
  let results = 0;
  for (let round = 0; round < 50 && !results; round++) {
    await pause(100);
    results = frame.contentDocument.querySelectorAll("#mkdocs-search-results article").length;
  }
  found.push({page: "search", results});
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
})();
</script></body>"""


class _Served:
    """The site on a port of this machine, until a page of it sends what it found."""

    def __init__(self, site: Path) -> None:
        self.found: list[dict[str, Any]] = []
        self.done = threading.Event()
        served = self

        class Handler(SimpleHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                served.found = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                served.done.set()
                self.send_response(204)
                self.end_headers()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def served(site: Path) -> Iterator[_Served]:
    """The site where a browser finds it."""
    served = _Served(site)
    threading.Thread(target=served.server.serve_forever, daemon=True).start()
    yield served
    served.server.shutdown()


def test_pages_fit_their_screens_and_the_search_finds(site: Path, served: _Served, tmp_path: Path) -> None:
    browser = next((found for name in BROWSERS if (found := probe.program(name))), None)
    if browser is None:
        pytest.skip("Chromium is not installed")
    pages = sorted(page.relative_to(site).as_posix() for page in site.rglob("index.html"))
    (site / "check.html").write_text(_CHECK % (json.dumps(pages), json.dumps(WIDTHS)))
    # With a port for debugging it stays open; in the time that --dump-dom simulates, the search would find nothing.
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--remote-debugging-port=0"]
    shown = subprocess.Popen(
        [browser, *options, f"{served.address}/check.html"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert served.done.wait(300), "the browser did not come to the end"
    finally:
        shown.terminate()
        shown.wait()
    *sizes, search = served.found
    assert [each for each in sizes if each["needs"] > each["width"] + 1 or each["cut"]] == []
    assert search["results"] > 0
