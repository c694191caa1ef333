"""The family of Bernoulli pairs around a centre: paper, Section 4.2."""

from __future__ import annotations

from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.published import ErrorBound, joint_promise, resolve_sample_size
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_epsilon
from pan_promises.exact_epsilon import tanh_half


def bernoulli_family(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    centre: float = 0.8,
    half_gap: float | None = None,
) -> SampledCells:
    """The density estimator with cells ``Bernoulli(c - x)`` and ``Bernoulli(c + x)``, for centre c and half-gap x.

    Model: a uniform sample of m users, a bit for each, Laplace noise of scale ``1/(epsilon m)`` on the output;
    one intrusion at any time.

    Promise (density.bernoulli_family): for ``x <= c tanh(epsilon/2)`` the state is epsilon-private,
    with any centre in (0, 4/5] for ``epsilon <= 1/2``; with the output, 2 epsilon jointly as in
    Theorem 4.1. The proofs refute the first for centres above 1/2, because the printed condition
    considers the bit 1 only. They refute the joint promise for every centre.

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
    centre
        The centre c; by default 4/5, the largest that the source allows.
    half_gap
        The half-gap x; by default ``c tanh(epsilon/2)``, the largest that the source allows. Both
        ``c - x`` and ``c + x`` must lie in (0, 1).

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon)
    universe = as_universe(universe)
    widest = centre * tanh_half(epsilon)
    gap = widest if half_gap is None else half_gap
    cells = BernoulliCells(centre - gap, centre + gap)
    bound = ErrorBound(epsilon, 2 * (2 * gap) ** 2, "density.optbern_accuracy")
    return SampledCells(
        name="bernoulli-family",
        universe=universe,
        epsilon=epsilon,
        sample_size=resolve_sample_size(universe, bound, sample_size, alpha, beta),
        cells=cells,
        promise=joint_promise(epsilon, "density.bernoulli_family") if gap <= widest else None,
        options=(("centre", centre), ("half_gap", gap)),
    )
