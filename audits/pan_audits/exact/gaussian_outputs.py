"""The law of an output with Gaussian noise: its discrete part, its mean and its covariance, as fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq, fmpq_mat

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.laws import DiscreteGaussianLaw, GaussianLaw, Noise
from pan_audits.choices.numbers import Number
from pan_audits.exact.history import Key, Seen
from pan_audits.exact.observation import Lattice
from pan_audits.exact.stepping import Stepper

Covariance: TypeAlias = tuple[tuple[Fraction, ...], ...]
"""The rows of a covariance matrix."""

CLEAR = 1e-10
"""Least part of a combination of outputs that the rounding of weights of noise does not explain."""

_LARGEST_DENOMINATOR = 10**5


@dataclass(frozen=True)
class GaussianOutput:
    """The law of the output of one path.

    Attributes
    ----------
    key
        The discrete part.
    mean
        The means of the noisy numbers, in their order.
    covariance
        Their covariance.
    lattices
        For noise on the integers: the possible values of each noisy number. The loss of two laws of such noise on one
        lattice is that of Gaussian noise (Canonne, Kamath and Steinke 2020, Proposition 5); it is attained for
        integer orders, where the sum over the integers is that of a shifted copy.
    """

    key: Key
    mean: tuple[Fraction, ...]
    covariance: Covariance
    lattices: tuple[Lattice | None, ...] = ()


OutputLaw: TypeAlias = Mapping[GaussianOutput, Number]
"""The probability of each path of an output; one path if no random choice is discrete."""


@dataclass
class GaussianOutputs:
    """The laws of the outputs of an estimator's code.

    Attributes
    ----------
    stepper
        It runs the code.
    exact
        Whether all weights of noise so far, and all means, were simple fractions.
    """

    stepper: Stepper
    exact: bool = True
    _covariances: dict[Any, Covariance] = field(default_factory=dict)
    _known: dict[Covariance, Covariance] = field(default_factory=dict)

    def law(self, label: str) -> OutputLaw:
        """The law of the output on a whole input."""
        found: dict[GaussianOutput, Number] = {}
        for probability, seen in self.stepper.outputs_on(label):
            output = self._output(seen)
            found[output] = found.get(output, fmpq(0)) + probability
        return found

    def _output(self, seen: Seen) -> GaussianOutput:
        mean = tuple(number.constant for number in seen.numbers)
        self.exact &= all(one.denominator <= _LARGEST_DENOMINATOR for one in mean)
        return GaussianOutput(seen.key, mean, self._covariance(seen), _lattices(seen))

    def _covariance(self, seen: Seen) -> Covariance:
        """The covariance. Equal ones are one object, and are computed once for equal combinations of noise."""
        order: dict[Noise, int] = {}
        for number in seen.numbers:
            for noise, _ in number.terms:
                order.setdefault(noise, len(order))
        rows = tuple(tuple((order[noise], weight) for noise, weight in number.terms) for number in seen.numbers)
        name = rows, tuple(noise.law for noise in order)
        if name not in self._covariances:
            variances = [_variance(noise) for noise in order]
            simple = all(weight.denominator <= _LARGEST_DENOMINATOR for row in rows for _, weight in row)
            self.exact &= simple
            made = _covariance(rows, variances)
            if not simple:
                _require_clear_rank(made)
            self._covariances[name] = self._known.setdefault(made, made)
        return self._covariances[name]


def _require_clear_rank(covariance: Covariance) -> None:
    """Refuse rounded weights of noise that nearly cancel: their rounding would decide where noise is."""
    values = np.linalg.eigvalsh(np.array([[float(one) for one in row] for row in covariance]))
    clear = int(np.count_nonzero(values > CLEAR * values[-1]))
    flat = [fmpq(one.numerator, one.denominator) for row in covariance for one in row]
    if fmpq_mat(len(covariance), len(covariance), flat).rank() != clear:
        raise UnfollowableError(
            "noise with rounded weights nearly cancels in a combination of outputs, and the check follows real numbers "
            "(weights that are simple fractions can be followed)"
        )


def _lattices(seen: Seen) -> tuple[Lattice | None, ...]:
    terms = [term for number in seen.numbers for term in number.terms]
    if not any(isinstance(noise.law, DiscreteGaussianLaw) for noise, _ in terms):
        return ()
    if any(len(number.terms) > 1 for number in seen.numbers) or len({noise for noise, _ in terms}) < len(terms):
        raise UnfollowableError(
            "an output is a sum of several noise variables, one of them discrete Gaussian, or two outputs share one; "
            "neither can be followed exactly"
        )
    found: list[Lattice | None] = []
    for number in seen.numbers:
        if not number.terms:
            found.append(None)
            continue
        ((noise, weight),) = number.terms
        whole = number.constant / abs(weight)
        offset = whole - whole.numerator // whole.denominator
        found.append(Lattice(abs(weight), offset) if isinstance(noise.law, DiscreteGaussianLaw) else None)
    return tuple(found)


def _variance(noise: Noise) -> Fraction:
    if not isinstance(noise.law, (GaussianLaw, DiscreteGaussianLaw)):
        raise UnfollowableError("an output carries noise that is not Gaussian, and the check follows no rho of it")
    return noise.law.variance


def _covariance(rows: tuple[tuple[tuple[int, Fraction], ...], ...], variances: list[Fraction]) -> Covariance:
    weights = [dict(row) for row in rows]
    return tuple(
        tuple(
            sum((one[noise] * other[noise] * variances[noise] for noise in one if noise in other), Fraction(0))
            for other in weights
        )
        for one in weights
    )
