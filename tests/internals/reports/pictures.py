"""The pictures of the written pages: the page of a small gate, and what an adversary learns on a real stream.

``python -m tests.internals.reports.pictures`` makes both anew, or only those that are named: ``audits/report.png``,
which needs a browser (see ``tests.internals.reports.browser``), and ``audits/real-streams.png``.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from experiments.density.real_streams.experiment import EPSILON, row_figure, style
from experiments.density.real_streams.study import PUBLISHED, study_streams
from experiments.toolkit.runs import DEFAULT_SEED
from tests.internals.reports.browser import browser, show
from tests.internals.reports.made import made

WIDTH = 1100
COLOURS = 256
"""Few are enough for a page of text and lines, and keep the file small."""

END = """
const next = document.getElementById("distributions").nextElementSibling;
let last = next;
while (last.nextElementSibling && last.nextElementSibling.tagName !== "H2") last = last.nextElementSibling;
return last.getBoundingClientRect().bottom + scrollY + 12;
"""


def report() -> bytes:
    """The upper part of the page of a gate, from the verdict to the distributions."""
    with browser() as driver, tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(made("exact").page, encoding="utf-8")
        show(driver, page, width=WIDTH)
        height = driver.execute_script(END)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
        shot = driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
        )
    return base64.b64decode(shot["data"])


def real_streams() -> bytes:
    """The first figure of ``python -m experiments reproduce real-streams``, drawn for a smaller place."""
    (study,) = study_streams(["online-retail"], epsilon=EPSILON, seed=DEFAULT_SEED, jobs=1)
    picture = io.BytesIO()
    with style():
        figure, _ = row_figure(study, PUBLISHED, width=12, height=5.5)
        figure.savefig(picture, format="png", dpi=WIDTH / 12)
    return picture.getvalue()


def small(picture: bytes) -> bytes:
    """The same picture in few colours."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    written = io.BytesIO()
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()


PICTURES = {"audits/report.png": report, "audits/real-streams.png": real_streams}


if __name__ == "__main__":
    for path in sys.argv[1:] or PICTURES:
        Path(path).write_bytes(small(PICTURES[path]()))
