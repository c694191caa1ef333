"""The published density estimators with a cell for each sampled user, as their sources print them.

Each takes the parameter epsilon of its source: the budget of the state, and as much for the output.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from pan_estimators.common.accuracy_statement import AccuracyStatement, Relation
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.published import (
    ErrorBound,
    PlansSamples,
    dwork_bound,
    joint_promise,
    laplace_bound,
    optimal_bernoulli_bound,
    resolve_sample_size,
    tightest_beta,
)
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import error_probability, errors_of_sample
from pan_estimators.universes.universe import EdgeUniverse, Universe, as_universe
from pan_promises.errors import InputError, require_count, require_epsilon, require_probability
from pan_promises.exact_epsilon import exp, tanh_half

Sample = tuple[int | None, float | None, float | None]
"""The sample size, or else alpha and beta."""


def _printed(
    name: str,
    claim: str,
    universe: Universe | int,
    epsilon: float,
    sample: Sample,
    cells: BernoulliCells | LaplaceCells,
    bound: PlansSamples,
    statements: Callable[[int], tuple[AccuracyStatement, ...]] = lambda size: (),
    *,
    promised: bool = True,
    deletions: bool = False,
    options: tuple[tuple[str, float], ...] = (),
) -> SampledCells:
    """The estimator with these cells, whose sample is given or planned by its bound."""
    universe = as_universe(universe)
    size = resolve_sample_size(universe, bound, *sample)
    return SampledCells(
        name=name,
        universe=universe,
        epsilon=epsilon,
        sample_size=size,
        cells=cells,
        deletions=deletions,
        promise=joint_promise(epsilon, claim) if promised else None,
        statements=statements(size),
        options=options,
    )


def _errors(
    claim: str,
    bound: ErrorBound,
    *,
    variance: Callable[..., float] | None = None,
    squared_error: Callable[..., float],
    relation: Relation = Relation.AT_MOST,
) -> Callable[[int], tuple[AccuracyStatement, ...]]:
    """The statements of a source, as functions of the budget, the density and the sample; and that of its bound."""
    of_budget = partial(squared_error, bound.epsilon)
    known = errors_of_sample(
        claim,
        variance=None if variance is None else partial(variance, bound.epsilon),
        squared_error=of_budget,
        relation=relation,
    )
    return lambda size: (*known, *_likely_error(bound, size))


def _likely_error(bound: ErrorBound, sample_size: int) -> tuple[AccuracyStatement, ...]:
    """The statement that an error of alpha has at most the tightest beta as its probability.

    It is made for the least alpha, in hundredths, for which that beta is at most 1/2. For small
    samples there is no such alpha below 1, and the bound says nothing about a density.
    """
    for hundredths in range(1, 100):
        beta = tightest_beta(bound, alpha=hundredths / 100, sample_size=sample_size).beta
        if beta <= 0.5:
            return (error_probability(bound.claim, hundredths / 100, beta),)
    return ()


def dwork(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    deletions: bool = False,
) -> SampledCells:
    """The density estimator of Dwork et al. 2010, as printed in the paper.

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

    Model: a uniform sample of m users, a bit for each; one intrusion at any time. Bits are ``Bernoulli(1/2)`` and,
    after an appearance, ``Bernoulli(1/2 + epsilon/4)``. The output is
    ``(4/epsilon)(mean - 1/2) + Laplace(1/(epsilon m))``.

    Promise (density.dwork_privacy, Theorem 3.1, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly. The audit refutes it.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to below 2, so that the bias stays below 1/2.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is
        planned (Section 3.2).
    deletions
        Accept deletions (Section 3, second remark; claim density.insert_delete).

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon, below=2, source="the bias epsilon/4 of Algorithm 1 must stay below 1/2")
    bound = dwork_bound(epsilon)
    return _printed(
        "dwork-insert-delete" if deletions else "dwork",
        "density.insert_delete" if deletions else "density.dwork_privacy",
        universe,
        epsilon,
        (sample_size, alpha, beta),
        BernoulliCells(0.5, (2 + epsilon) / 4),
        bound,
        _errors("density.dwork_error", bound, variance=_variance_of_dwork, squared_error=_squared_error_of_dwork),
        deletions=deletions,
    )


def _variance_of_dwork(epsilon: float, density: float, sampled: float) -> float:
    return 4 / (sampled * epsilon**2) - density**2 / sampled + 2 / (sampled * epsilon) ** 2


def _squared_error_of_dwork(epsilon: float, density: float, sampled: float) -> float:
    return 2 * (2 * sampled + 1) / (sampled * epsilon) ** 2


