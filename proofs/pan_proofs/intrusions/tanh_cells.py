"""The cells of Algorithm 2: bits with the parameters ``(1 -+ tanh(epsilon/2))/2``."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines import Obligation
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.identities import identity_checks
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import lemma
from pan_proofs.optimality.private_pairs import bernoulli
from pan_proofs.published_losses import optimal_pair

_factor = sp.exp(epsilon)
PAIR = (1 / (1 + _factor), _factor / (1 + _factor))
"""The pair in powers of ``exp(epsilon)``."""

ETA = epsilon * (_factor + 1) / (_factor - 1)
"""One bit's weight over the noise's scale: ``epsilon/tanh(epsilon/2)``."""

EXAMPLE = sp.log(sp.Rational(3, 2))
"""The value of epsilon at which everything is a fraction: the pair is 2/5 and 3/5."""


def state_ratios() -> Step:
    """Both ratios of the bit's two laws, from the printed parameters."""
    before, after = (bernoulli(one) for one in optimal_pair())
    stated = {
        "pair.before": (optimal_pair()[0], PAIR[0]),
        "pair.after": (optimal_pair()[1], PAIR[1]),
        "one": (after[1] / before[1], _factor),
        "zero": (after[0] / before[0], 1 / _factor),
    }
    return lemma(
        "ratios",
        r"With $\tanh\frac\varepsilon2 = \frac{e^\varepsilon - 1}{e^\varepsilon + 1}$ the parameters are "
        r"$p_{\mathrm{init}} = \frac{1}{1 + e^\varepsilon}$ and $p_{\mathrm{upd}} = \frac{e^\varepsilon}{1 + "
        r"e^\varepsilon}$, and the ratios of the two laws of a bit are",
        [Obligation(f"tanh.{name}", f"{a} = {b}", identity_checks(a, b)) for name, (a, b) in stated.items()],
        (
            r"\frac{P(b_1(S) = 1)}{P(b_1(S') = 1)} = \frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}} &= e^\varepsilon",
            r"\frac{P(b_1(S) = 0)}{P(b_1(S') = 0)} = \frac{1 - p_{\mathrm{upd}}}{1 - p_{\mathrm{init}}} &= "
            r"e^{-\varepsilon}",
        ),
    )
