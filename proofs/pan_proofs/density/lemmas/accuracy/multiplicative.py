"""A multiplicative error: for densities above a bound from the additive one, and for all densities for no algorithm."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.notation import alpha, beta
from pan_proofs.ledger.steps import at_most, counterexample

_error, _density, _least, _share = sp.symbols("E d d_min gamma", nonnegative=True)
_ABOVE = (
    le(_error, alpha),
    le(alpha, _share * _least),
    le(_least, _density),
)
_RELATIVE = le(_error, _share * _density)
_chance, _other = sp.symbols("P Pprime", nonnegative=True)
_factor = sp.Symbol("F", positive=True)
_TOLD_APART = (
    le(1 - beta, _chance),
    le(_chance, _factor * _other),
    le(_other, beta),
)
_FAILS_OFTEN = le(1 / (1 + _factor), beta)


def above_a_density() -> Part:
    """From an additive error to a multiplicative one."""
    return Part(
        Role.READING,
        "a multiplicative error, for densities above a bound",
        r"The multiplicative mechanism is named and left to its source. For densities $d \ge d_{\min}$ the theorem "
        r"with "
        r"$\alpha = \gamma d_{\min}$ gives it, with $m = O(\frac{1}{\varepsilon^2 \gamma^2 d_{\min}^2} "
        r"\log\frac1\beta)$: an error of at most $\gamma d$. In the formula $E$ is the error.",
        (
            at_most(
                "relative",
                r"With probability $1 - \beta$:",
                Inequality(
                    "multiplicative.relative",
                    _RELATIVE.lhs,
                    _RELATIVE.rhs,
                    _ABOVE,
                    touching={_error: 1, alpha: 1, _share: 1, _least: 1, _density: 1},
                ),
                lines=(r"E \le \gamma d_{\min} &\le \gamma d",),
            ),
        ),
        formal=symbolic(_RELATIVE, given=_ABOVE),
    )


def for_every_density() -> Part:
    """No private output has it for every density."""
    return Part(
        Role.READING,
        "a multiplicative error, for every density",
        r"No $\varepsilon$-differentially private output has an error of at most $\gamma d$, $\gamma < 1$, with "
        r"probability $1 - \beta$ for every density $d$, if $\beta < \frac{1}{1 + e^\varepsilon}$: it must be $0$ for "
        r"the empty stream, and must not be $0$ if one user appears. In the formula $P$ and $P'$ are the probabilities "
        r"of $0$ in these cases, and $F = e^\varepsilon$.",
        (
            at_most(
                "told_apart",
                r"From $1 - \beta \le P \le F P' \le F \beta$:",
                Inequality(
                    "multiplicative.told_apart",
                    _FAILS_OFTEN.lhs,
                    _FAILS_OFTEN.rhs,
                    _TOLD_APART,
                    touching={
                        beta: sp.Rational(1, 3),
                        _factor: 2,
                        _chance: sp.Rational(2, 3),
                        _other: sp.Rational(1, 3),
                    },
                ),
            ),
            counterexample(
                "told_apart_example",
                r"For example:",
                le(1 - beta, _factor * beta),
                {beta: sp.Rational(1, 4), _factor: sp.Integer(2)},
            ),
        ),
        formal=symbolic(_FAILS_OFTEN, given=_TOLD_APART),
        holds=False,
    )
