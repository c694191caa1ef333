"""A lower bound of an audit must not exceed the exact loss of the same instance; and it must not be far below it.

How much an audit can show is told by an oracle, which knows the distributions of all streams: from so many runs, it
bounds the loss of the best event of the best pair.
"""

from __future__ import annotations

import math
import random

import pytest

from pan_audits import Settings, find_mechanism, run_gate
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.problems.inputs.streams.catalogue import JUDGED
from pan_estimators import Observed, Promise
from tests.auditing.oracle import oracle

NAMES = (
    "dwork",
    "optimal-bernoulli",
    "bernoulli-family",
    "quantized-laplace",
    "optimal-bernoulli-insert-delete",
    "calibrated-bernoulli",
    "calibrated-insert-delete",
)
RUNS, CONFIRMATION, ERROR = 6000, 3000, 1e-3
PARTS, COUNT = 5, 24
SHARE = 0.7
"""Part of the oracle's bounds that the audits show, over all instances together."""

SEEN = 3.0
"""With a bet that is expected to grow to so many times the logarithm of the threshold, hardly any audit misses."""


def instances(count):
    """Random estimators, budgets, sizes and promises that are too small, so that the audit measures."""
    chance = random.Random(20261121)
    for number in range(count):
        users = chance.randint(1, 3)
        yield (
            NAMES[number % len(NAMES)],
            {"epsilon": chance.uniform(0.05, 1.2)}
            | ({"centre": chance.uniform(0.3, 0.6)} if NAMES[number % len(NAMES)] == "bernoulli-family" else {}),
            users,
            chance.randint(1, users),
            Promise(
                epsilon=0.01,
                adjacency=chance.choice(list(JUDGED)),
                observed=chance.choice([Observed.STATE_AND_OUTPUT, Observed.STATE_AND_OUTPUT, Observed.STATE]),
            ),
            number,
        )


def mechanism_of(name, parameters, users, sample_size, promise):
    return find_mechanism(
        name, parameters={**parameters, "universe": users, "sample_size": sample_size}, promise=promise
    )


def exact_loss(name, parameters, users, sample_size, promise):
    scope = CheckSettings(users=users, sample_size=sample_size, length=3, appearances=2)
    return run_check(SmallInstances(name, parameters, promise), scope).loss.nats


def shown(mechanism, seed):
    """The lower bound of an audit, 0 if it has none."""
    settings = Settings(
        runs=RUNS,
        confirmation_runs=CONFIRMATION,
        workers=0,
        hygiene=False,
        accuracy_runs=0,
        exact=False,
        seed=seed,
        error=ERROR,
    )
    witness = run_gate(mechanism, settings).privacy.witness
    return witness.loss if witness else 0.0


def best(mechanism, users):
    """What an oracle shows, and whether a bet on the right event would have been certain to win."""
    found = oracle(mechanism, users, runs=CONFIRMATION, error=ERROR)
    certain = found.growth * RUNS / 2 >= SEEN * math.log(1 / ERROR)
    return found.bound, certain


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=pytest.mark.slow if part else pytest.mark.more) for part in range(PARTS)]
)
def test_audits_find_no_more_than_there_is_and_most_of_what_an_oracle_finds(part, record_property):
    rows = []
    for name, parameters, users, sample_size, promise, seed in list(instances(COUNT))[part::PARTS]:
        mechanism = mechanism_of(name, parameters, users, sample_size, promise)
        loss = exact_loss(name, parameters, users, sample_size, promise)
        rows.append((name, shown(mechanism, seed), best(mechanism, users)[0], loss))
    assert all(bound <= loss + 1e-9 for _, bound, _, loss in rows), rows
    # At the expected counts, the oracle itself must not say more than there is.
    assert all(possible <= loss + 1e-9 for _, _, possible, loss in rows), rows
    found, possible = (sum(row[place] for row in rows) for place in (1, 2))
    record_property(
        f"bounds of part {part}", f"{found:.2f} of an oracle's {possible:.2f}, exact {sum(r[3] for r in rows):.2f}"
    )
    assert found >= SHARE * possible, rows


@pytest.mark.slow
def test_audits_of_random_instances_show_most_of_what_an_oracle_shows(record_property):
    """Two audits of each instance, with seeds of their own; hardly any comes away with nothing."""
    rows = []
    for name, parameters, users, sample_size, promise, number in instances(COUNT):
        mechanism = mechanism_of(name, parameters, users, sample_size, promise)
        possible, certain = best(mechanism, users)
        rows += [(name, shown(mechanism, 1000 * again + number), possible, certain) for again in (1, 2)]
    share = sum(row[1] for row in rows) / sum(row[2] for row in rows)
    missed = [row for row in rows if row[3] and not row[1]]
    record_property("random instances", f"{share:.3f} of an oracle's bounds; {len(missed)} of {len(rows)} show nothing")
    assert share >= SHARE, rows
    assert len(missed) <= 0.1 * sum(row[3] for row in rows), missed
