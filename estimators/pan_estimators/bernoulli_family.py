"""The family of Bernoulli pairs around a centre: paper, Section 4.2."""

from __future__ import annotations

from pan_estimators.cells import BernoulliCells
from pan_estimators.errors import require_epsilon
from pan_estimators.exact_epsilon import tanh_half
from pan_estimators.planning import ErrorBound
from pan_estimators.sample_size import resolve_sample_size
from pan_estimators.sampled_cells import SampledCells, joint_promise
from pan_estimators.universe import Universe, as_universe


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
    """Cells ``Bernoulli(c - x)`` and ``Bernoulli(c + x)`` with centre c and half-gap x.

    Promise (density.bernoulli_family): for ``x <= c tanh(epsilon/2)`` the state is epsilon-private,
    with any centre in (0, 4/5] for ``epsilon <= 1/2``; with the output, 2 epsilon jointly as in
    Theorem 4.1. The audit refutes both for centres above 1/2: the printed condition looks at the
    bit 1 only.

    Parameters
    ----------
    universe
        The users, or their number U.
    epsilon
        Budget in nats.
    sample_size, alpha, beta
        The sample size, or the accuracy from which it is planned.
    centre
        c; by default 4/5, the largest that the source allows.
    half_gap
        x; by default ``c tanh(epsilon/2)``, the largest that the source allows.
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
