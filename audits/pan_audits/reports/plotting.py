"""The drawing of all figures: one style that no other setting changes, and the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "panproof",
    "text.parse_math": False,
    "text.usetex": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


@contextmanager
def plotting_style(settings: Mapping[Any, Any]) -> Iterator[None]:
    """Draw and save figures within it; :func:`pan_audits.reports.pages.require_figures` checks the library."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE | dict(settings))
        yield


def new_figure(width: float, height: float, **options: Any) -> Any:
    """An empty figure, in inches; it belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), **options)


def svg_element(figure: Any, **options: Any) -> str:
    """The figure as an ``svg`` element: the same text for the same figure, at any time and on any machine."""
    text = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(text, format="svg", metadata=nothing, **options)
    element = text.getvalue()
    return element[element.index("<svg") :]
