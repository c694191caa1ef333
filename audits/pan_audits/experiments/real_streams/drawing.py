"""How the figures look, and how they become SVG: the same text for the same numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pan_estimators import MissingExtraError

INK, ACCENT, PALE, QUIET = "#1a1a1a", "#0072b2", "#cfe3f1", "#6b6b6b"
WORST = "#d55e00"
FORBIDDEN = "#f3ded7"
"""Where a promise is broken; hatched as well."""

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "panproof",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw and save figures within it.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("drawing figures", "figures") from None
    with matplotlib.rc_context(_SETTINGS):
        yield


def new_figure(width: float, height: float) -> Any:
    """An empty figure, in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def as_svg(figure: Any, description: str) -> str:
    """The figure as an ``svg`` element to stand in a page, described for those who cannot see it."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    element = text.getvalue()
    element = element[element.index("<svg") :]
    described = description.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{described}" ', element, count=1)


def thousands(axes: Any) -> None:
    """Numbers of updates with commas."""
    from matplotlib.ticker import FuncFormatter

    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
