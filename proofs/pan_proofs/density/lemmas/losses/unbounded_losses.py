"""Two published estimators with no finite joint loss: real-valued cells, and distinct sampling.

Real-valued cells (thesis, Algorithm 4.3). Let the user appear before the intrusion in both
streams, and once more after it in one of them. The seen cell x has the same density in both, so
that the ratio of the joint densities is that of the outputs: with the cell kept, the output is x
plus noise; with the cell redrawn it is a fresh cell plus noise, whatever x was. At the output x,
for x to infinity, the first density stays at the noise's peak and the second vanishes.

Distinct sampling (paper, Algorithm 3). While the level is 0, a sample never holds m users or more
after an update. From m - 1 members without the user, an appearance adds the user with probability
p1, which fills the sample and raises the level for good; so the state is still the same after k
appearances with probability ``(1 - p1)^k``, and no other earlier state leads to it.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.engines.computations import comparison, computed_value, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import gt

cell, place, mean = sp.symbols("x y mu", real=True)
scale, other_scale = sp.symbols("s t", positive=True)
appearances = sp.Symbol("k", integer=True, nonnegative=True)
chance = sp.Symbol("p_1", positive=True)


@cache
def redrawn_density(equal_scales: bool = True) -> sp.Expr:
    """Density at ``y > mu`` of a cell ``Laplace(mu, s)`` plus noise ``Laplace(0, t)``, or ``t = s``, by integrating."""
    width = scale if equal_scales else other_scale
    above = sp.Symbol("h", positive=True)  # y - mu
    z = sp.Symbol("z", real=True)
    gap = sp.Symbol("g", positive=True)  # 1/s - 1/t, or its negative: the sign does not matter to the antiderivative
    left = sp.integrate(sp.exp(z * (1 / scale + 1 / width)), (z, -sp.oo, 0)) * sp.exp(-above / width)
    if equal_scales:
        middle = sp.integrate(sp.Integer(1), (z, 0, above)) * sp.exp(-above / scale)
    else:
        middle = sp.integrate(sp.exp(-z * gap), (z, 0, above)).subs(gap, 1 / scale - 1 / width) * sp.exp(-above / width)
    right = sp.integrate(sp.exp(-z * (1 / scale + 1 / width)), (z, above, sp.oo)) * sp.exp(above / width)
    return sp.simplify((left + middle + right) / (4 * scale * width)).subs(above, place - mean)


def kept_to_redrawn() -> sp.Expr:
    """Ratio of the two densities at the output ``y = x``, for cells and noise of one scale."""
    peak = 1 / (2 * scale)
    return sp.simplify(peak / redrawn_density().subs(place, cell))


def real_cells_are_unbounded() -> tuple[Obligation, ...]:
    """The joint loss of the estimator with Laplace cells exceeds every bound."""
    density = redrawn_density()
    height = sp.Symbol("h", positive=True)
    above = density.subs(place, mean + height)
    ratio = sp.simplify(kept_to_redrawn().subs(cell, mean + height))
    other = redrawn_density(equal_scales=False).subs(place, mean + height)
    concrete = other.subs({scale: 1, other_scale: sp.Rational(1, 3)})
    gap, epsilon, size = sp.symbols("Delta epsilon m", positive=True)
    cells = (gap / epsilon) / (size * gap)  # cells of scale Delta/eps; one cell's weight is 1/(m Delta)
    return (
        equality(
            "unbounded.one_scale",
            cells,
            1 / (epsilon * size),
            "as printed, a cell has the scale 1/(eps m) in units of the output, which is the noise's",
        ),
        # The density is symmetric about mu, so that the half above it must integrate to 1/2.
        computed_value(
            "unbounded.convolution",
            f"the redrawn output has the density {density} above mu; its integral there",
            lambda: sp.integrate(sp.expand(above), (height, 0, sp.oo)),
            sp.Rational(1, 2),
            engine="sympy",
        ),
        computed_value(
            "unbounded.real_cells",
            f"the limit of {ratio} as the cell's distance h from mu tends to infinity",
            lambda: sp.limit(ratio, height, sp.oo),
            sp.oo,
            engine="sympy",
        ),
        together(
            "unbounded.real_cells_other_scale",
            "the same for noise of a third of the cells' scale: "
            "the redrawn density vanishes at infinity and is positive before, as at h = 1",
            computed_value(
                "unbounded.real_cells_other_scale.limit",
                "the limit of the redrawn density",
                lambda: sp.limit(concrete, height, sp.oo),
                sp.S.Zero,
                engine="sympy",
            ),
            comparison(
                "unbounded.real_cells_other_scale.before",
                gt(concrete, 0),
                {height: sp.S.One},
            ),
        ),
    )


def distinct_sampling_ratio() -> sp.Expr:
    """P(a state of level 0, one short of full, without the user) for no appearance, over that for k at the end."""
    # States: unchanged; filled up, which no path leaves for a state of level 0.
    step = sp.Matrix([[1 - chance, chance], [0, 1]])
    unchanged = sp.Matrix([[1, 0]])
    after = (unchanged * step**appearances)[0, 0]
    return sp.simplify(1 / after)


def distinct_sampling_loss() -> sp.Expr:
    """The cost of k appearances, ``-k log(1 - p1)``: a lower bound on the loss of the state."""
    return sp.expand_log(sp.log(distinct_sampling_ratio()), force=True)


def distinct_sampling_is_unbounded() -> tuple[Obligation, ...]:
    """The loss of the state of Algorithm 3, before any output, exceeds every bound."""
    odds = sp.Symbol("o", positive=True)  # p1/(1 - p1), so that 1/(1 - p1) = 1 + o
    count = sp.Symbol("k", positive=True)
    return (
        computed_value(
            "unbounded.distinct_sampling.ratio",
            "the state's ratio, from the powers of the transition matrix",
            distinct_sampling_ratio,
            (1 - chance) ** (-appearances),
            engine="sympy",
        ),
        together(
            "unbounded.distinct_sampling",
            "the loss tends to infinity with the number of appearances",
            computed_value(
                "unbounded.distinct_sampling.limit",
                "the limit of k log(1 + o) for any o > 0",
                lambda: sp.limit(count * sp.log(1 + odds), count, sp.oo),
                sp.oo,
                engine="sympy",
            ),
            equality(
                "unbounded.distinct_sampling.base",
                1 / (1 - chance),
                1 + chance / (1 - chance),
                "the base of the ratio is 1 + o for the odds o = p_1/(1 - p_1)",
            ),
        ),
    )
