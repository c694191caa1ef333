"""For each kind of problem: the pairs of an audit, and the promises that can be judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pan_audits.inputs.numbered.family import LabelledInputs, catalogue_of, releases_of
from pan_audits.inputs.streams.catalogue import JUDGED as OF_STREAMS
from pan_audits.inputs.streams.catalogue import Catalogue, catalogue
from pan_audits.inputs.streams.family import Pair
from pan_audits.inputs.streams.mined import Mined
from pan_audits.inputs.tables.catalogue import audited_tables
from pan_audits.inputs.tables.mutation import mutated_tables
from pan_audits.inputs.tables.tables import JUDGED as OF_TABLES
from pan_audits.inputs.tables.tables import small_tables
from pan_audits.inputs.turnstile.audited import audited_streams
from pan_audits.inputs.turnstile.neighbours import JUDGED as OF_TURNSTILE_STREAMS
from pan_audits.inputs.turnstile.small import small_streams
from pan_promises.looks import EVERY, OF_TABLE_MECHANISMS, Observed
from pan_promises.notion import Notion
from pan_promises.problem import Kind, Problem
from pan_promises.promise import Promise

MOST_OUTPUTS = 8
"""Greatest number of outputs. The number of orders of intrusions and outputs grows with it."""

CONVERSION_DELTA = 1e-6
"""The delta at which a conversion is shown."""


def why_not_judged(promise: Promise, problem: Problem, *, exactly: bool = False) -> str:
    """The reason why a promise has no test, in a sentence; empty if it has one."""
    if problem.kind is Kind.TURNSTILE:
        if why := _why_no_turnstile(promise, exactly=exactly):
            return why
    else:
        if promise.outputs != EVERY and promise.output_count > MOST_OUTPUTS:
            return f"panproof has tests of promises of at most {MOST_OUTPUTS} outputs, got {promise.outputs}"
        if promise.outputs == EVERY:
            return "panproof has no test of a promise for every output; give a number of outputs"
        if why := _why_not_observed(promise, problem):
            return why
    judged = {
        Kind.STREAM: OF_STREAMS,
        Kind.TABLE: OF_TABLES,
        Kind.TURNSTILE: OF_TURNSTILE_STREAMS,
        Kind.GIVEN: problem.adjacencies,
    }[problem.kind]
    if promise.adjacency not in judged:
        return (
            f"panproof has no pairs of inputs with the adjacency {promise.adjacency} for a {problem.kind}; it "
            f"has {', '.join(judged)}"
        )
    return ""


def _why_not_observed(promise: Promise, problem: Problem) -> str:
    """The reason why mechanisms on such inputs have no such observation, in a sentence."""
    if problem.kind is not Kind.STREAM and promise.sees_state:
        return "a mechanism on a whole input has no state; give observed=output in the promise"
    if problem.kind is not Kind.TABLE and promise.observed in OF_TABLE_MECHANISMS[1:]:
        return (
            f"a mechanism on tables alone has the observation {promise.observed}; give observed=output in the promise"
        )
    return ""


def why_not_checked(promise: Promise, problem: Problem) -> str:
    """The reason why a promise has no exact check, in a sentence; empty if it has one."""
    if promise.notion is Notion.ZERO_CONCENTRATED:
        if problem.kind is Kind.STREAM:
            return (
                "the exact check has no test of zero-concentrated differential privacy of a stream of ids, and an "
                f"audit has one (panproof gate). {conversion_of(promise)}; --promise can name that promise, and a "
                "refutation of it refutes this one"
            )
        if promise.outputs not in (1, EVERY):
            return f"panproof has an exact check of zero-concentrated promises for one output, got {promise.outputs}"
    return why_not_judged(promise, problem, exactly=True)


def conversion_of(promise: Promise) -> str:
    """The epsilon and delta that a promise of a rho implies, in words."""
    _, conversion = promise.implied(CONVERSION_DELTA)
    return f"By conversion, {conversion}"


def implied_by(promise: Promise) -> Promise:
    """The promise of an epsilon that a promise implies: itself, or that of the conversion of a rho."""
    return promise if promise.rho is None else promise.implied(CONVERSION_DELTA)[0]


def _why_no_turnstile(promise: Promise, *, exactly: bool) -> str:
    """The reason why a promise about turnstile streams has no test."""
    if promise.sees_output and promise.outputs != EVERY:
        return (
            f"a mechanism on a turnstile stream gives an output after each entry, got {promise.outputs} outputs; give "
            "outputs=every in the promise"
        )
    if promise.sees_state and (promise.intrusions, promise.announced) != (1, 0):
        return "panproof looks at the state of a mechanism on a turnstile stream once; give intrusions=1"
    if promise.observed is Observed.STATE and not exactly:
        return (
            "panproof has no audit of the state alone of a mechanism on turnstile streams; the exact check looks at "
            "it, and an audit looks at observed=state+output"
        )
    return ""


def catalogue_for(
    problem: Problem,
    promise: Promise,
    population: Sequence[Any],
    *,
    deletions: bool = False,
    stream: str | None = None,
    seed: int = 0,
    mined: Mined | None = None,
) -> Catalogue:
    """The pairs of an audit, with their shares of the error budget."""
    if problem.kind is Kind.STREAM:
        return catalogue(promise, population, deletions=deletions, stream=stream, seed=seed, mined=mined)
    if problem.kind is Kind.TABLE:
        return catalogue_of(
            audited_tables(
                problem,
                promise.adjacency,
                seed,
                outputs=releases_of(promise),
                observed=promise.observed,
                sizes=mined.lengths if mined is not None else (),
            )
        )
    if problem.kind is Kind.TURNSTILE:
        return catalogue_of(audited_streams(problem, promise.adjacency, seed, observed=promise.observed))
    return catalogue_of([given_inputs(problem, promise)])


def mutates(problem: Problem) -> bool:
    """Whether there are mutated pairs of such inputs."""
    return problem.kind is Kind.TABLE


def mutated_catalogue(
    problem: Problem, promise: Promise, best: Sequence[Pair], count: int, seed: int, *, tried: Iterable[Pair] = ()
) -> Catalogue | None:
    """New pairs that are made of the best pairs of a search; ``None`` if there are none."""

    def labels(pairs: Iterable[Pair]) -> list[tuple[str, str]]:
        return [(pair.family.labels[pair.left], pair.family.labels[pair.right]) for pair in pairs]

    found = mutated_tables(
        problem,
        promise.adjacency,
        labels(best),
        count,
        seed,
        tried=labels(tried),
        outputs=releases_of(promise),
        observed=promise.observed,
    )
    return catalogue_of(found) if found else None


def given_inputs(problem: Problem, promise: Promise) -> LabelledInputs:
    """The inputs that are given with a mechanism."""
    return LabelledInputs("given", problem.labels, problem.pairs, promise.adjacency, releases_of(promise))


def all_small_inputs(problem: Problem, promise: Promise, size: int, length: int = 1) -> LabelledInputs | None:
    """All inputs of a size, for an exact check; ``None`` if they are too many."""
    if problem.kind is Kind.GIVEN:
        return given_inputs(problem, promise)
    if problem.kind is Kind.TURNSTILE:
        return small_streams(problem, promise.adjacency, size, length, observed=promise.observed)
    return small_tables(problem, promise.adjacency, size, outputs=releases_of(promise), observed=promise.observed)
