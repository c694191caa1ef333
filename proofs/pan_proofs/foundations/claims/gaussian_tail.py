"""Both tails of one normal variable."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import le
from pan_proofs.engines.shapes import Hump
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.lengths_and_limits import by_shape
from pan_proofs.ledger.steps import below_on_box, equal, found

_x, _y = sp.symbols("x y", positive=True)
_s = sp.Symbol("s", real=True)


def _tail() -> sp.Expr:
    density = sp.exp(-(_s**2) / 2) / sp.sqrt(2 * sp.pi)
    return sp.expand(2 * sp.integrate(density, (_s, _x, sp.oo)))


def _tail_in_y() -> sp.Expr:
    return sp.simplify(_tail().subs(_x, sp.sqrt(2) * _y))


def gaussian_tail() -> Claim:
    """``P(|N| >= x) <= exp(-x^2/2)``, without the factor 2 of the usual bound."""
    in_y = _tail_in_y()
    excess = sp.exp(-(_y**2)) - in_y
    slope = sp.diff(excess, _y)
    steps = (
        equal(
            "tail",
            r"By integrating the density, with $y = x/\sqrt2$:",
            "P(|N| \\ge x)",
            _tail_in_y,
            1 - sp.erf(_y),
        ),
        equal(
            "slope",
            r"The excess of the bound is $f(y) = e^{-y^2} - (1 - \operatorname{erf} y)$. Its derivative has one zero.",
            "f'(y)",
            slope,
            2 * sp.exp(-(_y**2)) * (1 / sp.sqrt(sp.pi) - _y),
        ),
        found(
            "ends",
            r"So $f$ rises on $[0, 1/\sqrt\pi]$ and falls from there on. As $f(0) = 0$ and $f(y) \to 0$ for "
            r"$y \to \infty$, it is positive for all $y > 0$, and the bound is attained at $0$.",
            "f(0), the limit of f at infinity, and the zeros of f'",
            lambda: (sp.simplify(excess.subs(_y, 0)), sp.limit(excess, _y, sp.oo), *sp.solve(slope, _y)),
            (sp.S.Zero, sp.S.Zero, 1 / sp.sqrt(sp.pi)),
            engine="sympy",
            lines=r"f(0) = \lim_{y \to \infty} f(y) &= 0",
        ),
        by_shape(
            "hump",
            r"Together:",
            Hump(
                "gaussian_tail.hump",
                in_y,
                sp.exp(-(_y**2)),
                _y,
                1 / sp.sqrt(sp.pi),
                2 * sp.exp(-(_y**2)),
                sp.Rational(1, 50),
                sp.Rational(1, 20),
            ),
            lines=r"1 - \operatorname{erf} y &< e^{-y^2} \qquad (y > 0)",
        ),
        below_on_box(
            "balls",
            r"Independently, on the range where both sides are sizeable:",
            in_y,
            sp.exp(-(_y**2)),
            {_y: (sp.Rational(1, 50), sp.Integer(4))},
            closest={_y: sp.Rational(1, 50)},
            weaker=sp.Rational(9, 10),
            lines=r"1 - \operatorname{erf} y &< e^{-y^2} \qquad (\tfrac1{50} \le y \le 4)",
        ),
    )
    return Claim(
        id="lemma.gaussian_tail",
        title="Both tails of a normal variable",
        references=(Reference("here", "lemma"),),
        statement=r"For $N$ standard normal and $x \ge 0$: $P(|N| \ge x) \le e^{-x^2/2}$.",
        parts=(
            Part(
                Role.PUBLISHED,
                "without the factor 2",
                r"The bound holds for all $x \ge 0$, with equality only at $0$.",
                steps,
                formal=symbolic(le(_tail(), sp.exp(-(_x**2) / 2)), where={_y: _x / sp.sqrt(2)}),
            ),
        ),
        remark=r"The usual proof by exponential moments gives $2 e^{-x^2/2}$.",
    )


CLAIMS = {"lemma.gaussian_tail": gaussian_tail}
