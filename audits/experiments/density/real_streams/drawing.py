"""The style of the figures, and their SVG: the same text for the same numbers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from pan_audits.reports.pages import plotting_style, svg_element

INK, ACCENT, PALE, QUIET = "#1a1a1a", "#0072b2", "#cfe3f1", "#6b6b6b"
WORST = "#d55e00"
FORBIDDEN = "#f3ded7"
"""The colour of a broken promise, which is hatched as well."""

_SETTINGS = {
    "svg.fonttype": "path",
    "font.size": 10,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.5,
    "legend.fontsize": 9,
}


def style() -> AbstractContextManager[None]:
    """Draw and save figures within it."""
    return plotting_style(_SETTINGS)


def as_svg(figure: Any, description: str) -> str:
    """The figure as an ``svg`` element for a page, with a description for screen readers."""
    described = description.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return svg_element(figure).replace("<svg ", f'<svg role="img" aria-label="{described}" ', 1)


def thousands(axes: Any) -> None:
    """Numbers of updates with commas, and with room between them."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
