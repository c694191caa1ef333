"""The picture of a report in the README: the page of a small gate, from the verdict to the distributions.

``python -m tests.report_picture audits/report.png`` makes it anew; it needs a browser, see ``tests.browser``.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.browser import browser, show
from tests.command_line.reports import made

WIDTH = 1100
COLOURS = 256
"""Few are enough for a page of text and lines, and keep the file small."""

END = """
const next = document.getElementById("distributions").nextElementSibling;
let last = next;
while (last.nextElementSibling && last.nextElementSibling.tagName !== "H2") last = last.nextElementSibling;
return last.getBoundingClientRect().bottom + scrollY + 12;
"""


def picture(kind: str) -> bytes:
    """The upper part of a page, as a PNG."""
    with browser() as driver, tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(made(kind).page, encoding="utf-8")
        show(driver, page, width=WIDTH)
        height = driver.execute_script(END)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
        shot = driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
        )
    image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    small = io.BytesIO()
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(picture("exact"))
