"""``check``, ``audit`` and ``gate``: tests of a promise.

The judged thing never runs in this process, unless it is a shipped estimator. A separate process imports it, or makes
it again from its pickle. See ``docs/threat-model.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pan_promises.promise import Promise
    from panproof.results import AuditResult, CheckResult


def check(
    thing: Any,
    *inputs: Any,
    epsilon: float | str | None = None,
    promise_epsilon: float | str | None = None,
    delta: float | None = None,
    rho: float | None = None,
    adjacency: str | None = None,
    promise: Promise | str | Mapping[str, Any] | None = None,
    neighbours: Any = None,
    data: Any = None,
    users: int = 3,
    length: int = 4,
    runs: int = 20_000,
    seconds: float | None = None,
    isolation: str = "best",
    **parameters: Any,
) -> CheckResult:
    """The exact privacy loss on every small input, by running the code for every outcome of its random choices.

    Parameters
    ----------
    thing
        A class, a live object, a function ``f(data, rng)``, ``"module:Class"``, or the name of a shipped estimator.
    inputs
        For a function: two inputs that are neighbours.
    epsilon
        The epsilon of the promise, in nats: a number, or a text such as ``"log(3/2)"``, which stays exact. An estimator
        with this parameter gets it, and must promise it. A shipped estimator that promises a multiple of its parameter
        refuses it for one release: it was the parameter.
    promise_epsilon
        The same number, also for an estimator that promises a multiple of its parameter.
    delta
        With ``epsilon``: the delta of the promise, in [0, 1). An estimator with this parameter gets it.
    rho
        The budget of zero-concentrated differential privacy, in place of epsilon and delta. The exact check follows it
        for whole inputs with Gaussian noise.
    adjacency
        With ``epsilon`` or ``rho``: the promise, in place of ``promise``.
    promise
        The promise to judge, as a ``Promise``, as a dictionary or in the words of ``--promise``; by default the
        thing's own.
    neighbours
        For a function, in place of two inputs: pairs, or a function that yields them. With ``data``: ``"add-row"``,
        ``"remove-row"``, ``"replace-row"``, ``"user-level:KEY"`` (all rows of a user, named by the place or column
        ``KEY`` of a row), ``"coordinate:D"`` (one number changes by at most ``D``), ``"local"`` (any two inputs), a
        function that yields the neighbours of an input, or one that makes a neighbour of an input and a ``draw``.
    data
        For a function, in place of pairs: a strategy of Hypothesis, in whose space pairs are searched.
    users, length
        Most users, and most updates of a stream; of tables, ``users`` is the most rows.
    runs
        Runs of the code, one for each outcome of its random choices, after which no larger scope begins.
    seconds
        In place of ``runs``: time after which no larger scope begins. The coverage then differs between machines.
    isolation
        The isolation of the thing: ``"best"``, ``"bubblewrap"``, ``"unshare"`` or ``"limits"``.
    parameters
        Further parameters of the estimator.

    Returns
    -------
    The verdict, the loss and a witness. It makes no statement about larger inputs.

    Raises
    ------
    InputError
        If a number is outside its range, or the thing cannot be found or made, or has no promise.

    Examples
    --------
    >>> import panproof
    >>> panproof.check("optimal-bernoulli", promise_epsilon="log(9/4)", users=2, length=2)
    REFUTED  optimal-bernoulli
    promise  0.81093, user-level, 1 intrusion, state and output jointly
    loss     2.00611 = log(2379/320), promised 0.81093
    """
    from pan_audits.subject.isolation.sandbox import start_ahead

    start_ahead(thing, isolation)
    from pan_audits.exact.check import not_judged
    from pan_audits.exact.instances import check_in_worker, limits_of, small_instances
    from pan_audits.exact.result import CheckSettings
    from pan_audits.subject.intake.discovery import arguments_for
    from pan_audits.workers.limits import MechanismError
    from panproof.results import CheckResult

    # A mechanism that is given its whole input may have a parameter of this name that means something else.
    sample = None if inputs or not (neighbours is data is None) else parameters.get("sample_size")
    settings = CheckSettings(users=users, length=length, runs=runs, seconds=seconds, sample_size=sample)
    limits = limits_of(settings)
    asked = arguments_for(
        thing,
        inputs,
        epsilon=epsilon,
        promise_epsilon=promise_epsilon,
        delta=delta,
        rho=rho,
        adjacency=adjacency,
        promise=promise,
        neighbours=neighbours,
        data=data,
        parameters=parameters,
        isolation=isolation,
        limits=limits,
    )
    instances = small_instances(asked, limits)
    try:
        return CheckResult(check_in_worker(instances, settings, limits))
    except MechanismError as problem:
        found = instances(users, sample and min(sample, users))
        return CheckResult(not_judged(found, settings, f"{found.name} cannot be checked: {problem}"))


def gate(
    thing: Any,
    *inputs: Any,
    epsilon: float | str | None = None,
    promise_epsilon: float | str | None = None,
    delta: float | None = None,
    rho: float | None = None,
    adjacency: str | None = None,
    promise: Promise | str | Mapping[str, Any] | None = None,
    neighbours: Any = None,
    data: Any = None,
    seconds: float | None = None,
    runs: int | None = None,
    confirmation_runs: int | None = None,
    error: float = 1e-6,
    seed: int | None = None,
    jobs: int = 2,
    exact: bool = True,
    doubles: bool = False,
    isolation: str = "best",
    **parameters: Any,
) -> AuditResult:
    """All evidence about a promise: the exact check, the conduct, the accuracy and the audit.

    Parameters
    ----------
    thing, inputs, epsilon, promise_epsilon, delta, rho, adjacency, promise, neighbours, data, isolation, parameters
        As for :func:`check`.
    seconds
        In place of ``runs``: approximate time of the search for a violation. The result cannot be repeated by its seed.
    runs
        Runs of the search, at least 100; by default a usual number, which is the same on every machine.
    confirmation_runs
        Runs on each side that bound the loss of a refuted promise, at least 100; 20,000 by default. More of them give a
        sharper bound.
    error
        Greatest probability that a true statement is refuted, in (0, 0.5].
    seed
        Entropy, at least 0; fresh by default, and recorded in the result.
    jobs
        Worker processes, 1 to 256.
    exact
        Whether small instances are checked exactly first.
    doubles
        Judge the doubles as they are, with all their bits. By default the promise is about real numbers: a refutation
        must survive when each number of the output is rounded to a coarse grid at a random offset, and what only the
        low bits show is a finding. The exact check calculates with real numbers, and is left out.

    Returns
    -------
    The verdict with its evidence. NOT_REFUTED is no proof: the result lists the violations that it would have found.

    Raises
    ------
    InputError
        If a number is outside its range, or the thing cannot be found or made, or has no promise.
    """
    from pan_audits.subject.isolation.sandbox import start_ahead

    start_ahead(thing, isolation, workers=jobs, exact=exact)
    from pan_audits.audit.settings import Settings
    from pan_audits.gate.gate import run_gate
    from pan_audits.judging.ranges import CONFIRMATION_RUNS, MOST_JOBS
    from pan_audits.subject.intake.discovery import find_thing
    from pan_audits.workers.limits import Limits
    from pan_promises.errors import Problems, require_count
    from panproof.results import AuditResult

    limits = Limits()
    problems = Problems()
    with problems.collected():
        require_count("jobs", jobs, most=MOST_JOBS)
    with problems.collected():
        effort = Settings(
            error=error,
            runs=runs,
            seconds=seconds,
            confirmation_runs=CONFIRMATION_RUNS if confirmation_runs is None else confirmation_runs,
            seed=seed,
            exact=exact,
            doubles=doubles,
            limits=limits,
        )
    problems.raise_any()
    found = find_thing(
        thing,
        inputs,
        epsilon=epsilon,
        promise_epsilon=promise_epsilon,
        delta=delta,
        rho=rho,
        adjacency=adjacency,
        promise=promise,
        neighbours=neighbours,
        data=data,
        parameters=parameters,
        isolation=isolation,
        limits=limits,
    )
    return AuditResult(run_gate(found, replace(effort, workers=jobs)))


def audit(thing: Any, *inputs: Any, **options: Any) -> AuditResult:
    """:func:`gate` without the exact check: only runs.

    With one pair of inputs, all runs are made on that pair.

    Parameters
    ----------
    thing, inputs, options
        As for :func:`gate`.

    Returns
    -------
    The verdict, with a lower bound on the loss if the promise is refuted, and a lower bound on rho for a promise of it.

    Raises
    ------
    InputError
        If the thing cannot be found or made, or promises nothing, or an exact check is wanted.
    """
    from pan_promises.errors import InputError

    if options.pop("exact", False):
        raise InputError("an audit makes no exact check; panproof.gate makes both")
    return gate(thing, *inputs, exact=False, **options)
