"""A headless browser, where there is one, and what it says about a page."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class NoBrowser(Exception):  # noqa: N818 - it names what is missing
    """There is no browser that could be driven."""


@contextmanager
def browser():
    """A driver of Chromium without a window.

    Raises
    ------
    NoBrowser
        If Selenium, Chromium or its driver is not installed.
    """
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        raise NoBrowser("selenium is not installed: pip install 'panproof[dev]'") from None
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        raise NoBrowser(f"{'chromedriver' if program else 'chromium'} is not installed")
    options = Options()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        # Chromium refuses to run as the superuser with its sandbox.
        options.add_argument("--no-sandbox")
    running = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield running
    finally:
        running.quit()


def show(driver, page: Path, *, width: int = 1100, scheme: str = "light") -> None:
    """Open a page at a width in CSS pixels, in a light or a dark colour scheme."""
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    driver.get(page.resolve().as_uri())


CONTRAST = """
const parse = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return {c: [r, g, b], a}; };
const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = element => {
  for (let e = element; e; e = e.parentElement) {
    const found = parse(getComputedStyle(e).backgroundColor);
    if (found.a > 0) return found.c;
  }
  return [255, 255, 255];
};
const poor = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || element.closest("script, style, title, desc")) continue;
  const style = getComputedStyle(element);
  if (style.visibility === "hidden" || !element.getClientRects().length) continue;
  const ink = parse(element.closest("svg") ? style.fill : style.color).c;
  const [high, low] = [light(ink), light(behind(element))].sort((a, b) => b - a);
  const ratio = (high + 0.05) / (low + 0.05);
  if (ratio < 4.5) poor.push([walker.currentNode.textContent.trim().slice(0, 40), ratio]);
}
return poor;
"""
"""Texts with a contrast below 4.5 to the background that they stand on."""

SKIPPED_HEADINGS = """
const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(h => h.checkVisibility())
  .map(h => Number(h.tagName[1]));
return levels.filter((level, place) => level > (place ? levels[place - 1] : 0) + 1);
"""
"""Levels of headings that come without the level above them."""

OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;"


def requests(driver) -> list[str]:
    """What was asked for since the last call, except for the pages themselves."""
    events = [json.loads(line["message"])["message"] for line in driver.get_log("performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return [one["request"]["url"] for one in sent if one.get("type") != "Document"]


def unnamed_drawings(driver) -> list[str]:
    """Drawings without an accessible name."""
    drawings = driver.find_elements("css selector", "svg")
    return [one.get_attribute("outerHTML")[:80] for one in drawings if not one.accessible_name]
