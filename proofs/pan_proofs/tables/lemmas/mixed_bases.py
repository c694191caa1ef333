"""A score in bits with a sensitivity in nats: the loss of one draw of the exponential mechanism."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import gt, le
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.steps import at_most, counterexample
from pan_proofs.tables.lemmas.information import sensitivity
from pan_proofs.tables.lemmas.small_tables import Records, exponential_chance

_loss = sp.Symbol("R")
_score, _other_score = sp.symbols("q qprime", real=True)
_largest, _share, _unit = sp.symbols("Delta e lambda", positive=True)
_CLOSE = (le(_score - _other_score, _largest),)
_BITS = le(
    _share * _score / (2 * _largest * _unit) - _share * _other_score / (2 * _largest * _unit),
    _share / (2 * _unit),
)
_OTHERS = 6


def copied() -> tuple[Records, Records]:
    """Two tables of two records: the second attribute is the first one, or all others are."""
    zeros = (0,) * (2 + _OTHERS)
    return (zeros, (1, 1) + (0,) * _OTHERS), (zeros, (1, 0) + (1,) * _OTHERS)


def ratio(unit: sp.Expr) -> sp.Expr:
    """The ratio of the probabilities of a candidate in the first round, for the share 1 and a score in a unit."""
    factor = 1 / (2 * sensitivity((2, 2), 2) * unit)
    one, other = (exponential_chance(table, (0,), 1, (1, (0,)), factor) for table in copied())
    return one / other


def in_bits() -> Steps:
    """The loss with both units, and a bound on it."""
    return (
        counterexample(
            "in_bits",
            r"Eight binary attributes and two records, $0 \ldots 0$ and a second one. In one table the second "
            r"attribute is a copy of the first one and the others are constant; in the other table the second one is "
            r"constant and the others are copies. Both distributions of the first round for $k = 1$ give the ratio",
            le(_loss, sp.exp(1)),
            {_loss: lambda: ratio(sp.log(2))},
        ),
        at_most(
            "in_bits_at_most",
            r"The exponents of a candidate differ by at most $\frac{e}{2\log 2}$, so that a round loses at most "
            r"$\frac{e}{\log 2} < 1.45\,e$. Here $e$ is the share of the round and $\lambda = \log 2$.",
            Inequality(
                "mixed_bases.at_most",
                _BITS.lhs,
                _BITS.rhs,
                _CLOSE,
                touching={_score: 1, _other_score: 0, _largest: 1, _share: 1, _unit: 1},
            ),
            lines=r"\frac{eq}{2\lambda\Delta} - \frac{eq'}{2\lambda\Delta} &\le \frac{e}{2\lambda}",
        ),
    )


def stated_in_bits() -> tuple[str, ...]:
    """That the ratio exceeds the share of the round, and the bound, formally."""
    return (*symbolic(gt(_loss, sp.exp(1))), *symbolic(_BITS, given=_CLOSE))
