"""One figure of a source: its runs, the sentences of the source about it, and its drawing.

A drawing is legible in black and white, with the verdicts in the caption.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Judgement, ReproductionVerdict, Sentence
from pan_audits.reports.pages import new_figure, plotting_style, svg_element

MEASURED, PUBLISHED_FORMULA, EXACT = "measured", "published", "exact"
"""Kinds of curves: from runs, from a formula of the source, and computed from the definition of the mechanism."""


@dataclass(frozen=True)
class Row:
    """One point of one curve: a line of the data file.

    Attributes
    ----------
    panel
        The part of the figure.
    series
        The curve's name: an estimator, or the plotted quantity.
    kind
        The origin of the value: ``measured``, ``published`` or ``exact``.
    x, value
        The point.
    low, high
        Ends of the pointwise interval of confidence 95%; ``None`` for a value that is not measured.
    repetitions
        Number of runs.
    stream, epsilon, sample_size
        The settings of the run, as far as they apply.
    """

    panel: str
    series: str
    kind: str
    x: float
    value: float
    low: float | None = None
    high: float | None = None
    repetitions: int | None = None
    stream: str | None = None
    epsilon: float | None = None
    sample_size: int | None = None


COLUMNS = tuple(one.name for one in fields(Row))
"""The columns of the data files."""


Styles = Mapping[str, tuple[str, str]]
"""Marker and colour of each contender, by its label."""


@dataclass(frozen=True)
class Sheet:
    """The layout of a figure.

    Attributes
    ----------
    panels
        Names of the panels, row by row.
    x_label, y_label
        Of the axes.
    log_x, log_y
        Whether they are logarithmic.
    y_limits
        Least and greatest value shown; chosen from the data by default.
    notes
        Text of the figure besides the verdicts.
    styles
        Those of the estimators in it; the colours of a figure differ in lightness.
    """

    panels: tuple[tuple[str, ...], ...]
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False
    y_limits: tuple[float, float] | None = None
    notes: str = ""
    styles: Styles = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """A figure.

    Attributes
    ----------
    name
        Its name, as in ``python -m experiments reproduce figure-4``.
    title
        Its title.
    source
        Its place in the source.
    sentences
        The sentences of the source about it.
    rows
        Its data; the runs that are plotted have been made.
    sheet
        Its layout, for a setting.
    plotted
        The plotted configurations, and the number of runs of each.
    claims
        Ids of the claims of the ledger about it.
    """

    name: str
    title: str
    source: str
    sentences: tuple[Sentence, ...]
    rows: Callable[[Bench], Sequence[Row]]
    sheet: Callable[[Any], Sheet]
    plotted: Callable[[Any], Mapping[Any, int]] = lambda setting: {}
    claims: tuple[str, ...] = ()


_PLAIN = (("-", "#000000"), ("-.", "#0072B2"), ("-", "#D55E00"))
"""Lines of computed curves that do not belong to an estimator."""

_LIMIT = ("--", "#777777")
"""Lines of limits and formulas with which such curves are compared."""

_KINDS = {PUBLISHED_FORMULA: ("--", "printed formula or bound"), EXACT: (":", "exact, from the definition")}

_CARET = 11
"""Matplotlib's number of a caret that points down, with its base at the point."""

_SETTINGS = {"svg.fonttype": "path"}

_PANEL = (4.4, 3.5)
_LINE = 0.155
"""Height of a line of the caption, in inches."""


@dataclass(frozen=True)
class Drawing:
    """A figure of a page.

    Attributes
    ----------
    name, title
        The name for files, of letters and hyphens, and the title.
    svg
        An ``svg`` element.
    """

    name: str
    title: str
    svg: str


def in_svg(name: str, title: str, figure: Any, described: str) -> Drawing:
    """A figure for a page; what it shows is described for those who cannot see it."""
    text = described.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return Drawing(name, title, svg_element(figure).replace("<svg ", f'<svg role="img" aria-label="{text}" ', 1))


def draw(
    title: str, sheet: Sheet, rows: Sequence[Row], judgements: Sequence[Judgement], folder: Path, name: str
) -> None:
    """Write a figure as ``name.svg`` and ``name.png``."""
    across, down = len(sheet.panels[0]), len(sheet.panels)
    width = max(7.0, across * _PANEL[0] + 0.4)
    caption = _caption(sheet, judgements, round(width * 16))
    entries = {row.series for row in rows}
    legend_lines = 1 + (len(entries) + 2) // max(1, round(width / 2.2))
    below, above = _LINE * (len(caption) + 1.5), 0.45 + 0.2 * legend_lines
    height = down * _PANEL[1] + below + above
    with plotting_style(_SETTINGS):
        page = new_figure(width, height, dpi=120)
        axes = page.subplots(down, across, squeeze=False)
        for line, names in zip(axes, sheet.panels, strict=True):
            for axis, panel in zip(line, names, strict=True):
                _panel(axis, panel, sheet, [row for row in rows if row.panel == panel])
        page.tight_layout(rect=(0, below / height, 1, 1 - above / height))
        page.suptitle(title, y=1 - 0.12 / height, va="top", fontsize=11, fontweight="bold")
        _legend(page, axes, 1 - 0.38 / height, round(width / 2.2))
        page.text(0.02, (below - _LINE * 0.7) / height, "\n".join(caption), fontsize=7.5, va="top")
        page.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": "panproof"})
        page.savefig(folder / f"{name}.png", metadata={"Software": "panproof"})


