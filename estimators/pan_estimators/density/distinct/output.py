"""The output of a distinct user counter: the estimate, what it may be used for, and the promise of the use made."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from pan_estimators.density.distinct.likelihood import LEAST_FIT, DistinctEstimate, LevelDistribution
from pan_promises.errors import MissingExtraError

LARGE_ERROR = 0.3
"""Relative standard error from which on a warning is given."""
BEYOND = 3.0
"""An estimate is not reliable beyond this factor times the planned range."""
USELESS = 10.0
"""A larger relative standard error is not told as a number."""


@dataclass(frozen=True, repr=False)
class DistinctCount:
    """A released number of distinct users.

    Attributes
    ----------
    estimate
        The maximum likelihood estimate with its interval and its fit.
    counts
        The noisy number of ones of each level: the output itself.
    distribution
        The distribution of these counts.
    least, most
        The range of the number of users for which the counter was planned.
    promise
        The promise of the use that was made, in words.
    """

    estimate: DistinctEstimate
    counts: tuple[int, ...]
    distribution: LevelDistribution
    least: float
    most: float
    promise: str

    @property
    def count(self) -> float:
        """The estimated number of distinct users."""
        return self.estimate.count

    @property
    def low(self) -> float:
        """The lower end of the interval, in users."""
        return self.estimate.low

    @property
    def high(self) -> float:
        """The upper end of the interval, in users; infinite if no number of users is too large."""
        return self.estimate.high

    @property
    def standard_error(self) -> float:
        """The standard error of the estimate, in users."""
        return self.estimate.standard_error

    @property
    def reliable(self) -> bool:
        """Whether the counts fit one number of users within three times the range, which is not below its error."""
        return self.estimate.reliable and not self._outside

    @property
    def _outside(self) -> bool:
        return not self.least / BEYOND <= self.count <= self.most * BEYOND

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about a poor fit, a large error, or an estimate far outside the range."""
        found = []
        if not math.isfinite(self.high):
            found.append("nearly every cell is touched: the number of users has no upper limit")
        elif self.estimate.fit < LEAST_FIT:
            found.append(
                f"the counts of the levels contradict one number of users (p-value {self.estimate.fit:.2g}): "
                "ids may have been crafted by a person who knows the key"
            )
        if self._outside:
            found.append(
                "the estimate lies outside three times the planned range of "
                f"{self.least:,.0f} to {self.most:,.0f} users"
            )
        if self.count > 0 and self.standard_error > LARGE_ERROR * self.count:
            part = self.standard_error / self.count
            found.append(
                f"the standard error is {part:.0%} of the estimate"
                if part < USELESS
                else "the standard error is more than ten times the estimate"
            )
        return tuple(found)

    def lines(self) -> Iterator[str]:
        """The output for a terminal."""
        yield (
            f"distinct count  {self.count:,.0f}   {self.estimate.level:.0%} interval "
            f"{self.low:,.0f} .. {self.high:,.0f}"
        )
        yield f"standard error  {self.standard_error:,.0f}"
        yield f"reliable        {'yes' if self.reliable else 'no'}, p-value of the fit {self.estimate.fit:.2g}"
        for warning in self.warnings:
            yield f"warning         {warning}"
        yield f"promise         {self.promise}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; an infinite end of the interval is ``None``."""
        return {
            "distinct_count": self.count,
            "standard_error": self.standard_error if math.isfinite(self.standard_error) else None,
            "level": self.estimate.level,
            "interval": [self.low, self.high if math.isfinite(self.high) else None],
            "fit": self.estimate.fit,
            "reliable": self.reliable,
            "warnings": list(self.warnings),
            "level_counts": list(self.counts),
            "promise": self.promise,
        }

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(line[:16].strip())}</th><td>{escape(line[16:])}</td></tr>'
            for line in self.lines()
        )
        return f"<table>{rows}</table>"

    def plot(self) -> Any:
        """A figure of matplotlib: the counts of the levels beside their means, and the likelihood of each number.

        Raises
        ------
        MissingExtraError
            Without matplotlib (extra ``figures``).
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtraError("a plot", "figures") from None

        figure = Figure(figsize=(9, 3.2), layout="constrained")
        bars, curve = figure.subplots(1, 2)
        at = np.array([max(self.count, 1.0)])
        places, spread = np.arange(len(self.counts)), np.sqrt(self.distribution.variances(at)[0])
        bars.bar(places, self.counts, color="#0072B2", label="released")
        bars.errorbar(places, self.distribution.means(at)[0], 2 * spread, fmt="_", color="#D55E00", label="mean ± 2 sd")
        bars.set_xlabel("level")
        bars.set_ylabel("ones")
        bars.legend(fontsize=8)
        end = self.high if math.isfinite(self.high) else 10 * max(self.count, 1.0)
        width = max(end - self.low, 1.0)
        users = np.linspace(max(self.low - width / 2, 1e-3), end + width / 2, 300)
        deviance = self.distribution.deviance(np.array(self.counts, dtype=np.float64), users)
        curve.plot(users, np.exp(-(deviance - deviance.min()) / 2), color="#0072B2")
        curve.axvspan(self.low, end, alpha=0.15, color="#0072B2", label=f"{self.estimate.level:.0%} interval")
        curve.set_xlabel("distinct users")
        curve.set_ylabel("relative likelihood")
        curve.legend(fontsize=8)
        return figure
