"""From a rho to an epsilon and a delta, with the smallest factor for each order."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most
from pan_proofs.tables.lemmas.bounded_range import excess

_rho = sp.Symbol("rho", positive=True)
_delta = sp.Symbol("delta", positive=True)
_ratio = sp.Symbol("t", positive=True)
_logs = sp.symbols("z_1 z_2", real=True)
_FACTOR = excess**excess / (1 + excess) ** (1 + excess)
"""The largest value of ``(1 - t) t^b``."""
LOGARITHMS = (
    le(_logs[0], (1 + excess) * (1 - _ratio) - 1),
    le(_logs[1], _ratio * (1 + excess) / excess - 1),
)
LARGEST = le(_logs[0] + excess * _logs[1], 0)
"""The logarithm of ``(1 - t) t^b`` over its largest value is not positive."""
_difference, _mass, _tilted = sp.symbols("d p u", real=True)
_steep = sp.Symbol("c", positive=True)
_outputs = sp.Symbol("k", integer=True, nonnegative=True)
_sum, _moment = sp.symbols("D V", real=True)
_ENTRY = (_difference, _tilted)
_TERMS = {_sum: _difference, _moment: _tilted}
_EACH = (le(_difference, _steep * _tilted),)
EVENTS = le(_sum, _steep * _moment)
"""The excess of an event is at most the factor times a moment of the loss."""
_EPSILON = (1 + excess) * _rho + sp.log(1 / ((1 + excess) * _delta)) / excess + sp.log(excess / (1 + excess))
_REACHED = sp.log(_FACTOR) + excess * ((1 + excess) * _rho - _EPSILON)


def from_rho() -> Steps:
    """The factor, the sum over the outputs of an event, and the epsilon of an order."""
    return (
        at_most(
            "largest_factor",
            r"Let $t = e^{\varepsilon - \ell}$ for an output with the loss $\ell > \varepsilon$, so that $0 < t < 1$, "
            r"and $b = \alpha - 1$. The logarithms $z_1$ of $(1 + b)(1 - t)$ and $z_2$ of $\frac{1 + b}{b}\,t$ are at "
            r"most their tangents.",
            Inequality(
                "from_rho.factor",
                LARGEST.lhs,
                LARGEST.rhs,
                LOGARITHMS,
                touching={_logs[0]: 0, _logs[1]: 0, excess: 1, _ratio: sp.Rational(1, 2)},
                raised=sp.Rational(1, 1000),
            ),
            lines=r"z_1 + b z_2 \le (1 + b)(1 - t) - 1 + b \Bigl(\tfrac{1 + b}{b}\,t - 1\Bigr) &\le 0",
        ),
        equal_as(
            "factor",
            r"So $(1 - t)\,t^b$ is at most $c = \frac{b^b}{(1 + b)^{1 + b}}$.",
            (
                sp.log(1 + excess) + excess * sp.log((1 + excess) / excess),
                lambda: -sp.expand_log(sp.log(_FACTOR)),
            ),
            r"\log(1 + b) + b \log \frac{1 + b}{b} &= -\log c",
        ),
        for_every_length(
            "outputs_of_an_event",
            r"An output of an event with the probabilities $p$ and $q$ adds $d = p - e^{\varepsilon} q = p\,(1 - t)$. "
            r"This is at most $c\,u$ with $u = p\,t^{-b} = p\,e^{b(\ell - \varepsilon)}$, also if it is negative. $D$ "
            r"and $V$ are the sums.",
            Induction(
                "from_rho.events",
                EVENTS,
                _outputs,
                _ENTRY,
                {total: total + term for total, term in _TERMS.items()},
                ((2, 1), (2, 1)),
                {_steep: sp.Integer(2)},
                _EACH,
            ),
            r"D &\le c V",
        ),
        equal_as(
            "epsilon_of_an_order",
            r"The expectation of $e^{b \ell}$ is at most $e^{b (1 + b) \rho}$, so that $P \le e^{\varepsilon} P' + c "
            r"\,e^{b ((1 + b) \rho - \varepsilon)}$. For $\varepsilon = \alpha \rho + \frac{\log(1/(\alpha "
            r"\delta))}{\alpha - 1} + \log\bigl(1 - \frac1\alpha\bigr)$ the last term is $\delta$.",
            (lambda: sp.expand(sp.expand_log(_REACHED)), sp.log(_delta)),
            r"\log c + b\,((1 + b) \rho - \varepsilon) &= \log \delta",
        ),
    )


def stated_from_rho() -> tuple[str, ...]:
    """The same, formally."""
    return (
        *symbolic(LARGEST, given=LOGARITHMS),
        *symbolic(
            eq(
                sp.log(1 + excess) + excess * sp.log((1 + excess) / excess),
                -sp.expand_log(sp.log(_FACTOR)),
            )
        ),
        *symbolic(
            EVENTS,
            given=(*_EACH, sp.Ge(_outputs, 0)),
            where={total: sum_over_entries(term, _ENTRY, _outputs) for total, term in _TERMS.items()},
        ),
        *symbolic(eq(sp.expand_log(_REACHED), sp.log(_delta))),
    )