@dataclass(frozen=True)
class _LectureBound:
    epsilon: float
    claim: str = "lecture.accuracy"

    def planned(self, alpha: float, beta: float) -> int:
        require_probability("alpha", alpha)
        require_probability("beta", beta)
        return math.ceil(200 * math.log(1 / beta) / (self.epsilon * alpha) ** 2)


def lecture(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> SampledCells:
    """The lecture's density estimator: the cells and the noise of :func:`dwork`, with its own constants.

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

    Model: as for :func:`pan_estimators.dwork`.

    Promise (lecture.privacy, Theorem 5): 2 epsilon, user-level, one unannounced intrusion, state
    and output jointly. There is no promise for ``epsilon > 1/2``. The audit refutes it.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to below 2.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). They give
        ``m = 200 log(1/beta)/(epsilon alpha)^2``, rounded up (lecture.accuracy).

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon, below=2, source="the bias epsilon/4 of D_1 must stay below 1/2")
    bound = _LectureBound(epsilon)
    statements = errors_of_sample("lecture.unbiased")
    if sample_size is None and alpha is not None and beta is not None:
        statements += (error_probability(bound.claim, alpha, beta),)
    return _printed(
        "lecture",
        "lecture.privacy",
        universe,
        epsilon,
        (sample_size, alpha, beta),
        BernoulliCells(0.5, (2 + epsilon) / 4),
        bound,
        lambda size: statements,
    )


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

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

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
    widest = centre * tanh_half(epsilon)
    gap = widest if half_gap is None else half_gap
    return _printed(
        "bernoulli-family",
        "density.bernoulli_family",
        universe,
        epsilon,
        (sample_size, alpha, beta),
        BernoulliCells(centre - gap, centre + gap),
        ErrorBound(epsilon, 2 * (2 * gap) ** 2, "density.optbern_accuracy"),
        promised=gap <= widest,
        options=(("centre", centre), ("half_gap", gap)),
    )


def optimal_bernoulli(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    deletions: bool = False,
) -> SampledCells:
    """The density estimator whose cells use all of the state's budget.

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

    Model: a uniform sample of m users, a bit for each; one intrusion at any time. Bits are ``Bernoulli((1 - t)/2)``
    and, after an appearance, ``Bernoulli((1 + t)/2)`` with ``t = tanh(epsilon/2)``. The output is the shifted and
    scaled mean plus ``Laplace(1/(epsilon m))``.

    Promise (density.optbern_privacy, Theorem 4.1, ``epsilon <= 1/2``): 2 epsilon, user-level, one
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
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is
        planned (Section 4.3).
    deletions
        Accept deletions (Section 3, second remark; claim density.insert_delete).

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon)
    bound = optimal_bernoulli_bound(epsilon)
    return _printed(
        "optimal-bernoulli-insert-delete" if deletions else "optimal-bernoulli",
        "density.insert_delete" if deletions else "density.optbern_privacy",
        universe,
        epsilon,
        (sample_size, alpha, beta),
        optimal_pair(epsilon),
        bound,
        _errors("density.optbern_error", bound, variance=_variance_of_optimal, squared_error=_squared_error_of_optimal),
        deletions=deletions,
    )


def optimal_pair(epsilon: float) -> BernoulliCells:
    """The pair of Section 4.2 with centre 1/2: ``(1 -+ tanh(epsilon/2))/2``.

    Parameters
    ----------
    epsilon
        Budget of the state, in nats, positive.

    Raises
    ------
    InputError
        If a probability of the pair is not in (0, 1).
    """
    t = tanh_half(epsilon)
    return BernoulliCells((1 - t) / 2, (1 + t) / 2)


def _variance_of_optimal(epsilon: float, density: float, sampled: float) -> float:
    cells = (math.tanh(epsilon / 2) ** -2 - 1) / (4 * sampled)
    return cells + density * (1 - density) / sampled + 2 / (sampled * epsilon) ** 2


def _squared_error_of_optimal(epsilon: float, density: float, sampled: float) -> float:
    return 1 / (4 * sampled * math.tanh(epsilon / 2) ** 2) + 2 / (sampled * epsilon) ** 2


