"""Sums of independent noise variables that are one variable of a known law."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pan_audits.choices.laws import ExponentialLaw, GaussianLaw, GeometricLaw, LaplaceLaw, Law, Noise


def joined(terms: Sequence[tuple[Noise, Fraction]]) -> list[tuple[Noise, Fraction]]:
    """The same sum with fewer noise variables.

    A sum of Gaussian variables is a Gaussian variable.
    The difference of two exponential variables of equal scale is a Laplace variable. The difference of two geometric
    variables has the two-sided geometric law, with the ratio of the first above 0 and of the second below 0.
    """
    if all(isinstance(noise.law, GaussianLaw) for noise, _ in terms):
        variance = sum((noise.law.variance * weight**2 for noise, weight in terms), Fraction(0))  # type: ignore[union-attr]
        return [(Noise(sum((noise.name for noise, _ in terms), ()), GaussianLaw(variance)), Fraction(1))]
    left = list(terms)
    found: list[tuple[Noise, Fraction]] = []
    while left:
        noise, weight = left.pop(0)
        for place, (other, its_weight) in enumerate(left):
            above, below = (noise, other) if weight > 0 else (other, noise)
            law = _difference(above.law, below.law) if its_weight == -weight else None
            if law is not None:
                del left[place]
                noise, weight = Noise(noise.name + other.name, law), abs(weight)
                break
        found.append((noise, weight))
    return found


def _difference(above: Law, below: Law) -> Law | None:
    if isinstance(above, ExponentialLaw) and isinstance(below, ExponentialLaw):
        return LaplaceLaw(above.rate) if above.rate == below.rate else None
    if isinstance(above, GeometricLaw) and isinstance(below, GeometricLaw) and above.down == below.down == 0:
        return GeometricLaw(above.up, below.up)
    return None