def _panel(axis: Any, panel: str, sheet: Sheet, rows: Sequence[Row]) -> None:
    measured = any(row.kind == MEASURED for row in rows)
    plain = iter(_PLAIN)
    for series in dict.fromkeys(row.series for row in rows):
        for kind in (PUBLISHED_FORMULA, EXACT, MEASURED):
            points = [row for row in rows if row.series == series and row.kind == kind]
            if not points:
                continue
            if kind == MEASURED:
                _measured(axis, *sheet.styles[series], series, points)
            elif measured:
                axis.plot(*_xy(points), _KINDS[kind][0], color=sheet.styles[series][1], linewidth=1.3)
            elif kind == PUBLISHED_FORMULA:
                axis.plot(*_xy(points), _LIMIT[0], color=_LIMIT[1], label=series, linewidth=1.6)
            else:
                _computed(axis, sheet.styles, series, points, plain)
    axis.set_title(panel, fontsize=9)
    axis.set_xlabel(sheet.x_label, fontsize=9)
    axis.set_ylabel(sheet.y_label, fontsize=9)
    axis.set_xscale("log" if sheet.log_x else "linear")
    axis.set_yscale("log" if sheet.log_y else "linear")
    for scale in (axis.xaxis, axis.yaxis):
        if scale.get_scale() == "log":
            _plain_numbers(scale)
    if sheet.y_limits:
        axis.set_ylim(*sheet.y_limits)
    axis.grid(True, which="major", color="#cccccc", linewidth=0.5)
    axis.tick_params(labelsize=8)


def _plain_numbers(scale: Any) -> None:
    """Plain numbers at the ticks: the default form is TeX, which the common style does not interpret."""
    scale.set_major_formatter("{x:g}")
    scale.set_minor_formatter(import_module("matplotlib.ticker").LogFormatter())


def _measured(axis: Any, marker: str, colour: str, series: str, points: Sequence[Row]) -> None:
    """Markers with a band. For an event in no run, a caret stands at the upper end of the interval."""
    some, none = ([row for row in points if (row.value > 0) is happened] for happened in (True, False))
    axis.plot(
        *_xy(some), "-", marker=marker, color=colour, label=series, linewidth=0.9, markersize=5, **_hollow(marker)
    )
    low, high = ([getattr(row, end) for row in some] for end in ("low", "high"))
    axis.fill_between([row.x for row in some], low, high, color=colour, alpha=0.15, linewidth=0)
    axis.plot([row.x for row in none], [row.high for row in none], linestyle="", marker=_CARET, color=colour)


def _computed(axis: Any, styles: Styles, series: str, points: Sequence[Row], plain: Iterator[tuple[str, str]]) -> None:
    """A curve without runs: with the marker of its estimator, if it has one."""
    owner, _, rest = series.partition(", ")
    if owner not in styles:
        line, colour = next(plain)
        axis.plot(*_xy(points), line, color=colour, label=series, linewidth=1.6)
        return
    marker, colour = styles[owner]
    fill = {} if rest.endswith("(0)") else _hollow(marker)
    axis.plot(*_xy(points), "-", marker=marker, color=colour, label=series, linewidth=1.2, markersize=5, **fill)


def _hollow(marker: str) -> dict[str, str]:
    return {} if marker in "x+" else {"markerfacecolor": "none"}


def _xy(points: Sequence[Row]) -> tuple[list[float], list[float]]:
    return [row.x for row in points], [row.value for row in points]


def _legend(page: Any, axes: Any, top: float, columns: int) -> None:
    from matplotlib.patches import Patch

    lines: Any = import_module("matplotlib.lines")

    handles: dict[str, Any] = {}
    measured = False
    for axis in axes.flat:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
        measured = measured or bool(axis.collections)
    if measured:
        drawn = {line.get_linestyle() for axis in axes.flat for line in axis.lines}
        for style, label in _KINDS.values():
            if style in drawn:
                line = lines.Line2D([], [], linestyle=style, color="#333333", linewidth=1.3)
                handles[label] = line
        handles["95% interval, pointwise"] = Patch(color="#333333", alpha=0.15)
        if any(line.get_marker() == _CARET for axis in axes.flat for line in axis.lines):
            handles["in no run: upper end of it"] = lines.Line2D([], [], linestyle="", marker=_CARET, color="#333333")
    page.legend(
        handles.values(),
        handles.keys(),
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=min(columns, len(handles)),
        fontsize=8,
        frameon=False,
    )


def _caption(sheet: Sheet, judgements: Sequence[Judgement], characters: int) -> list[str]:
    lines = textwrap.wrap(sheet.notes, characters)
    for judgement in judgements:
        mark = {
            ReproductionVerdict.REPRODUCED: "+",
            ReproductionVerdict.NOT_REPRODUCED: "-",
            ReproductionVerdict.UNDECIDED: "?",
        }[judgement.verdict]
        text = f"{mark} {judgement.verdict}: {judgement.sentence.states}"
        lines += textwrap.wrap(text, characters, subsequent_indent="   ")
    return lines
