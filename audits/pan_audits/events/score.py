"""Scores: bounded functions of an observation, and how they are learned.

A score is data that can be written down and computed again. It is learned with the bet on it, from runs on the two
streams.

Several log-odds are fitted to a part of the runs. On the other runs, the scale, the limits and the fraction of the bet
are chosen: those with the largest expected bound. The bound itself needs fresh runs. It holds for every score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pan_audits.events.event import Event, definitions_in
from pan_audits.events.features import usable
from pan_audits.events.grids import Grid, Reading, grids_in, grids_to_dict
from pan_audits.events.learner import with_features
from pan_audits.events.table import LIKELIHOOD_RATIO, Definition, Floats, Polynomial, Table, needed
from pan_audits.events.training import every_column, fitted_scores
from pan_audits.judging.documents import document
from pan_audits.judging.reading import Field
from pan_audits.statistics import MOST_HIGH, DivergenceBet, best_bet, gains

_FEW_TERMS = 4
"""Of a polynomial that is told in words."""


@dataclass(frozen=True)
class Score:
    """The function ``scale * column + offset``, cut to the limits ``low`` and ``high``.

    A run without the column, or with NaN there, gets the offset.

    Attributes
    ----------
    column
        The name of a column, seen or derived.
    scale, offset
        Finite numbers.
    low, high
        The limits, within 30 of 0.
    derived
        Definitions of the columns that are not seen directly, in the order of their dependence.
    grids
        As for an event.
    """

    column: str
    scale: float
    offset: float
    low: float
    high: float
    derived: tuple[Definition, ...] = ()
    grids: tuple[tuple[str, Grid], ...] = ()

    def __call__(self, table: Table) -> Floats:
        """The value for each run, within the limits."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.scale * self.raw(table) + self.offset
        return np.clip(np.where(np.isnan(values), self.offset, values), self.low, self.high)

    def raw(self, table: Table) -> Floats:
        """The column of each run, 0 where it is missing."""
        column = Event((), self.derived, self.grids).extended(table).column(self.column)
        return np.where(np.isnan(column), 0.0, column)

    @property
    def features(self) -> frozenset[str]:
        """The columns of a table that decide its value."""
        return needed([self.column], self.derived)[1]

    def describe(self) -> str:
        """The score in words."""
        own = next((one for one in reversed(self.derived) if one.name == self.column), None)
        told = f"{self.scale:.6g} times the {self.column} {self.offset:+.6g}, cut to {self.low:.4g} .. {self.high:.4g}"
        if isinstance(own, Polynomial) and len(own.terms) <= _FEW_TERMS:
            sums = " ".join(" ".join([f"{weight:+.6g}", *names]) for names, weight in own.terms)
            told += f", where the {self.column} is {sums}"
        return told

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        described = document(self, "description=describe column scale offset low high derived")
        return described | grids_to_dict(self.grids)

    def on(self, reading: Reading | None) -> Score:
        """The same score of numbers that are read in this way; by default, as they are."""
        return self if reading is None else replace(self, **reading.fields(self.features, self.derived))

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> Score:
        """Read what :meth:`to_dict` wrote; :class:`InputError` names the place of what is no part of a score."""
        document = Field.of(values)
        low = document["low"].number(-MOST_HIGH, MOST_HIGH)
        return cls(
            document["column"].text(),
            document["scale"].number(),
            document["offset"].number(),
            low,
            document["high"].number(low, MOST_HIGH),
            definitions_in(document["derived"]),
            grids_in(document),
        )


_LEAST_RUNS = 128
_MOST_FITTED, _MOST_HELD = 30_000, 20_000
_SCALES = (0.5, 0.7, 0.85, 0.95, 1.0)
_CUT = (0.0, 0.01, 0.02, 0.05)
"""Parts of the runs whose scores are cut to a limit, on each side."""
_SELDOM = 30
"""Runs whose scores are cut, as a further choice. Rare large scores on the right side cost more than they show."""
_CAUTION = 2.0
"""Standard errors that the choice of a score takes off."""


