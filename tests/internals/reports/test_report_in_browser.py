"""The HTML report of a gate as a browser shows it."""

from __future__ import annotations

import json

import pytest

from tests.internals.reports.browser import (
    CONTRAST,
    OVERFLOW,
    SKIPPED_HEADINGS,
    NoBrowser,
    browser,
    requests,
    show,
    unnamed_drawings,
)
from tests.internals.reports.made import made

KINDS = ("exact", "audit", "names", "message")

BAD = """<!DOCTYPE html><html lang="en"><body><h1>x</h1><h3>y</h3><p style="color: #999">pale</p>
<svg viewBox="0 0 9 9"><text style="fill: #aaa">z</text></svg><img src="nothing.png" alt="">
<div style="width: 900px">wide</div><script>throw new Error("thrown")</script></body></html>"""


@pytest.fixture(scope="module")
def driver():
    try:
        with browser() as running:
            yield running
    except NoBrowser as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for kind in KINDS:
        (folder / f"{kind}.html").write_text(made(kind).page, encoding="utf-8", errors="backslashreplace")
    return folder


def test_what_is_looked_for_is_found_on_a_bad_page(driver, tmp_path):
    (tmp_path / "bad.html").write_text(BAD)
    show(driver, tmp_path / "bad.html", width=380)
    assert [text for text, _ in driver.execute_script(CONTRAST)] == ["pale", "z"]
    assert driver.execute_script(SKIPPED_HEADINGS) == [3]
    assert driver.execute_script(OVERFLOW) > 0
    assert any(url.endswith("nothing.png") for url in requests(driver))
    assert len(unnamed_drawings(driver)) == 1
    assert any("thrown" in line["message"] for line in driver.get_log("browser"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_can_be_read_by_everybody(driver, pages, kind):
    driver.get_log("browser")
    for width, scheme in ((1100, "light"), (380, "dark")):
        show(driver, pages / f"{kind}.html", width=width, scheme=scheme)
        verdict = driver.find_element("id", "verdict")
        assert verdict.is_displayed()
        assert verdict.text == str(made(kind).report.verdict).replace("_", " ")
        assert driver.execute_script(CONTRAST) == []
        assert driver.execute_script(SKIPPED_HEADINGS) == []
        assert driver.execute_script(OVERFLOW) <= 0
    assert unnamed_drawings(driver) == []
    assert requests(driver) == []
    assert driver.get_log("browser") == []
    assert driver.execute_script("return window.hacked") is None
    written = driver.execute_script("return document.getElementById('report').textContent")
    assert json.loads(written) == json.loads(json.dumps(made(kind).report.to_dict(), default=str))
