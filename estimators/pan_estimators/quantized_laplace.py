"""The Laplace estimator quantised to one bit per user: thesis, Section 4.4.3."""

from __future__ import annotations

from pan_estimators.accuracy_statement import AccuracyStatement, Quantity, Relation, Target, no_bias
from pan_estimators.cells import BernoulliCells
from pan_estimators.errors import require_epsilon
from pan_estimators.exact_epsilon import exp
from pan_estimators.planning import ErrorBound
from pan_estimators.sample_size import resolve_sample_size
from pan_estimators.sampled_cells import SampledCells, joint_promise
from pan_estimators.universe import Universe, as_universe


def quantized_laplace(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> SampledCells:
    """The quantised Laplace density estimator, as the Bernoulli estimator that it amounts to.

    The bit says whether a Laplace variable lies above the midpoint of the two means:
    ``Bernoulli(exp(-epsilon/2)/2)`` before, ``Bernoulli(1 - exp(-epsilon/2)/2)`` after an
    appearance. Read as "a Bernoulli density estimator that utilises" this pair, it is unbiased;
    shifted and scaled with the Laplace means instead, it would not be.

    Promise (thesis.quantizer with Theorem 4.7, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly. The audit refutes it.

    Parameters
    ----------
    universe
        The users, or their number U.
    epsilon
        Budget of the state and of the output, in nats.
    sample_size, alpha, beta
        The sample size, or the accuracy from which it is planned.
    """
    require_epsilon(epsilon)
    universe = as_universe(universe)
    p_init = exp(-epsilon / 2) / 2
    cells = BernoulliCells(p_init, 1 - p_init)
    bound = ErrorBound(epsilon, 2 * (1 - 2 * p_init) ** 2, "thesis.laplace_accuracy")
    return SampledCells(
        name="quantized-laplace",
        universe=universe,
        epsilon=epsilon,
        sample_size=resolve_sample_size(universe, bound, sample_size, alpha, beta),
        cells=cells,
        promise=joint_promise(epsilon, "thesis.quantizer"),
        statements=(
            AccuracyStatement(
                claim="thesis.quantizer",
                quantity=Quantity.BIAS,
                relation=Relation.EQUALS,
                target=Target.SAMPLED_DENSITY,
                value=no_bias,
            ),
        ),
    )
