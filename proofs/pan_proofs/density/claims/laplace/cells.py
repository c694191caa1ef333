"""Cells that hold real numbers: what two Laplace distributions of one scale tell about a user."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.laplace_integrals import laplace_density
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon, scale
from pan_proofs.ledger.steps import at_most, equal, lemma

_initial = sp.Symbol("mu_init", real=True)
_place, _one, _other = sp.symbols("z mu_1 mu_2", real=True)
_beyond = sp.Symbol("h", nonnegative=True)
_left, _right = sp.symbols("u v", positive=True)
_width = sp.Symbol("b", real=True)
_ratio = r"\frac{f_{\mathrm{upd}}(%s)}{f_{\mathrm{init}}(%s)}"


def density_ratio(place: sp.Expr, initial: sp.Expr, updated: sp.Expr, width: sp.Expr) -> sp.Expr:
    """Ratio of the two densities of a cell that holds ``place``."""
    return laplace_density(place, updated, width) / laplace_density(place, initial, width)


def ratio_steps() -> tuple[Step, ...]:
    """The ratio everywhere: bounded by the triangle inequality, and its value in each of the three regions."""
    updated = _initial + epsilon * scale
    inside = _initial + _left + _right
    below, above = _initial - _beyond, updated + _beyond
    between = sp.log(density_ratio(_initial + _left, _initial, inside, scale))
    return (
        at_most(
            "triangle",
            r"By the triangle inequality the exponent of the ratio is at most $(\mu_{\mathrm{upd}} - "
            r"\mu_{\mathrm{init}})/b = \varepsilon$, for every content $z$ of the cell; exchanging the means bounds it "
            r"below by $-\varepsilon$. The other cells have the same distribution for both streams and cancel; "
            r"integrating the "
            r"densities over a set of states gives the bound for its probability.",
            Inequality(
                "laplace_cells.triangle",
                sp.Abs(_place - _one) - sp.Abs(_place - _other),
                _other - _one,
                (_one < _other,),
                touching={_place: 2, _one: 0, _other: 1},
            ),
            lines=(
                _ratio % ("z", "z")
                + r" &= e^{(|z - \mu_{\mathrm{init}}| - |z - \mu_{\mathrm{upd}}|)/b} \le "
                + r"e^{(\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})/b} = e^{\varepsilon}",
            ),
        ),
        equal(
            "below",
            r"At $z = \mu_{\mathrm{init}} - h$ with $h \ge 0$, that is on the whole half-line up to "
            r"$\mu_{\mathrm{init}}$, the lower bound is attained.",
            _ratio % ("z", "z"),
            density_ratio(below, _initial, updated, scale),
            sp.exp(-epsilon),
        ),
        equal(
            "above",
            r"At $z = \mu_{\mathrm{upd}} + h$ with $h \ge 0$ the upper bound is attained.",
            _ratio % ("z", "z"),
            density_ratio(above, _initial, updated, scale),
            sp.exp(epsilon),
        ),
        equal(
            "between",
            r"Let $z = \mu_{\mathrm{init}} + u = \mu_{\mathrm{upd}} - v$ with $u, v > 0$. The logarithm of the ratio "
            r"is linear there.",
            rf"\log {_ratio % ('z', 'z')}",
            sp.expand_log(between, force=True),
            (_left - _right) / scale,
        ),
        at_most(
            "strictly_inside",
            r"As $\varepsilon = (u+v)/b$, it is below $\varepsilon$; exchanging $u$ and $v$, it is above "
            r"$-\varepsilon$. So the ratio is strictly inside its bounds exactly on the open interval between the "
            r"means.",
            Inequality(
                "laplace_cells.strictly_inside",
                (_one - _other) / _width,
                (_one + _other) / _width,
                (_one > 0, _other > 0, _width > 0),
                strict=True,
                touching={_other: 0, _one: 1, _width: 1},
            ),
            lines=(r"\frac{u - v}{b} &< \frac{u + v}{b} = \varepsilon",),
        ),
    )


def state_privacy() -> Claim:
    """The array of Laplace cells is epsilon-private, and no better."""
    distance = sp.Symbol("g", positive=True)
    needed = equal(
        "needed",
        r"For means at any distance $g > 0$ the ratio at and beyond the larger mean is $e^{g/b}$: the state is "
        r"$\varepsilon$-private if and only if $g \le \varepsilon b$.",
        _ratio % ("z", "z"),
        density_ratio(_initial + distance + _beyond, _initial, _initial + distance, scale),
        sp.exp(distance / scale),
    )
    half = sp.Rational(1, 2)
    updated = _initial + epsilon * scale
    attained = lemma(
        "attained",
        r"The bounds are attained on events and not only by densities: $\{z \ge \mu_{\mathrm{upd}}\}$ has the "
        r"probability $\frac12$ under $f_{\mathrm{upd}}$ and $\frac12 e^{-\varepsilon}$ under $f_{\mathrm{init}}$.",
        (
            computed_value(
                "attained.mass",
                "the mass above the centre, by integrating",
                lambda: sp.integrate(laplace_density(_left, sp.Integer(0), scale), (_left, 0, sp.oo)),
                half,
                engine="sympy",
            ),
            equality(
                "attained.ratio",
                density_ratio(updated + _beyond, _initial, updated, scale),
                sp.exp(epsilon),
                "the ratio is constant there",
            ),
        ),
        lines=(
            r"P_{\mathrm{upd}}(z \ge \mu_{\mathrm{upd}}) = \tfrac12 &= "
            r"e^{\varepsilon} P_{\mathrm{init}}(z \ge \mu_{\mathrm{upd}})",
        ),
    )
    return Claim(
        id="laplace_cells.state_privacy",
        title="The state of the Laplace density estimator",
        references=(
            Reference("here", "the part of the thesis' Theorem 4.7 that is true"),
            Reference("thesis", "proof of Theorem 4.7, section 4.4.1"),
        ),
        statement=r"Cells drawn from $\operatorname{Laplace}(\mu_{\mathrm{init}}, b)$ before and from "
        r"$\operatorname{Laplace}(\mu_{\mathrm{upd}}, b)$ after a user's first appearance, with "
        r"$(\mu_{\mathrm{upd}} - \mu_{\mathrm{init}})/b = \varepsilon$: at any time the array of cells is "
        r"$\varepsilon$-differentially private at the user level, for every $\varepsilon > 0$, and for no smaller "
        r"budget.",
        notation=(
            (
                r"$P_{\mathrm{init}}$, $P_{\mathrm{upd}}$",
                "probabilities of the cell's values before and after an appearance",
            ),
        ),
        hypotheses=(r"$b > 0$", r"$\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = \varepsilon b > 0$"),
        silent=(
            r"Fresh draws are independent of everything before; an appearance redraws the cell, so that its "
            r"distribution does "
            r"not depend on the number of appearances.",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "private and tight",
                r"For every $z$: $e^{-\varepsilon} \le f_{\mathrm{upd}}(z)/f_{\mathrm{init}}(z) \le e^{\varepsilon}$, "
                r"with equality on the left exactly for $z \le \mu_{\mathrm{init}}$ and on the right exactly for $z "
                r"\ge \mu_{\mathrm{upd}}$; the logarithm is linear in between.",
                (*ratio_steps(), needed, attained),
                formal=symbolic(
                    sp.Le(
                        sp.Abs(sp.Abs(_place - _one) - sp.Abs(_place - _other)) / scale,
                        sp.Abs(_other - _one) / scale,
                    )
                ),
            ),
        ),
        remark=r"No assumption $\varepsilon \le \frac12$ is needed. This is about the state alone; state and output "
        r"together are another matter.",
    )


CLAIMS = {"laplace_cells.state_privacy": state_privacy}