def announced_intrusions(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    announced: int = 1,
) -> SampledCells:
    """The optimal Bernoulli estimator, with a promise about announced intrusions.

    It promises ``(2 + announced) epsilon``: epsilon is the parameter, spent on each look and on the output.

    Model: as for :func:`pan_estimators.optimal_bernoulli`, with announced intrusions before the unannounced one.
    Call ``announce`` after each announced intrusion. It re-randomises the bits.

    Promise (density.announced_intrusions): ``(2 + announced) epsilon``, user-level, all states and the output
    jointly. The source says that multiple announced intrusions "can be handled" and gives no number. The
    number here is the one that its proof would give: epsilon for every look at the state, and epsilon for
    the output. There is no promise for ``epsilon > 1/2``. The audit refutes it, as it does with no announcement.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of each look at the state, and of the output, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is planned.
    announced
        Number of announced intrusions before one unannounced intrusion, from 1 to 4.

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_count("the number of announced intrusions", announced, most=4)
    estimator = optimal_bernoulli(universe=universe, epsilon=epsilon, sample_size=sample_size, alpha=alpha, beta=beta)
    return replace(
        estimator,
        name="announced-intrusions",
        promise=joint_promise(epsilon, "density.announced_intrusions", announced=announced),
        statements=(),
        options=(("announced", announced),),
    )


def graph_density(
    *,
    vertices: int | None = None,
    universe: Universe | int | None = None,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> SampledCells:
    """The fraction of all possible edges that are present, ``2 |E| / (|V| (|V| - 1))``.

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

    Model: :func:`pan_estimators.optimal_bernoulli` with deletions, whose users are the edges. An id is a
    pair of vertices. A stream is an array of shape ``(n, 2)`` with an array of deletions.

    Promise (density.insert_delete): 2 epsilon for the presence of one edge, one intrusion, state
    and output jointly. The audit refutes it.

    Parameters
    ----------
    vertices
        Number of vertices, from 2 to ``2**31``.
    universe
        In place of ``vertices``: a universe of edges, or a number of edges, for the least graph with as many.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled edges, from 1 to the number of possible edges; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is planned.

    Raises
    ------
    InputError
        If a parameter is out of range, or unless exactly one of ``vertices`` and ``universe`` is given.

    Examples
    --------
    >>> import numpy as np
    >>> from pan_estimators import NumpyRandomness, graph_density
    >>> estimator = graph_density(vertices=4, epsilon=0.5, sample_size=6)
    >>> randomness = NumpyRandomness(1)
    >>> state = estimator.create(randomness)
    >>> edges = np.array([[0, 1], [2, 3], [0, 1]])
    >>> state = estimator.update(state, edges, randomness, deletions=[False, False, True])
    >>> density = estimator.release(state, randomness)
    """
    if vertices is not None and universe is not None:
        raise InputError("give graph-density either a universe or its number of vertices, not both")
    if vertices is None:
        if universe is None:
            raise InputError("graph-density needs its number of vertices, or a universe of edges")
        vertices = _vertices(as_universe(universe))
    estimator = optimal_bernoulli(
        universe=EdgeUniverse(vertices),
        epsilon=epsilon,
        sample_size=sample_size,
        alpha=alpha,
        beta=beta,
        deletions=True,
    )
    return replace(estimator, name="graph-density")


def _vertices(universe: Universe) -> int:
    if isinstance(universe, EdgeUniverse):
        return universe.vertices
    # The least v with v (v - 1) / 2 edges or more.
    vertices = max(2, (1 + math.isqrt(8 * universe.size)) // 2)
    return vertices if vertices * (vertices - 1) // 2 >= universe.size else vertices + 1


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

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

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
    bound = laplace_bound(epsilon)
    return _printed(
        "laplace",
        "thesis.laplace_privacy",
        universe,
        epsilon,
        (sample_size, alpha, beta),
        LaplaceCells(mu_init, mu_upd, (mu_upd - mu_init) / epsilon),
        bound,
        _errors("thesis.laplace_error", bound, squared_error=_squared_error_of_laplace, relation=Relation.EQUALS),
        options=(("mu_init", mu_init), ("mu_upd", mu_upd)),
    )


def _squared_error_of_laplace(epsilon: float, density: float, sampled: float) -> float:
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

    It promises ``2 epsilon``: epsilon is the parameter of its source, spent on the state and on the output.

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
    p_init = exp(-epsilon / 2) / 2
    return _printed(
        "quantized-laplace",
        "thesis.quantizer",
        universe,
        epsilon,
        (sample_size, alpha, beta),
        BernoulliCells(p_init, 1 - p_init),
        ErrorBound(epsilon, 2 * (1 - 2 * p_init) ** 2, "thesis.laplace_accuracy"),
        lambda size: errors_of_sample("thesis.quantizer"),
    )
