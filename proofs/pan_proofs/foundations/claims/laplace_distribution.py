"""Definition 2.1 of the paper: the Laplace density integrates to one; its mean, its variance, all its moments."""

from __future__ import annotations

from functools import cache, partial

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.notation import scale, tex
from pan_proofs.ledger.steps import equal, implied

place = sp.Symbol("x", real=True)
"""A place on the line."""
centre = sp.Symbol("mu", real=True)
"""The location parameter."""
_y = sp.Symbol("y", positive=True)
_n = sp.Symbol("n", positive=True, integer=True)
_k = sp.Symbol("k", positive=True, integer=True)
_F = sp.Symbol("F", positive=True)
SIDES = (1, -1)
"""Above and below the location."""


def density(at: sp.Expr) -> sp.Expr:
    """The Laplace density at a place."""
    return sp.exp(-sp.Abs(at - centre) / scale) / (2 * scale)


def half(side: int) -> sp.Expr:
    """The density on one side of the location, after substituting the distance in units of the scale."""
    at = centre + side * scale * _y
    return density(at) * sp.Abs(sp.diff(at, _y))


@cache
def gamma(power: int) -> tuple[sp.Expr, sp.Expr]:
    """An antiderivative of ``y^n e^(-y)``, and the integral from 0 to infinity by its limits."""
    antiderivative = sp.integrate(_y**power * sp.exp(-_y), _y)
    ends = sp.limit(antiderivative, _y, sp.oo) - sp.limit(antiderivative, _y, 0, "+")
    return antiderivative, ends


def integral(power: int) -> sp.Expr:
    """The integral of ``y^n e^(-y)`` from 0 to infinity."""
    return gamma(power)[1]


def moment(function: sp.Expr) -> sp.Expr:
    """Expectation of a polynomial in the place: over both sides, from the integrals of ``y^n e^(-y)``."""
    total = sp.Integer(0)
    for side in SIDES:
        # On each side the density is a constant times exp(-y); the constant is what is left at y = 0.
        weight = sp.limit(half(side), _y, 0, "+")
        inside = sp.expand(function.subs(place, centre + side * scale * _y))
        powers = {_y**power: integral(power) for power in (1, 2)}
        total += weight * expectation(inside, (_y,), powers, mass=integral(0))
    return total


