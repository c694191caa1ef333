"""The largest ratio of two mixtures of Laplace densities is attained at an atom.

A mixture puts weights on locations (its atoms) and adds noise that decays exponentially on both
sides, with one rate upwards and one downwards. Between two neighbouring atoms of either mixture,
both are combinations of one rising and one falling exponential, so that their ratio is monotone;
beyond the outermost atoms it is constant. Hence the supremum over the line is the maximum over the
atoms. For vectors the same holds for each coordinate with the others fixed, and moving one
coordinate after the other to an atom never lowers the ratio: the supremum is attained on the grid.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.engines.computations import free_of, of_one_sign, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Obligation


def monotone_between_atoms() -> tuple[Obligation, ...]:
    """The ratio is monotone between neighbouring atoms: for densities on the line, and on the integers.

    Below an atom its density rises, ``exp(rise y)``; above it falls, ``exp(-fall y)``; at the atom
    both forms hold. So between neighbouring atoms, ends included, ``N = a U + b V`` and
    ``D = c U + d V`` with U rising and V falling, and a, b, c, d not negative.
    """
    a, b, c, d = sp.symbols("a b c d", nonnegative=True)
    y = sp.Symbol("y", real=True)
    rise, fall, scale = sp.symbols("rise fall s", positive=True)
    up, down = sp.exp(rise * y), sp.exp(-fall * y)
    above, below = a * up + b * down, c * up + d * down
    slope = sp.diff(above / below, y) * below**2
    claimed = (a * d - b * c) * (rise + fall) * up * down
    k = sp.Symbol("k", integer=True)
    alpha, beta = sp.symbols("alpha beta", positive=True)

    def lattice(first: sp.Expr, second: sp.Expr, place: sp.Expr) -> sp.Expr:
        return first * alpha**place + second * beta**place

    step = lattice(a, b, k + 1) * lattice(c, d, k) - lattice(a, b, k) * lattice(c, d, k + 1)
    return (
        equality(
            "laplace_mixture.slope",
            slope,
            claimed,
            "(N/D)' D^2 = (ad - bc)(rise + fall) U V on the line",
        ),
        equality(
            "laplace_mixture.slope_one_scale",
            slope.subs({rise: 1 / scale, fall: 1 / scale}),
            2 * (a * d - b * c) / scale,
            "the same is 2 (ad - bc)/s for the Laplace density of scale s",
        ),
        of_one_sign(
            "laplace_mixture.sign",
            "the slope has the sign of ad - bc throughout the interval: its other factor is positive",
            (rise + fall) * up * down,
        ),
        equality(
            "laplace_mixture.step",
            step,
            (a * d - b * c) * (alpha - beta) * alpha**k * beta**k,
            "N(k+1) D(k) - N(k) D(k+1) = (ad - bc)(alpha - beta)(alpha beta)^k on the integers",
        ),
    )


def constant_beyond_atoms() -> tuple[Obligation, ...]:
    """Beyond the outermost atoms one of the two exponentials is missing, and the ratio is constant."""
    fall, rise = sp.symbols("fall rise", positive=True)
    y = sp.Symbol("y", real=True)
    places = sp.symbols("l_1:3", real=True)
    mixtures = [sp.symbols(f"{name}_1:3", positive=True) for name in "bd"]

    def density(weights: Sequence[sp.Symbol], rate: sp.Expr) -> sp.Expr:
        return sum(weight * sp.exp(rate * (y - place)) for weight, place in zip(weights, places, strict=True))

    return tuple(
        equality(
            f"laplace_mixture.{side}",
            sp.diff(density(mixtures[0], rate) / density(mixtures[1], rate), y),
            sp.S.Zero,
            f"N/D is constant {side} all atoms; here with two of them",
        )
        for side, rate in (("above", -fall), ("below", rise))
    )


def monotone_in_one_coordinate() -> Obligation:
    """With all coordinates but one fixed, a mixture of products is a mixture in that one, over the same scale.

    The coefficients of the two exponentials are sums of weights times the other coordinates'
    densities; that they are not negative, and free of the coordinate, is all that the argument on
    the line uses.
    """
    y, z = sp.symbols("y z", real=True)
    first, second = sp.symbols("s_1 s_2", positive=True)
    weights = sp.symbols("w_1:4", positive=True)
    places = sp.symbols("l_1:4", real=True)
    # The first atom lies below y in the free coordinate, the other two above.
    kernels = [sp.exp(-(y - places[0]) / first), *(sp.exp((y - place) / first) for place in places[1:])]
    others = sp.symbols("z_1:4", real=True)
    fixed = [sp.exp(-sp.Abs(z - other) / second) for other in others]
    mixture = sum(w * kernel * rest for w, kernel, rest in zip(weights, kernels, fixed, strict=True))
    down = weights[0] * fixed[0] * sp.exp(places[0] / first)
    up = sum(
        w * rest * sp.exp(-place / first) for w, rest, place in zip(weights[1:], fixed[1:], places[1:], strict=True)
    )
    name = "laplace_mixture.coordinate"
    return together(
        name,
        "N = a exp(y/s) + b exp(-y/s) in one coordinate, a and b positive and free of it",
        equality(f"{name}.form", mixture, up * sp.exp(y / first) + down * sp.exp(-y / first)),
        of_one_sign(f"{name}.sign", "the coefficients are positive", up, down),
        free_of(f"{name}.rising", "the coefficient of exp(y/s) is free of y", up, y),
        free_of(f"{name}.falling", "the coefficient of exp(-y/s) is free of y", down, y),
    )
