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
from pan_promises.looks import EVERY, OF_TABLE_MECHANISMS, Observed
from pan_promises.problem import Kind, Problem
from pan_promises.promise import Promise

MOST_OUTPUTS = 8
"""Greatest number of outputs. The number of orders of intrusions and outputs grows with it."""


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


def all_small_inputs(problem: Problem, promise: Promise, size: int) -> LabelledInputs | None:
    """All tables of a size or the given inputs, for an exact check; ``None`` if they are too many."""
    if problem.kind is Kind.GIVEN:
        return given_inputs(problem, promise)
    return small_tables(problem, promise.adjacency, size, outputs=releases_of(promise), observed=promise.observed)
