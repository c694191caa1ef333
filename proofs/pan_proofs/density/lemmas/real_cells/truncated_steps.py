"""Steps for truncated Laplace cells: normalisers, means and total variation."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.real_cells.truncated_distributions import (
    closed_mean,
    closed_total_variation,
    eta,
    mean,
    normaliser,
    reach,
    total_variation,
    untruncated_variation,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.ladders import positive_ladder
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, equal, lemma

_tail = sp.exp(-reach)
_eta, _reach, _w, _sinh, _cosh, _v = sp.symbols("eta L w s c v", real=True)
NAMED = {_eta: eta, _reach: reach, _w: _tail, _sinh: sp.sinh(eta), _cosh: sp.cosh(eta), _v: sp.exp(-eta)}
"""The values of the symbols that the solvers see."""


def normalised() -> tuple[Step, ...]:
    """Both distributions lose the same mass, so that the ratio is that of the untruncated distributions."""
    inside = sp.exp(-sp.Abs(sp.Symbol("z", real=True) - eta)) / 2
    other = sp.exp(-sp.Abs(sp.Symbol("z", real=True) + eta)) / 2
    return (
        equal_as(
            "normalisers",
            r"Let $z = (x - \frac12)/b$, $\eta = \varepsilon/2$, $L = 1/(2b)$ and $w = e^{-L}$: the cell takes values "
            r"$|z| \le L$, the means are $\pm \eta$, and they lie in $[0, 1]$ for $\eta \le L$. The denominator of the "
            r"truncated density is the same for both distributions, by integrating:",
            (normaliser, lambda: normaliser(sign=-1), 1 - _tail * sp.cosh(eta)),
            r"Z_{\mathrm{upd}} = Z_{\mathrm{init}} = \int_{-L}^{L} \tfrac12 e^{-|z \mp \eta|}\, dz &= 1 - w \cosh \eta",
        ),
        equal_as(
            "ratio",
            r"It cancels in the ratio, which is that of the untruncated densities and so between $e^{-\varepsilon}$ "
            r"and $e^{\varepsilon}$, the latter attained for $x \ge \mu_{\mathrm{upd}}$.",
            (lambda: (inside / normaliser()) / (other / normaliser(sign=-1)), inside / other),
            r"\frac{f_{\mathrm{upd}}(x)/Z_{\mathrm{upd}}}{f_{\mathrm{init}}(x)/Z_{\mathrm{init}}} &= "
            r"\frac{f_{\mathrm{upd}}(x)}{f_{\mathrm{init}}(x)}",
        ),
    )


def closer_means() -> tuple[Step, ...]:
    """The means move towards the middle."""
    return (
        equal_as(
            "mean",
            r"The truncated means are $\pm \mu$ with",
            (mean(), closed_mean()),
            r"\mu = \frac1Z \int_{-L}^{L} \tfrac z2 e^{-|z - \eta|}\, dz &= "
            r"\frac{\eta - (L+1)\, w \sinh \eta}{1 - w \cosh \eta}",
        ),
        lemma(
            "hyperbolic",
            r"The difference of the sides vanishes at $0$ and has the derivative $\sinh \eta + \eta e^{-\eta}$.",
            positive_ladder(
                "truncated.hyperbolic",
                eta,
                (
                    (1 + eta) * sp.sinh(eta) - eta * sp.cosh(eta),
                    sp.sinh(eta) + eta * sp.exp(-eta),
                ),
                (sp.Integer(1),),
            ),
            lines=(r"\eta \cosh \eta &< (1 + \eta) \sinh \eta",),
        ),
        at_most(
            "closer",
            r"As $\eta \le L$, the truncated mean is closer to the middle. Here $s = \sinh \eta$ and $c = \cosh \eta$.",
            Inequality(
                "truncated.closer",
                (_eta - (_reach + 1) * _w * _sinh) / (1 - _w * _cosh),
                _eta,
                (
                    _eta > 0,
                    _reach >= _eta,
                    _w > 0,
                    _w * _cosh < 1,
                    _sinh > 0,
                    _cosh > 0,
                    _eta * _cosh < (1 + _eta) * _sinh,
                ),
                strict=True,
                touching={_eta: 1, _reach: 1, _w: 0, _sinh: 2, _cosh: 3},
            ),
        ),
    )


def variation() -> tuple[Step, ...]:
    """Total variation before and after truncation."""
    sinh, cosh = (1 / _v - _v) / 2, (1 / _v + _v) / 2
    return (
        equal(
            "whole_line",
            r"The event that is told apart best is $z > 0$, where $f_{\mathrm{upd}} > f_{\mathrm{init}}$. On the whole "
            r"line the probabilities differ by",
            r"\mathrm{TV}",
            untruncated_variation,
            1 - sp.exp(-eta),
        ),
        equal_as(
            "interval",
            "On the interval they differ by",
            (total_variation(), closed_total_variation()),
            r"\mathrm{TV}_L &= \frac{1 - e^{-\eta} - w \sinh \eta}{1 - w \cosh \eta}",
        ),
        at_most(
            "less",
            r"This is less, for any scale: with $v = e^{-\eta}$ and $w = e^{-L} \le v$, and $\sinh \eta = "
            r"\frac12 (v^{-1} - v)$, $\cosh \eta = \frac12 (v^{-1} + v)$. It comes down to $\cosh \eta > 1$.",
            Inequality(
                "truncated.variation",
                (1 - _v - _w * sinh) / (1 - _w * cosh),
                1 - _v,
                (_v > 0, _v < 1, _w > 0, _w <= _v),
                strict=True,
                touching={_v: sp.Rational(1, 2), _w: 0},
            ),
            lines=(r"\mathrm{TV}_L &< \mathrm{TV}",),
        ),
    )
