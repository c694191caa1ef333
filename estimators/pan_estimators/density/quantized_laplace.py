"""The density estimator with Laplace cells quantised to one bit per user: thesis, Section 4.4.3."""

from __future__ import annotations

from pan_estimators.common.accuracy_statement import AccuracyStatement, Quantity, Relation, no_bias
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.planning import ErrorBound
from pan_estimators.density.published_promise import joint_promise
from pan_estimators.density.sample_size import resolve_sample_size
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import Target
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_epsilon
from pan_promises.exact_epsilon import exp


def quantized_laplace(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> SampledCells:
    """The quantised Laplace density estimator, implemented as the equivalent Bernoulli estimator.

    Model: a uniform sample of m users, a bit for each; one intrusion at any time. The bit says whether a Laplace
    variable lies above the midpoint of the two means: ``Bernoulli(exp(-epsilon/2)/2)`` before an appearance,
    ``Bernoulli(1 - exp(-epsilon/2)/2)`` after it. The source is read as "a Bernoulli density estimator that
    utilises" this pair, which is unbiased. With the shift and scale of the Laplace means it would be biased.

    Promise (thesis.quantizer with Theorem 4.7, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly. The audit refutes it.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is planned.

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
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
