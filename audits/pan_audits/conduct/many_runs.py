"""Whether the batches of a function are many independent single runs.

An audit counts the runs of a batch as independent runs of the distribution of single runs. Three checks look for
batches that are something else:

*   The form: a batch of ``size`` runs has ``size`` outputs, each of the form of a single one.
*   Repetition: under the same seed a batch is the same again, after other batches as well.
*   The distribution: runs of batches, alone and in pairs, against single runs. A pair has two runs of one batch, or
    the runs at one place of two batches; so that repeated noise, an order, or a first run that differs is noticed.

Batches of a function that takes a size are a part of what is judged: a difference is a defect. Batches of other
functions are made by the judge (:mod:`pan_audits.subject.isolation.side_by_side`): where they cannot be made, or
differ, all runs are single.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import msgpack

from pan_audits.audit.sampler import MOST_RUNS_OF_BATCH, RUNS_PER_BLOCK, Sampler, blocks_for
from pan_audits.audit.sequential import FEW_LESSONS, LESSON_GROWTH, Direction, PairTest, threshold
from pan_audits.conduct.finding import BATCHES, Finding, defect
from pan_audits.conduct.samples import arrangements, difference_of, missing_columns
from pan_audits.events import Table
from pan_audits.events.observing.values import fingerprint
from pan_audits.problems.inputs.streams.catalogue import catalogue
from pan_audits.problems.inputs.streams.family import Family, Id, Pair
from pan_audits.subject.isolation.data import to_data
from pan_audits.subject.running.course import is_shipped
from pan_audits.subject.running.many_runs import (
    SHARE_MADE_SINGLY,
    BatchesApart,
    label_of,
    offers_batches,
    offers_many_runs,
    outputs_of,
)
from pan_audits.subject.running.runner import EstimatorRunner
from pan_audits.workers.limits import MechanismError

_SINGLE, _SMALL, _LARGE, _REPEATED = 32, 33, 34, 35
_INPUTS = 4
_LEAST_SINGLES, _MOST_SINGLES = 2048, 8192
_PART_OF_RUNS = 128
"""The audit makes this many runs for each single run of the comparison, on each input."""
_SMALL_BATCH, _TRIED = 4, 16
_FEWEST_LARGE, _MOST_LARGE, _RUNS_OF_LARGE = 16, 128, 2**18
_LEAST_BATCH = 256
_LESSON_GROWTH = 4.0
_MOST_NUMBERS = 2**18
"""Numbers in the outputs of one batch, at most."""


Compared: TypeAlias = tuple[EstimatorRunner, list[Finding]]
"""A mechanism to go on with, and what was found."""


def compared_batches(
    sampler: Sampler, pairs: Sequence[Pair], *, runs: int | None, error: float, entropy: int
) -> Compared:
    """Compare batches of runs with single runs."""
    runner = sampler.runner
    assert isinstance(runner, EstimatorRunner)
    inputs = _inputs(runner, pairs)
    if not inputs or not _are_made(runner.estimator, inputs):
        return runner, []
    try:
        size = _largest_batch(runner.estimator, inputs, runs, entropy)
        wrong = _unrepeated(runner.estimator, inputs, size, entropy)
    except MechanismError as problem:
        wrong = f"a batch of runs cannot be used: {problem}"
    if wrong:
        return _only_singly(runner, wrong)
    part = min(max((runs or 0) // _PART_OF_RUNS, _LEAST_SINGLES), _MOST_SINGLES)
    singles = _drawn(sampler, runner, inputs, _SINGLE, part, entropy)
    try:
        small, large = (
            _drawn(sampler, replace(runner, batch_runs=each), inputs, purpose, count, entropy)
            for each, purpose, count in (
                (_SMALL_BATCH, _SMALL, part),
                (size, _LARGE, size * _large_batches(size)),
            )
        )
    except MechanismError as problem:
        return _only_singly(runner, f"a batch of runs cannot be used: {problem}")
    for (family, place), *tables in zip(inputs, singles, small, large, strict=True):
        single, of_small, of_large = tables
        wrong = _difference(single, of_small, of_large, size, error / len(inputs))
        if wrong:
            return _only_singly(runner, f"{wrong}, where {family.describe(place)}")
    return replace(runner, batch_runs=size), []


def _inputs(runner: EstimatorRunner, pairs: Sequence[Pair]) -> list[tuple[Family, int]]:
    """The two inputs of the first pair, and others, spread over the rest."""
    sides = dict.fromkeys((pair.family, place) for pair in pairs for place in (pair.left, pair.right))
    offered = [side for side in sides if offers_batches(runner.estimator, side[0])]
    first, rest = offered[:2], offered[2:]
    return first + rest[:: max(1, len(rest) // (_INPUTS - 2))][: _INPUTS - 2]


def _largest_batch(
    estimator: BatchesApart, inputs: Sequence[tuple[Family, int]], runs: int | None, entropy: int
) -> int:
    """Runs of a large batch: fewer where an output is long, or where the audit is short."""
    tried = estimator.batches_apart(label_of(*inputs[0]), [_TRIED], [entropy, _REPEATED])
    outputs_of(tried[0], _TRIED)
    numbers = max(1, len(msgpack.packb(to_data(tried))) // (8 * _TRIED))
    most = MOST_RUNS_OF_BATCH if runs is None else max(_LEAST_BATCH, runs // _PART_OF_RUNS)
    return max(_TRIED, min(most, MOST_RUNS_OF_BATCH, _MOST_NUMBERS // numbers))


def _are_made(estimator: Any, inputs: Sequence[tuple[Family, int]]) -> bool:
    """Whether the function takes a size, or makes its runs side by side on all of these inputs."""
    return bool(estimator.takes_size) or all(estimator.runs_side_by_side(label_of(*side)) for side in inputs)


def _large_batches(size: int) -> int:
    """The number of large batches that are compared."""
    return max(_FEWEST_LARGE, min(_MOST_LARGE, _RUNS_OF_LARGE // size))


def _unrepeated(estimator: Any, inputs: Sequence[tuple[Family, int]], size: int, entropy: int) -> str:
    """Batches that are made again under the same seed, after others; a sentence if they differ."""
    sizes = [_SMALL_BATCH, size, 1, _TRIED]

    def made(side: tuple[Family, int], number: int) -> str:
        return fingerprint(estimator.batches_apart(label_of(*side), sizes, [entropy, _REPEATED, number]))

    first = made(inputs[0], 0)
    others = [made(side, 1) for side in inputs]
    if made(inputs[0], 0) != first or [made(side, 1) for side in inputs] != others:
        return (
            "a batch of runs differs from the same batch made again under the same seed: the function keeps data "
            "between batches, or it draws from another source of randomness"
        )
    # A value that is computed at the first call and kept is a cache; it does not change any more.
    kept = estimator.own_digest()
    made(inputs[-1], 2)
    if estimator.own_digest() != kept:
        return "a batch of runs changes what the function keeps between calls (a global value, a default, a closure)"
    return ""


def _drawn(
    sampler: Sampler,
    runner: EstimatorRunner,
    inputs: Sequence[tuple[Family, int]],
    purpose: int,
    runs: int,
    entropy: int,
) -> list[Table]:
    """Runs of a mechanism on each of the inputs; they are no runs of the search."""
    own = replace(sampler, runner=runner, runs=0, printed=0)
    block = max(runner.batch_runs, RUNS_PER_BLOCK)
    # A block has whole batches only.
    block -= block % max(1, runner.batch_runs)
    tables = own.draw_joined(
        [blocks_for(*side, runs, entropy=entropy, purpose=purpose, chunk=0, size=block) for side in inputs]
    )
    sampler.printed += own.printed
    return tables


def _difference(single: Table, small: Table, large: Table, size: int, error: float) -> str:
    """A difference between batches and single runs in words, or nothing."""
    for batches in (small, large):
        if any(lacking := missing_columns(single, batches)):
            alone, together = (", ".join(map(repr, names[:3])) or "no other number" for names in lacking)
            return (
                "an output of a batch has another form than an output of a single run: single runs have "
                f"{alone}, batches have {together}"
            )
    arranged = list(arrangements(single, small, large, _SMALL_BATCH, size))
    for words, ours, theirs in arranged:
        found = difference_of(ours, theirs, error=error / 2 / len(arranged))
        if found is not None:
            return _told(words, found.event, in_single=found.in_first)
    # Events of several numbers together are learned.
    words, ours, theirs = arranged[1]
    test = PairTest(0.0, use_likelihood=False, lesson_growth=_LESSON_GROWTH)
    reached = test.extend(ours, theirs, stop_at=threshold(error / 2, 0.5))
    if reached is None:
        return ""
    event = test.bets[reached].event
    return _told(words, event.describe() if event else "?", in_single=reached is Direction.LEFT)


def _told(words: str, event: str, *, in_single: bool) -> str:
    likelier = "single runs" if in_single else "batches"
    return f"batches of runs are not independent single runs: in {words}, the event {event!r} is likelier in {likelier}"


def _only_singly(runner: EstimatorRunner, sentence: str) -> Compared:
    if not runner.estimator.takes_size:
        return runner, []
    told = f"{sentence}; after this check the gate made single runs only"
    return replace(runner, batch_runs=0), [defect(BATCHES, told)]


MANY_RUNS = "many runs"
_PURPOSES = (30, 31)
_STREAMS = 4
_ROUNDS = (128, 384, 1536)
_ROUNDS_OF_SHIPPED = _ROUNDS[:2]
"""The distribution of the shipped ones is tested elsewhere, with more runs."""


def compared_many_runs(sampler: Sampler, population: Sequence[Id], *, error: float, entropy: int) -> Compared:
    """Compare single runs with runs at once."""
    runner = sampler.runner
    assert isinstance(runner, EstimatorRunner)
    estimator = runner.estimator
    streams = _streams(runner, population)
    if not streams:
        return replace(runner, singly=1.0), []
    shipped = is_shipped(estimator)
    level = threshold(error, 0.5 / len(streams))
    for family, place in streams:
        test = PairTest(0.0, use_likelihood=False, first_lessons=FEW_LESSONS, lesson_growth=LESSON_GROWTH)
        samples: tuple[list[Table], list[Table]] = ([], [])
        for number, runs in enumerate(_ROUNDS_OF_SHIPPED if shipped else _ROUNDS):
            for part, share, purpose in zip(samples, (1.0, 0.0), _PURPOSES, strict=True):
                own = replace(sampler, runner=replace(runner, singly=share), runs=0, printed=0)
                requests = blocks_for(family, place, runs, entropy=entropy, purpose=purpose, chunk=number)
                part += own.draw_joined([requests])
                sampler.runs += own.runs
                sampler.printed += own.printed
            singles, together = (_features(Table.concatenate(part)) for part in samples)
            reached = test.extend(singles, together, stop_at=level)
            if reached is not None:
                return replace(runner, singly=1.0), [_finding(family, place, test, reached)]
    return replace(runner, singly=None if shipped else SHARE_MADE_SINGLY), []


def _streams(runner: EstimatorRunner, population: Sequence[Id]) -> list[tuple[Family, int]]:
    """A few streams, spread over the catalogue, with the most updates of the user."""
    estimator: Any = runner.estimator
    found = catalogue(runner.promise, population, deletions=bool(getattr(estimator, "deletions", False)))
    families = dict.fromkeys(pair.family for pair in found.pairs)
    offered = [family for family in families if offers_many_runs(estimator, family.schedule)]
    kept = offered[:: max(1, len(offered) // _STREAMS)][:_STREAMS]
    return [(family, len(family.patterns) - 1) for family in kept]


def _features(table: Table) -> Table:
    return table.select([name for name in table.names if not name.startswith("log-likelihood under")])


def _finding(family: Family, place: int, test: PairTest, reached: Direction) -> Finding:
    event = test.bets[reached].event
    likelier = "single runs" if reached is Direction.LEFT else "many runs at once"
    return defect(
        MANY_RUNS,
        f"many runs at once have another distribution than single runs: where {family.describe(place)} "
        f"({family.name}), the event {event.describe() if event else '?'!r} is likelier in {likelier}; "
        "after this check the gate made single runs only",
    )
