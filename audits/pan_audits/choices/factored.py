"""The randomness that leaves arrays of random choices open, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from pan_audits.choices.enumerating import EnumeratingRandomness
from pan_audits.choices.errors import REMEMBERED, TooLargeError
from pan_audits.choices.followed import FollowedArray, FollowedUniforms
from pan_estimators.randomness.arguments import Size, shaped

_MOST_WAYS = 64
"""Greatest number of outcomes of one element."""

_MOST_CHOICES = 4_000
"""Greatest number of random choices in arrays. The check takes some 10 ms for each of them."""


class FactoredRandomness(EnumeratingRandomness):
    """Random choices of which several at once become arrays of tables, over one uniform number for each element.

    Single choices follow the script as before.

    Attributes
    ----------
    least
        The least number of choices that become an array.
    """

    least = 2

    def __init__(self, script: tuple[int, ...] = (), moment: int = 0, drawn: Sequence[float] | None = None) -> None:
        super().__init__(script, moment)
        self.drawn = drawn
        self.variables = 0

    def bernoulli(self, probability: Any, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.bernoulli, size, probability)
        if size < self.least:
            return super().bernoulli(probability, size)
        p = self._probability(probability)
        return self._among([p, 1 - p], [np.bool_(True), np.bool_(False)], size)

    def uniform_integers(self, low: int, high: int, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.uniform_integers, size, low, high)
        span = int(high) - int(low)
        if size < self.least or not 1 <= span <= _MOST_WAYS:
            return super().uniform_integers(low, high, size)
        return self._among([Fraction(1, span)] * span, [np.int64(low + step) for step in range(span)], size)

    def uniform_numbers(self, low: Any, high: Any, size: int) -> Any:
        if size < self.least:
            return super().uniform_numbers(low, high, size)
        variables = self._variables(size)
        if self.drawn is None:
            return FollowedUniforms(low, high, variables, self.bernoulli)
        return np.array([low + (high - low) * self.drawn[one] for one in variables], dtype=np.float64)

    def _places(self, weights: list[Fraction], size: int) -> Any:
        total = sum(weights)
        if size < self.least or not total or sum(map(bool, weights)) > _MOST_WAYS:
            return super()._places(weights, size)
        return self._among([weight / total for weight in weights], [np.int64(n) for n in range(len(weights))], size)

    def binomial_numbers(self, trials: int, probability: Any, size: int) -> Any:
        if size < self.least or trials >= _MOST_WAYS:
            return super().binomial_numbers(trials, probability, size)
        return self._places(self._binomial_weights(trials, probability), size)

    def _among(self, chances: Sequence[Fraction], values: Sequence[Any], size: int) -> Any:
        """One of some values for each of several uniform numbers."""
        ends = [Fraction(0), *accumulate(chances)]
        rows = [(low, high, value) for (low, high), value in zip(pairwise(ends), values, strict=True) if low < high]
        variables = self._variables(size)
        if self.drawn is not None:
            drawn = [Fraction(self.drawn[one]) for one in variables]
            return np.array([next(value for low, high, value in rows if one < high) for one in drawn])
        tables = np.empty(size, dtype=object)
        for place, one in enumerate(variables.tolist()):
            if len(rows) == 1:
                tables[place] = (((), rows[0][2]),)
            else:
                tables[place] = tuple((((one, low, high),), value) for low, high, value in rows)
        return FollowedArray(tables)

    def _variables(self, size: int) -> np.ndarray[Any, Any]:
        self.variables += size
        if self.variables > _MOST_CHOICES:
            error = TooLargeError(f"one step makes more than {_MOST_CHOICES:,} random choices")
            REMEMBERED.append(error)
            raise error
        return np.arange(self.variables - size, self.variables)


class SinglyFactoredRandomness(FactoredRandomness):
    """The same, for which a single choice becomes an array too: for choices that are made in a loop."""

    least = 1
