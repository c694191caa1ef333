"""The two-level quantiser of Laplace cells: conditional means, and the bits that it makes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from pan_proofs.foundations.laplace_integrals import laplace_integral
from pan_proofs.ledger.notation import epsilon, scale

initial = sp.Symbol("mu_init", real=True)
"""The mean before an appearance."""
updated = initial + epsilon * scale
"""The mean after one."""
boundary = (initial + updated) / 2
"""Between the two levels."""
_z = sp.Symbol("z", real=True)


@dataclass(frozen=True)
class Region:
    """The probabilities of one side of the boundary under the two distributions.

    Attributes
    ----------
    masses
        Probability before and after an appearance.
    moments
        Integral of the place, before and after.
    """

    masses: tuple[sp.Expr, sp.Expr]
    moments: tuple[sp.Expr, sp.Expr]

    @property
    def mass(self) -> sp.Expr:
        """Probability under the even mixture."""
        return (self.masses[0] + self.masses[1]) / 2

    @property
    def moment(self) -> sp.Expr:
        """Integral of the place against the even mixture."""
        return (self.moments[0] + self.moments[1]) / 2

    @property
    def mean(self) -> sp.Expr:
        """Conditional mean under the even mixture."""
        return self.moment / self.mass


@cache
def regions() -> tuple[Region, Region]:
    """Below and above the boundary, by integrating the two densities."""
    found = []
    for low, high in ((-sp.oo, boundary), (boundary, sp.oo)):
        masses, moments = (
            tuple(laplace_integral(weight, _z, centre, scale, low, high) for centre in (initial, updated))
            for weight in (sp.Integer(1), _z)
        )
        found.append(Region(masses, moments))
    return found[0], found[1]


def induced_pair() -> tuple[sp.Expr, sp.Expr]:
    """Probability of the upper level before and after an appearance."""
    return regions()[1].masses