def laplace_distribution() -> Claim:
    """The density's mass, mean and variance, and every central moment."""
    return Claim(
        id="density.laplace_distribution",
        title="The Laplace distribution",
        references=(
            Reference("paper", "Definition 2.1, section 2", "states mean and variance in the sentence before"),
            Reference("thesis", "Definition 2.5, section 2.2.2"),
        ),
        statement=r"For $b > 0$ the function $f(x) = \frac{1}{2b} e^{-|x-\mu|/b}$ is a probability density on the real "
        r"line. Its mean is $\mu$ and its variance $2b^2$.",
        notation=((r"$\mathrm{mass}$", "integral of $f$ over the real line"),),
        hypotheses=(r"$b > 0$", r"$\mu$ is real"),
        parts=(
            Part(
                Role.PUBLISHED,
                "mass, mean and variance",
                r"$\int f = 1$, $E[X] = \mu$ and $\mathrm{Var}(X) = 2b^2$.",
                (*halves(), *antiderivatives(), *first_moments()),
                formal=symbolic(
                    eq(sp.Symbol("mass"), 1),
                    eq(sp.Symbol("E_X"), centre),
                    eq(sp.Symbol("Var_X"), 2 * scale**2),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "all central moments",
                r"$E[(X-\mu)^n] = n!\,b^n$ for even $n$ and $0$ for odd $n$; all of these integrals converge "
                r"absolutely.",
                all_moments(),
                formal=_stated_moments(),
            ),
        ),
    )


def halves() -> Steps:
    """The density on each side of the location."""
    texts = (
        r"Above the location put $x = \mu + by$, below it $x = \mu - by$, with $y > 0$ and $|dx| = b\,dy$.",
        r"The other side gives the same.",
    )
    return tuple(
        equal(
            f"half_{name}",
            text,
            "",
            partial(half, side),
            sp.exp(-_y) / 2,
            lines=rf"f(\mu {sign} by)\,b &= {tex(sp.exp(-_y) / 2)}",
        )
        for side, sign, name, text in zip(SIDES, "+-", ("above", "below"), texts, strict=True)
    )


def antiderivatives() -> Steps:
    """The integrals of ``y^n e^(-y)`` for n = 0, 1, 2."""
    steps = []
    for power in range(3):
        found, ends = gamma(power)
        integrand = _y**power * sp.exp(-_y)
        steps += [
            equal(
                f"antiderivative_{power}",
                rf"An antiderivative of ${tex(integrand)}$ is differentiated.",
                "",
                partial(sp.diff, found, _y),
                integrand,
                lines=rf"\frac{{d}}{{dy}} \left[ {tex(found)} \right] &= {tex(integrand)}",
            ),
            equal(
                f"integral_{power}",
                r"Its limits at $\infty$ and at $0$ give the integral.",
                "",
                partial(integral, power),
                sp.factorial(power),
                lines=rf"I_{power} = \int_0^\infty {tex(integrand)}\,dy &= {tex(ends)}",
            ),
        ]
    return tuple(steps)


def first_moments() -> Steps:
    """Mass, mean and variance from the two sides."""
    return (
        equal(
            "mass",
            r"Both sides together have the mass",
            "",
            lambda: moment(sp.S.One),
            sp.S.One,
            lines=r"\tfrac12 I_0 + \tfrac12 I_0 &= 1",
        ),
        equal(
            "mean",
            r"The mean follows from $\mu \pm by$.",
            "",
            lambda: moment(place),
            centre,
            lines=r"E[X] = \tfrac12 (\mu I_0 + b I_1) + \tfrac12 (\mu I_0 - b I_1) &= \mu",
        ),
        equal(
            "variance",
            r"The variance follows from $(\pm by)^2$.",
            "",
            lambda: moment((place - moment(place)) ** 2),
            2 * scale**2,
            lines=r"\mathrm{Var}(X) = \tfrac12 b^2 I_2 + \tfrac12 b^2 I_2 &= 2b^2",
        ),
    )


_one, _before = sp.symbols("I_n I_{n-1}", positive=True)


def _sides(order: sp.Expr) -> sp.Expr:
    """Both sides of the location, in terms of the integral over one side."""
    return sum(sp.limit(half(side), _y, 0, "+") * (side * scale) ** order * _one for side in SIDES)


def _stated_moments() -> tuple[str, ...]:
    """The moments of even and of odd order; the integral over one side is the factorial of the order."""
    even = symbolic(
        eq(_sides(2 * _k), sp.factorial(2 * _k) * scale ** (2 * _k)),
        where={_one: sp.factorial(2 * _k)},
    )
    return (
        *even,
        *symbolic(eq(_sides(2 * _k - 1), 0)),
    )


def all_moments() -> Steps:
    """Central moments of every order, by induction."""
    product = -(_y**_n) * sp.exp(-_y)
    power = _y**_k / (_k * _F)
    bound = sp.Symbol("B", positive=True)
    rate, value, growth = sp.symbols("y w E", real=True)
    one, before = _one, _before

    return (
        equal(
            "growth",
            r"The exponential grows faster than any power: $e^y \ge \frac{y^k}{k!}$ for $y \ge 0$. This is true "
            r"for $k = 0$. For $k \ge 1$ the difference is $1$ at $0$, and with $F = (k-1)!$, $k! = kF$, its "
            r"derivative is the difference for $k-1$, which is not negative.",
            "",
            sp.diff(sp.exp(_y) - power, _y),
            sp.exp(_y) - _y ** (_k - 1) / _F,
            lines=r"\frac{d}{dy} \left[ e^y - \frac{y^k}{kF} \right] &= e^y - \frac{y^{k-1}}{F}",
        ),
        implied(
            "vanishing",
            r"So $e^y \ge \frac{yw}{B}$ with $w = y^n$ and $B = (n+1)!$: what is to vanish at infinity is at most",
            le(value / growth, bound / rate),
            rate > 0,
            value > 0,
            bound > 0,
            growth > 0,
            growth * bound >= rate * value,
        ),
        equal(
            "vanishes",
            r"The limit of this bound is $0$.",
            "",
            lambda: sp.limit(bound / _y, _y, sp.oo),
            sp.S.Zero,
            lines=r"\lim_{y \to \infty} \frac{B}{y} &= 0",
        ),
        equal(
            "by_parts",
            r"For $n \ge 1$ the product $-y^n e^{-y}$ vanishes at both ends, and",
            "",
            sp.diff(product, _y),
            _y**_n * sp.exp(-_y) - _n * _y ** (_n - 1) * sp.exp(-_y),
            lines=r"\frac{d}{dy} \left[ -y^n e^{-y} \right] &= y^n e^{-y} - n y^{n-1} e^{-y}",
        ),
        equal(
            "recursion",
            r"Integrating gives $0 = I_n - n I_{n-1}$, so that $I_n = n!$ by induction from $I_0 = 1$.",
            "",
            lambda: sp.solve(sp.Eq(one - _n * before, 0), one)[0],
            _n * before,
            lines=r"I_n &= n I_{n-1}",
        ),
        equal(
            "even_moments",
            r"Both sides of the location together, for an even order $n = 2k$,",
            "",
            _sides(2 * _k),
            scale ** (2 * _k) * one,
            lines=r"\tfrac12 b^{2k} I_{2k} + \tfrac12 (-b)^{2k} I_{2k} &= b^{2k} I_{2k}",
        ),
        equal(
            "odd_moments",
            r"For an odd order, $n = 2k - 1$, the two cancel.",
            "",
            _sides(2 * _k - 1),
            sp.S.Zero,
            lines=r"\tfrac12 b^{2k-1} I_{2k-1} + \tfrac12 (-b)^{2k-1} I_{2k-1} &= 0",
        ),
    )


CLAIMS = {"density.laplace_distribution": laplace_distribution}
