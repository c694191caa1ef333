"""The statements on accuracy as formulas."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_steps import bounds_of
from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.engines.relations import le
from pan_proofs.foundations.hoeffding_bound import two_sided
from pan_proofs.ledger.claim import symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m, t

_TAILS = sp.symbols("p_1 p_2", nonnegative=True)
"""The probabilities that the sample, and the cells, deviate too much."""
_deviation = sp.Symbol("s", real=True)
_rest = sp.Symbol("delta_5", positive=True)
"""The share of the failure probability that is left for the noise."""
_LARGEST = sp.Rational(1, 2)
"""The largest budget of the accuracy theorems."""
_thirds = {delta_3: sp.Rational(1, 3), delta_4: sp.Rational(1, 3)}


def stated_tails(pair: str, number: int, printed: sp.Expr) -> tuple[str, ...]:
    """The printed bound on one of the first two probabilities, formally: Hoeffding's inequality is an assumption."""
    tail = _TAILS[number]
    return symbolic(
        sp.Le(tail, printed),
        given=(sp.Le(tail, two_sided(m, _deviation)),),
        where={_deviation: accuracy_terms(pair).thresholds[number]},
    )


def stated_total(pair: str, total: sp.Symbol, third: sp.Symbol) -> tuple[str, ...]:
    """The bound on the probability of an error, formally: the lemmas on sums and on tails are assumptions."""
    terms = accuracy_terms(pair)
    given = (
        sp.Le(total, _TAILS[0] + _TAILS[1] + third),
        sp.Le(_TAILS[0], terms.sampling),
        sp.Le(_TAILS[1], terms.cells),
        sp.Le(third, terms.noise),
    )
    return symbolic(sp.Le(total, terms.sampling + terms.cells + terms.noise), given=given)


def stated_sizes(pair: str, printed: tuple[sp.Expr, sp.Expr, sp.Expr]) -> tuple[str, ...]:
    """The three equivalences, formally; ``t`` is the gap of the optimal pair, for which nothing else is needed."""
    named = {sp.tanh(epsilon / 2): t, 1 - delta_3 - delta_4: _rest}
    bounds = (one.subs(named) for one in bounds_of(accuracy_terms(pair)))
    sizes = (one.subs(named) for one in printed)
    return symbolic(
        *(
            sp.Equivalent(sp.Le(bound, goal), sp.Ge(m, size))
            for bound, goal, size in zip(bounds, (delta_3 * beta, delta_4 * beta, _rest * beta), sizes, strict=True)
        ),
        given=(delta_1 < 1, delta_2 < 1, sp.Eq(delta_3 + delta_4 + _rest, 1)),
    )


def stated_shares() -> tuple[str, ...]:
    """That the probability of an error is at most beta if each of the three is within its share, formally."""
    total, third = sp.symbols("P p_3", nonnegative=True)
    return symbolic(
        le(total, beta),
        given=(
            sp.Le(total, _TAILS[0] + _TAILS[1] + third),
            sp.Le(_TAILS[0], delta_3 * beta),
            sp.Le(_TAILS[1], delta_4 * beta),
            sp.Le(third, _rest * beta),
            sp.Eq(delta_3 + delta_4 + _rest, 1),
        ),
    )


def stated_explicit(
    pair: str, size: sp.Expr, shares: dict[sp.Symbol, sp.Rational], largest: sp.Expr = _LARGEST
) -> tuple[str, ...]:
    """A size that exceeds all three, formally, at given shares of the accuracy and thirds of the probability.

    Parameters
    ----------
    pair
        The cells: ``"dwork"`` or ``"optimal"``.
    size
        The size.
    shares
        The shares of the accuracy.
    largest
        The largest budget.
    """
    plain_gap = {sp.tanh(epsilon / 2): t}
    sizes = (one.subs({**shares, **_thirds}).subs(plain_gap) for one in accuracy_terms(pair).sizes)
    # The size may be one of the three.
    others = [one for one in sizes if sp.cancel(one / size.subs(plain_gap)) != 1]
    tangent = (t <= epsilon / 2, t < 1) if pair == "optimal" else ()
    return symbolic(
        *(sp.Ge(m, one) for one in others),
        given=(sp.Ge(m, size.subs(plain_gap)), epsilon <= largest, alpha <= 1, beta < 1, *tangent),
    )
