"""The density estimator with real-valued cells: thesis, Section 4.4.2, Algorithm 4.3."""

from __future__ import annotations

from functools import partial

from pan_estimators.common.accuracy_statement import Relation
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.dwork import likely_error
from pan_estimators.density.published import ErrorBound, joint_promise, laplace_bound, resolve_sample_size
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import errors_of_sample
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import InputError, require_epsilon
from pan_promises.exact_epsilon import exp


def laplace(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    mu_init: float = 0.0,
    mu_upd: float = 1.0,
) -> SampledCells:
    """The Laplace density estimator: cells ``Laplace(mu_init, b)`` and ``Laplace(mu_upd, b)``.

    Model: a uniform sample of m users, a real number for each; one intrusion at any time. The scale is
    ``b = (mu_upd - mu_init)/epsilon``. The output is the shifted and scaled mean plus ``Laplace(1/(epsilon m))``.

    Promise (thesis.laplace_privacy, Theorem 4.7, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly. The audit refutes it: the joint loss is unbounded.

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
    mu_init, mu_upd
        The two means, with ``mu_init < mu_upd``. The error does not depend on them.

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon)
    if not mu_init < mu_upd:
        raise InputError(f"mu_init must be below mu_upd (thesis, Section 4.4.1), got {mu_init!r} and {mu_upd!r}")
    universe = as_universe(universe)
    bound = laplace_bound(epsilon)
    size = resolve_sample_size(universe, bound, sample_size, alpha, beta)
    return SampledCells(
        name="laplace",
        universe=universe,
        epsilon=epsilon,
        sample_size=size,
        cells=LaplaceCells(mu_init, mu_upd, (mu_upd - mu_init) / epsilon),
        promise=joint_promise(epsilon, "thesis.laplace_privacy"),
        statements=(
            *errors_of_sample(
                "thesis.laplace_error", squared_error=partial(_squared_error, epsilon), relation=Relation.EQUALS
            ),
            *likely_error(bound, size),
        ),
        options=(("mu_init", mu_init), ("mu_upd", mu_upd)),
    )


def _squared_error(epsilon: float, density: float, sampled: float) -> float:
    return 2 * (sampled + 1) / (sampled * epsilon) ** 2


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
        statements=errors_of_sample("thesis.quantizer"),
    )
