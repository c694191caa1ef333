"""For each kind of problem: the pairs that an audit looks at, and whether a promise can be judged at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pan_audits.inputs.numbered.family import LabelledInputs, catalogue_of
from pan_audits.inputs.streams.catalogue import JUDGED as OF_STREAMS
from pan_audits.inputs.streams.catalogue import Catalogue, catalogue
from pan_audits.inputs.tables.tables import JUDGED as OF_TABLES
from pan_audits.inputs.tables.tables import audited_tables, small_tables
from pan_promises.looks import EVERY, Observed
from pan_promises.notion import Notion
from pan_promises.problem import Kind, Problem
from pan_promises.promise import Promise

MOST_OUTPUTS = 8
"""The orders of intrusions and outputs grow with the outputs: more than these are not enumerated."""

_DELTA = 1e-6
"""At which a conversion is shown."""


def why_not_judged(promise: Promise, problem: Problem) -> str:
    """Why no test of a promise is here, in a sentence; empty if there is one."""
    if promise.notion is Notion.ZERO_CONCENTRATED:
        _, conversion = promise.implied(_DELTA)
        return (
            f"panproof has no test of zero-concentrated differential privacy. By conversion, {conversion}; "
            "--promise can name that promise, and a refutation of it refutes this one"
        )
    if promise.outputs != EVERY and promise.output_count > MOST_OUTPUTS:
        return f"panproof has tests of promises of at most {MOST_OUTPUTS} outputs, got {promise.outputs}"
    if promise.outputs == EVERY:
        return "panproof has no test of a promise for every output; give a number of outputs"
    if problem.kind is not Kind.STREAM and promise.observed is not Observed.OUTPUT:
        return "a mechanism that is given its whole input has no state to see; promise observed=output"
    judged = {Kind.STREAM: OF_STREAMS, Kind.TABLE: OF_TABLES, Kind.GIVEN: problem.adjacencies}[problem.kind]
    if promise.adjacency not in judged:
        return (
            f"panproof makes no pairs of inputs with the adjacency {promise.adjacency} for a {problem.kind}; it "
            f"makes {', '.join(judged)}"
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
) -> Catalogue:
    """The pairs that an audit looks at, with their shares of the error budget.

    Parameters
    ----------
    problem
        The kind of the inputs.
    promise
        It decides which are adjacent, and what is seen.
    population
        Of streams: ids of the universe.
    deletions, stream
        Of streams: whether users are deleted as well; a real stream whose edits are wanted only.
    seed
        For random inputs.

    Raises
    ------
    InputError
        If there is nothing to look at.
    """
    if problem.kind is Kind.STREAM:
        return catalogue(promise, population, deletions=deletions, stream=stream, seed=seed)
    if problem.kind is Kind.TABLE:
        return catalogue_of(audited_tables(problem, promise.adjacency, seed, outputs=promise.output_count))
    return catalogue_of([given_inputs(problem, promise)])


def given_inputs(problem: Problem, promise: Promise) -> LabelledInputs:
    """The inputs that came with a mechanism."""
    return LabelledInputs("given", problem.labels, problem.pairs, promise.adjacency, promise.output_count)


def all_small_inputs(problem: Problem, promise: Promise, size: int) -> LabelledInputs | None:
    """All inputs of a size, for an exact check; ``None`` if they are too many.

    Parameters
    ----------
    problem
        Tables, or given inputs, which have no size.
    promise
        It decides which are adjacent.
    size
        Number of rows.
    """
    if problem.kind is Kind.GIVEN:
        return given_inputs(problem, promise)
    return small_tables(problem, promise.adjacency, size, outputs=promise.output_count)
