"""One figure of a source: what is run and drawn for it, and what the source says about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from pan_audits.reproduction.bench import Bench
from pan_audits.reproduction.sentence import Sentence

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
        The curve's name: an estimator, or what is plotted.
    kind
        Where the value comes from: ``measured``, ``published`` or ``exact``.
    x, value
        The point.
    low, high
        Ends of the pointwise interval of confidence 95%; nothing for what is not measured.
    repetitions
        Runs that were made.
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
"""Of the data files."""


@dataclass(frozen=True)
class Sheet:
    """How a figure is laid out.

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
        As in ``panproof reproduce figure-4``.
    title
        Its title.
    source
        Where it stands.
    sentences
        The sentences of the source about it.
    rows
        Its data; the runs that are plotted have been made.
    sheet
        Its layout, for a setting.
    plotted
        Which runs are plotted, and how many of each.
    claims
        Ids of the ledger that it answers.
    """

    name: str
    title: str
    source: str
    sentences: tuple[Sentence, ...]
    rows: Callable[[Bench], Sequence[Row]]
    sheet: Callable[[Any], Sheet]
    plotted: Callable[[Any], Mapping[Any, int]] = lambda setting: {}
    claims: tuple[str, ...] = ()