@dataclass(frozen=True)
class ScoreBet:
    """A score, and the bet that the divergence between the two sides is large.

    Attributes
    ----------
    score
        The function.
    fraction
        Of the wealth.
    turned
        Whether the divergence is that of the right from the left stream.
    worth
        The bound on rho that is expected of it.
    """

    score: Score
    fraction: float
    turned: bool
    worth: float = 0.0

    @property
    def bet(self) -> DivergenceBet:
        """The bet with the limits of the score."""
        return DivergenceBet(self.score.low, self.score.high, self.fraction)

    def lower_bound(self, left: Floats, right: Floats, *, error: float) -> float:
        """The lower bound on rho from the values of the score on equally many fresh runs of both sides."""
        ours, theirs = (right, left) if self.turned else (left, right)
        return self.bet.lower_bound(ours, theirs, error=error)


def learn_score(left: Table, right: Table, *, runs: int, error: float) -> ScoreBet | None:
    """The score with the largest expected bound on rho."""
    known = LIKELIHOOD_RATIO in left.names
    count = min(left.runs, right.runs)
    if count < _LEAST_RUNS:
        return None
    left, right = (table.rows(0, count) for table in (left, right))
    if known:
        held = left.rows(0, _MOST_HELD), right.rows(0, _MOST_HELD)
        found = [_tuned(LIKELIHOOD_RATIO, (), *held, runs, error)]
        return _best(found)
    names = tuple(dict.fromkeys((*left.names, *right.names)))
    left, right = left.select(names), right.select(names)
    part = min(count // 2, _MOST_FITTED)
    fitted = left.rows(0, part), right.rows(0, part)
    ours, theirs, derived = with_features(*fitted, learned=False)
    held = left.rows(part, part + _MOST_HELD), right.rows(part, part + _MOST_HELD)
    found = []
    wide = every_column(*fitted) if len(names) > 1 else None
    for score in (*fitted_scores(ours, theirs), *([wide] if wide is not None else [])):
        definitions: tuple[Definition, ...] = (*needed(score.inputs, derived)[0], score)
        found.append(_tuned(score.name, definitions, *held, runs, error))
    return _best(found)


def _best(found: list[ScoreBet | None]) -> ScoreBet | None:
    return max((one for one in found if one is not None), key=lambda one: one.worth, default=None)


def _tuned(
    column: str, derived: tuple[Definition, ...], left: Table, right: Table, runs: int, error: float
) -> ScoreBet | None:
    """The best scale and limits of one column, in the better direction."""
    plain = Score(column, 1.0, 0.0, -MOST_HIGH, MOST_HIGH, derived)
    ours, theirs = plain.raw(left), plain.raw(right)
    if not usable(np.concatenate([ours, theirs])):
        return None
    tried = (
        _cut(plain, part, scale, turned, (theirs, ours) if turned else (ours, theirs), runs, error)
        for turned in (False, True)
        for scale in _SCALES
        for part in sorted({*_CUT, min(_SELDOM / ours.size, max(_CUT))})
    )
    best = _best(list(tried))
    if best is None:
        return None
    score = best.score
    sides = score(left), score(right)
    fraction, _ = best_bet(*(sides[::-1] if best.turned else sides), score.low, score.high, runs=runs, error=error)
    return replace(best, fraction=fraction)


def _cut(
    plain: Score, part: float, scale: float, turned: bool, sides: tuple[Floats, Floats], runs: int, error: float
) -> ScoreBet | None:
    """The column with one scale and one part that is cut, and the best fraction for it."""
    signed = -scale if turned else scale
    ours, theirs = (signed * values for values in sides)
    ends = np.quantile(np.concatenate([ours, theirs]), (part, 1 - part))
    low, high = (float(value) for value in np.clip(ends, -MOST_HIGH, MOST_HIGH))
    # With this offset the mean of exp(f) on the second side is 1, where the linear bound of the logarithm is exact.
    offset = -float(np.log(np.exp(np.clip(theirs, low, high)).mean()))
    low, high = max(low + offset, -MOST_HIGH), min(high + offset, MOST_HIGH)
    if not low < high:
        return None
    score = replace(plain, scale=signed, offset=offset, low=low, high=high)
    ours, theirs = (np.clip(values + offset, low, high) for values in (ours, theirs))
    fraction, worth = best_bet(ours, theirs, low, high, runs=runs, error=error, quickly=True)
    worth -= _CAUTION * float(gains(ours, theirs).std()) / np.sqrt(ours.size)
    return ScoreBet(score, fraction, turned, float(worth))
