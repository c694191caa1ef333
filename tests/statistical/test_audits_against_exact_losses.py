"""A lower bound of an audit must not exceed the exact loss of the same instance: one of them would be wrong."""

import random

import pytest

from pan_audits import Settings, find_variant, run_gate
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_estimators import Adjacency, Observed, Promise

NAMES = (
    "dwork",
    "optimal-bernoulli",
    "bernoulli-family",
    "quantized-laplace",
    "optimal-bernoulli-insert-delete",
    "calibrated-bernoulli",
    "calibrated-insert-delete",
)


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
                adjacency=chance.choice(list(Adjacency)),
                observed=chance.choice([Observed.STATE_AND_OUTPUT, Observed.STATE_AND_OUTPUT, Observed.STATE]),
            ),
            number,
        )


def compare(name, parameters, users, sample_size, promise, seed):
    """The audit's lower bound, 0 if it has none, and the exact loss."""
    exact = run_check(
        SmallInstances(name, parameters, promise),
        CheckSettings(users=users, sample_size=sample_size, length=3, appearances=2),
    )
    variant = find_variant(
        name, parameters={**parameters, "universe": users, "sample_size": sample_size}, promise=promise
    )
    settings = Settings(
        runs=6000,
        confirmation_runs=3000,
        workers=0,
        hygiene=False,
        accuracy_runs=0,
        exact=False,
        seed=seed,
        error=1e-3,
    )
    witness = run_gate(variant, settings).privacy.witness
    return (witness.loss if witness else 0.0), exact.loss.nats


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 5))])
def test_audits_find_no_more_than_there_is(part):
    found = [compare(*instance) for instance in list(instances(24))[part::5]]
    assert all(bound <= loss + 1e-9 for bound, loss in found), found
    # It is no empty comparison: of most losses the audits find a good part.
    assert sum(bound > loss / 2 for bound, loss in found) >= len(found) / 2, found
