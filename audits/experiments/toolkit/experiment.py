"""One figure of a source: its runs, its drawing, and the sentences of the source about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence

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
    """

    panels: tuple[tuple[str, ...], ...]
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False
    y_limits: tuple[float, float] | None = None
    notes: str = ""


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
