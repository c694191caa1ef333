"""Figures as SVG that takes its colours from the page, so that one drawing serves light, dark and print."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pan_audits.reports.pages import new_figure, plotting_style, svg_element
from pan_promises.errors import printable

WIDTH = 400
"""Units of a figure's width. On a narrow screen one unit is a pixel, so that labels stay as large as text."""

INK, FAINT, LEFT, RIGHT, PROMISE, PAPER = (f"#00000{number}" for number in range(1, 7))
"""Colours by purpose; the style sheet of the page defines them."""

_NAMES = {INK: "ink", FAINT: "faint", LEFT: "left", RIGHT: "right", PROMISE: "promise", PAPER: "paper"}
_POINTS = 72
_STYLE: Any = {
    "svg.fonttype": "none",
    "font.size": 11.5,
    "axes.titlesize": 11.5,
    "axes.labelsize": 11.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "axes.formatter.use_mathtext": False,
    "figure.facecolor": "none",
    "hatch.linewidth": 0.8,
    "legend.fontsize": 11.5,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.6,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
}


@dataclass(frozen=True)
class Drawing:
    """A figure.

    Attributes
    ----------
    name
        Unique on the page.
    title
        Its contents in a few words: the accessible name.
    description
        The information in it, in words.
    svg
        The drawing.
    """

    name: str
    title: str
    description: str
    svg: str


def draw(name: str, title: str, description: str, height: float, paint: Callable[[Any], None]) -> Drawing:
    """Draw a figure; the same bytes for the same calls."""
    with plotting_style(_STYLE):
        figure = new_figure(WIDTH / _POINTS, height / _POINTS, layout="constrained")
        paint(figure.subplots())
        element = svg_element(figure, transparent=True)
    return Drawing(name, title, description, _inline(element, name, title, description))


def scale_rows(
    axes: Any, label: str, limits: tuple[float, float], height: tuple[float, float], *, logarithmic: bool
) -> None:
    """Values from left to right, a row for each subject, without a vertical axis."""
    axes.set_xscale("log" if logarithmic else "linear")
    axes.set_xlim(*limits)
    axes.set_ylim(*height)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel(label + " (logarithmic)" * logarithmic)


def label_row(axes: Any, y: float, text: str, *, bold: bool, **options: Any) -> None:
    """The subject of a row, above its marks."""
    weight = "bold" if bold else "normal"
    axes.text(0.0, y, text, transform=axes.get_yaxis_transform(), va="bottom", fontweight=weight, **options)


def plain(text: str, most: int = 10**6) -> str:
    """Text for a label: unprintable characters as escapes, the middle left out if it is long."""
    shown = printable(text)
    if len(shown) <= most:
        return shown
    tail = most // 3
    return f"{shown[: most - tail - 1]}…{shown[-tail:]}"


def _inline(svg: str, name: str, title: str, description: str) -> str:
    """The drawing as part of a page: colours by name, ids of its own, no references to other files."""
    from markupsafe import escape

    body = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    body = re.sub(r'<style type="text/css">.*?</style>', "", body, flags=re.DOTALL)
    body = body.replace("xlink:href", "href")
    body = re.sub(r'\b(id=")([^"]+)"', rf'\1{name}-\2"', body)
    body = re.sub(r"url\(#", f"url(#{name}-", body)
    body = re.sub(r'href="#', f'href="#{name}-', body)
    for colour, word in _NAMES.items():
        body = body.replace(f'fill="{colour}"', f'style="fill: var(--{word})"').replace(colour, f"var(--{word})")
    body = re.sub(r"font-family: [^;\"]*;? ?", "", body)
    _, _, inside = body.partition(">")
    height = float(re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', body).group(1))  # type: ignore[union-attr]
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-text">{escape(description)}</desc>{inside}'
    )
