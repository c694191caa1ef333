"""The HTML page about a count: the promise, the outputs with their intervals against time, and a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.reports.html.drawing import FAINT, RIGHT, Drawing, draw
from pan_audits.reports.pages import asset, environment
from pan_estimators.continual.follow_outputs import Table
from pan_estimators.continual.following import Summary

_MOST_DRAWN = 1500
_MOST_ROWS = 400


def follow_page(summary: Summary, table: Table) -> str:
    """The text of the page; the same for the same outputs."""
    from markupsafe import Markup

    count = len(table)
    if count <= _MOST_ROWS:
        rows, caption = _rows(table), f"All {count:,} outputs."
    else:
        half = _MOST_ROWS // 2
        rows = [*_rows(table.part(slice(half))), None, *_rows(table.part(slice(-half, None)))]
        caption = f"The first and the last {half} of {count:,} outputs."
    return str(
        environment("pan_audits.continual")
        .get_template("follow.html.j2")
        .render(
            style=Markup(asset("pan_audits.reports.html", "report.css")),
            counter=summary.counter,
            promise=summary.promise.describe(),
            conversion=summary.conversion,
            private=summary.private,
            facts=summary.facts(),
            drawing=_drawing(summary, table) if count else None,
            rows=rows,
            caption=caption,
        )
    )


def _rows(table: Table) -> list[list[str] | None]:
    return [line.split(",") for line in table.csv().splitlines()]


def _drawing(summary: Summary, table: Table) -> Drawing:
    count = len(table)
    bins = np.linspace(0, count, min(count, _MOST_DRAWN) + 1).astype(np.int64)
    least, low = (np.minimum.reduceat(values, bins[:-1]) for values in (table.estimates, table.low))
    most, high = (np.maximum.reduceat(values, bins[:-1]) for values in (table.estimates, table.high))
    places: NDArray[Any] = table.labels[bins[1:] - 1]
    if table.timed:
        places = places.astype("datetime64[us]")

    def paint(axes: Any) -> None:
        axes.fill_between(places, low, high, color=FAINT, alpha=0.35, linewidth=0, label="interval")
        if count > _MOST_DRAWN:
            axes.fill_between(places, least, most, color=RIGHT, linewidth=0.8, label="outputs")
        else:
            axes.plot(places, table.estimates, color=RIGHT, label="outputs", marker="." if count == 1 else "")
        axes.set_ylim(bottom=min(0.0, float(least.min())))
        axes.set_ylabel("present elements")
        axes.set_xlabel("time" if table.timed else "entries")
        axes.legend(loc="upper left", ncols=2)
        if table.timed:
            import matplotlib.dates as dates

            formatter: Any = dates.ConciseDateFormatter
            axes.xaxis.set_major_formatter(formatter(axes.xaxis.get_major_locator()))

    told = f"With probability {summary.level:g} all intervals together hold {summary.compared_with}."
    if count > _MOST_DRAWN:
        told += f" Each of {_MOST_DRAWN:,} parts shows the least and the greatest output."
    return draw("outputs", "The outputs against time", told, 250, paint)
