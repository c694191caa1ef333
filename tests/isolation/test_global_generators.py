"""Data that a plain object leaves in the global generators, which the judge seeds for it."""

import random

import numpy as np
import pytest

from pan_audits import Settings, find_variant, run_gate
from pan_audits.isolation import seeding
from pan_promises.promise import Promise


def ignore():
    pass


def draw():
    for _ in range(1000):
        random.random()
        np.random.laplace()
    random.gauss(0, 1)
    random.shuffle(list(range(50)))


KEEPS = {
    "random._inst": [lambda: random.seed(7), lambda: random.setstate((3, (9, *random.getstate()[1][1:]), None))],
    "numpy.random.mtrand._rand": [lambda: np.random.seed(7)],
}


@pytest.fixture
def left(monkeypatch):
    """The places where an act leaves a state that no draws lead to."""
    monkeypatch.setattr(seeding, "LEFT", {})
    before = random.getstate(), np.random.get_state()

    def left_by(act):
        seeding.LEFT.clear()
        with seeding.followed():
            random.seed(1)
            np.random.seed(2)
            seeding.seeded_now()
            act()
        return {place: set(digests) for place, digests in seeding.LEFT.items()}

    yield left_by
    random.setstate(before[0])
    np.random.set_state(before[1])


@pytest.mark.parametrize("act", [ignore, draw])
def test_draws_leave_nothing(left, act):
    assert left(act) == {}


@pytest.mark.parametrize(("place", "act"), [(place, act) for place, acts in KEEPS.items() for act in acts])
def test_a_state_that_no_draws_lead_to_is_left(left, place, act):
    assert set(left(act)) == {place}


def test_what_is_left_depends_on_the_seed(left):
    one, same, other = (left(lambda seed=seed: random.seed(seed)) for seed in (7, 7, 8))
    assert one == same != other


@pytest.mark.more
@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("KeepsInTheGlobalGenerator", True),
        ("KeepsInTheGeneratorOfNumpy", True),
        ("DrawsFromTheGlobalGenerators", False),
    ],
)
def test_a_gate_names_data_in_a_global_generator(name, kept):
    promise = Promise.parse("epsilon=1,adjacency=user-level,observed=state+output")
    variant = find_variant(f"tests.variants.global_generators:{name}", parameters={}, promise=promise)
    report = run_gate(variant, Settings(runs=4_000, confirmation_runs=4_000, seed=1, workers=0, accuracy_runs=0))
    assert ("memory outside the state" in {finding.check for finding in report.findings}) is kept
