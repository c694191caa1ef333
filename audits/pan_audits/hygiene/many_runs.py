"""Whether an estimator's many runs at once follow the law of its single runs.

The test draws both on a few streams of the catalogue, and bets that some event is likelier in the one
than in the other. It learns the event from earlier runs and bets on later ones, without an assumption
about the distributions. A successful bet is wrong with at most the given probability. A failed bet says
little about small differences: with the runs made here, the test finds an event of probability 0.5 in the one
and about 0.7 in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pan_audits.auditing.sampler import Sampler, requests_for
from pan_audits.auditing.sequential import FEW_LESSONS, LESSON_GROWTH, Direction, PairTest, threshold
from pan_audits.events import Table
from pan_audits.hygiene.finding import Finding, Severity
from pan_audits.inputs.streams.catalogue import catalogue
from pan_audits.inputs.streams.family import Family, Id
from pan_audits.running.course import is_shipped
from pan_audits.running.many_runs import SHARE_MADE_SINGLY, offers_many_runs
from pan_audits.running.mechanism import EstimatorMechanism

CHECK = "many runs"
_PURPOSES = (30, 31)
_STREAMS = 4
_ROUNDS = (128, 384, 1536)
_ROUNDS_OF_SHIPPED = _ROUNDS[:2]
"""The distribution of the shipped ones is tested elsewhere, with more runs."""


def compared_many_runs(
    sampler: Sampler, population: Sequence[Id], *, error: float, entropy: int
) -> tuple[EstimatorMechanism, list[Finding]]:
    """Compare single runs with runs at once: the mechanism to go on with, and a finding if they differ."""
    mechanism = sampler.mechanism
    assert isinstance(mechanism, EstimatorMechanism)
    estimator = mechanism.estimator
    streams = _streams(mechanism, population)
    if not streams:
        return replace(mechanism, singly=1.0), []
    shipped = is_shipped(estimator)
    level = threshold(error, 0.5 / len(streams))
    for family, place in streams:
        test = PairTest(0.0, use_likelihood=False, first_lessons=FEW_LESSONS, lesson_growth=LESSON_GROWTH)
        samples: tuple[list[Table], list[Table]] = ([], [])
        for number, runs in enumerate(_ROUNDS_OF_SHIPPED if shipped else _ROUNDS):
            for part, share, purpose in zip(samples, (1.0, 0.0), _PURPOSES, strict=True):
                own = replace(sampler, mechanism=replace(mechanism, singly=share), runs=0, printed=0)
                requests = requests_for(family, place, runs, entropy=entropy, purpose=purpose, chunk=number)
                part += own.draw_joined([requests])
                sampler.runs += own.runs
                sampler.printed += own.printed
            singles, together = (_features(Table.concatenate(part)) for part in samples)
            reached = test.extend(singles, together, stop_at=level)
            if reached is not None:
                return replace(mechanism, singly=1.0), [_finding(family, place, test, reached)]
    return replace(mechanism, singly=None if shipped else SHARE_MADE_SINGLY), []


def _streams(mechanism: EstimatorMechanism, population: Sequence[Id]) -> list[tuple[Family, int]]:
    """A few streams, spread over the catalogue, with the most updates of the user."""
    estimator: Any = mechanism.estimator
    found = catalogue(mechanism.promise, population, deletions=bool(getattr(estimator, "deletions", False)))
    families = dict.fromkeys(pair.family for pair in found.pairs)
    offered = [family for family in families if offers_many_runs(estimator, family.schedule)]
    kept = offered[:: max(1, len(offered) // _STREAMS)][:_STREAMS]
    return [(family, len(family.patterns) - 1) for family in kept]


def _features(table: Table) -> Table:
    return table.select([name for name in table.names if not name.startswith("log-likelihood under")])


def _finding(family: Family, place: int, test: PairTest, reached: Direction) -> Finding:
    event = test.bets[reached].event
    likelier = "single runs" if reached is Direction.LEFT else "many runs at once"
    return Finding(
        CHECK,
        Severity.DEFECT,
        f"many runs at once have another distribution than single runs: where {family.describe(place)} "
        f"({family.name}), the event {event.describe() if event else '?'!r} is likelier in {likelier}; "
        "after this check the gate made single runs only",
    )
