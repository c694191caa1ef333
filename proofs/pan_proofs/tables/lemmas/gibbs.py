"""The inequality of Gibbs: a relative entropy is not negative."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import ge, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Steps
from pan_proofs.ledger.lengths_and_limits import by_slopes, for_every_length
from pan_proofs.ledger.steps import bounded

_ratio, _bottom = sp.symbols("t s", positive=True)
_one, _other = sp.symbols("p q", nonnegative=True)
_log, _divergence, _mass, _other_mass = sp.symbols("l K P Q", real=True)
_cells = sp.Symbol("m", integer=True, nonnegative=True)
_SUMS = {_divergence: _one * _log, _mass: _one, _other_mass: _other}
_SMALL = sp.Rational(101, 100)


def relative_entropy(name: str, text: str) -> Steps:
    """For any number of cells: a relative entropy is at least the difference of the masses, which is 0."""
    return (
        by_slopes(
            f"{name}_tangent",
            r"The logarithm lies below its tangent: for $t \ne 1$, $-\log t > 1 - t$, by derivatives on both sides of "
            r"$1$.",
            Slopes(
                f"gibbs.{name}.above",
                _ratio - 1 - sp.log(_ratio),
                _ratio,
                sp.S.One,
                {_ratio: _SMALL},
                sp.Rational(1, 1000),
                strict=True,
            ),
            Slopes(
                f"gibbs.{name}.below",
                1 / _bottom - 1 + sp.log(_bottom),
                _bottom,
                sp.S.One,
                {_bottom: _SMALL},
                sp.Rational(1, 1000),
                strict=True,
            ),
            lines=(r"\log t &< t - 1 \quad (t > 1)", r"\log s &> 1 - \tfrac1s \quad (s > 1)"),
        ),
        bounded(
            f"{name}_term",
            r"With $t = \frac{q_i}{p_i}$ and $l_i = \log\frac{p_i}{q_i} \ge 1 - t$, a cell has at least $p_i - q_i$.",
            le(_one - _one * _ratio, _one * _log),
            ge(_log, 1 - _ratio),
            ge(_one, 0),
            lines=r"p_i - q_i &\le p_i\,l_i",
            raised=1,
        ),
        for_every_length(name, text, _summed(name), r"\sum_i p_i \log\frac{p_i}{q_i} &\ge \sum_i p_i - \sum_i q_i"),
    )


def _summed(name: str) -> Induction:
    return Induction(
        f"gibbs.{name}",
        ge(_divergence, _mass - _other_mass),
        _cells,
        (_one, _other, _log),
        {total: total + term for total, term in _SUMS.items()},
        ((1, 1, 0),),
        conditions=(ge(_one * _log, _one - _other),),
        raised=1,
    )
