"""The exact check covers what it covered before its laws were kept, and runs the judged code only where it must."""

from collections import Counter

import pytest

from pan_audits.choices.errors import UnfollowableError
from pan_audits.exact import identity as constancy
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Scope
from pan_audits.exact.search import search_scope
from pan_audits.exact.stepping import Stepper
from pan_audits.inputs.streams.family import SegmentEnd
from pan_estimators import SampledCells, create_estimator, parse_epsilon

RECORDED = {
    # Users, sample size, length, streams, pairs, states and loss of each scope.
    ("optimal-bernoulli", "log(3/2)", 3, 3): (
        (1, 1, 1, 3, 3, 2, 2.00611451451),
        (1, 1, 2, 6, 15, 2, 2.00611451451),
        (1, 1, 3, 10, 45, 2, 2.00611451451),
        (2, 2, 1, 5, 3, 4, 2.00611451451),
        (2, 2, 2, 17, 27, 4, 2.00611451451),
        (2, 2, 3, 49, 165, 4, 2.00611451451),
        (3, 2, 1, 5, 3, 12, 2.00611451451),
        (3, 2, 2, 20, 27, 12, 2.00611451451),
        (3, 2, 3, 76, 195, 12, 2.00611451451),
        (3, 1, 2, 20, 27, 6, 2.00611451451),
        (3, 3, 2, 20, 27, 8, 2.00611451451),
    ),
    ("calibrated-bernoulli", "0.2", 3, 3): (
        (1, 1, 1, 3, 3, 2, 0.4),
        (1, 1, 2, 6, 15, 2, 0.4),
        (1, 1, 3, 10, 45, 2, 0.4),
        (2, 2, 1, 5, 3, 4, 0.4),
        (2, 2, 2, 17, 27, 4, 0.4),
        (2, 2, 3, 49, 165, 4, 0.4),
        (3, 2, 1, 5, 3, 12, 0.4),
        (3, 2, 2, 20, 27, 12, 0.4),
        (3, 2, 3, 76, 195, 12, 0.4),
        (3, 1, 2, 20, 27, 6, 0.4),
        (3, 3, 2, 20, 27, 8, 0.4),
    ),
    ("calibrated-insert-delete", "0.2", 2, 3): (
        (1, 1, 1, 3, 3, 2, 0.4),
        (1, 1, 2, 9, 36, 2, 0.4),
        (1, 1, 3, 21, 210, 2, 0.4),
        (2, 1, 1, 5, 3, 4, 0.4),
        (2, 1, 2, 23, 48, 4, 0.4),
        (2, 1, 3, 95, 510, 4, 0.4),
        (2, 2, 2, 23, 48, 4, 0.4),
    ),
    ("calibrated-announced-intrusions", "0.2", 2, 3): (
        (1, 1, 1, 7, 9, 4, 0.420107548402),
        (1, 1, 2, 16, 60, 4, 0.6),
        (1, 1, 3, 30, 235, 4, 0.6),
        (2, 1, 1, 12, 9, 8, 0.420107548402),
        (2, 1, 2, 48, 102, 8, 0.6),
        (2, 1, 3, 160, 760, 8, 0.6),
        (2, 2, 2, 48, 102, 8, 0.6),
    ),
    ("calibrated-continual-output", "0.2", 2, 2): (
        (1, 1, 1, 8, 12, 2, 0.4),
        (1, 1, 2, 20, 90, 2, 0.4),
        (2, 1, 1, 14, 12, 4, 0.4),
        (2, 1, 2, 62, 150, 4, 0.4),
        (2, 2, 2, 62, 150, 4, 0.4),
    ),
    ("pan-private-distinct-sampling", "0.2", 3, 2): ((1, 1, 1, 3, 3, 2, None),),
    ("tests.variants.ten_lines:RandomisedResponse", "0.3", 3, 2): (
        (1, None, 1, 3, 3, 2, 0.483132706017),
        (1, None, 2, 6, 15, 2, 0.483132706017),
        (2, None, 1, 5, 6, 4, 0.483132706017),
        (2, None, 2, 17, 54, 4, 0.483132706017),
        (3, None, 1, 7, 9, 8, 0.483132706017),
        (3, None, 2, 34, 117, 8, 0.483132706017),
    ),
    ("tests.variants.ten_lines:TwoOutputs", None, 2, 3): (
        (1, None, 1, 3, 3, 2, 1.0),
        (1, None, 2, 6, 15, 2, 1.0),
        (1, None, 3, 10, 45, 2, 1.0),
        (2, None, 1, 5, 6, 3, 1.0),
        (2, None, 2, 17, 54, 4, 1.0),
        (2, None, 3, 49, 330, 4, 1.0),
    ),
    ("tests.variants.evasive:StaysAtEventLevel", None, 2, 3): (
        (1, None, 1, 2, 1, 2, 0.69314718056),
        (1, None, 2, 3, 2, 2, 0.69314718056),
        (1, None, 3, 4, 3, 2, 0.69314718056),
        (2, None, 1, 3, 2, 2, 0.69314718056),
        (2, None, 2, 7, 8, 2, 0.69314718056),
        (2, None, 3, 15, 24, 2, 0.69314718056),
    ),
}


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case[0].rpartition(":")[2])
def test_the_same_is_covered_as_before(case):
    name, epsilon, users, length = case
    parameters = {} if epsilon is None else {"epsilon": parse_epsilon(epsilon)}
    result = run_check(SmallInstances(name, parameters), CheckSettings(users=users, length=length, appearances=3))
    for row, recorded in zip(result.coverage, RECORDED[case], strict=True):
        *counts, states, nats = recorded
        assert [row.users, row.sample_size, row.length, row.streams, row.pairs] == counts
        # A shipped estimator may come to keep more in its state.
        assert row.states == states or (":" not in name and row.states > states)
        assert row.loss.unbounded if nats is None else row.loss.nats == pytest.approx(nats, rel=1e-11)


def counted(monkeypatch, *names):
    calls = Counter()

    def counting(name):
        method = getattr(SampledCells, name)

        def call(*arguments, **named):
            calls[name] += 1
            return method(*arguments, **named)

        monkeypatch.setattr(SampledCells, name, call)

    for name in names:
        counting(name)
    return calls


def searched(length):
    estimator = create_estimator("optimal-bernoulli", universe=2, epsilon=parse_epsilon("log(3/2)"), sample_size=2)
    scope = Scope.of(estimator.promise, 2, length, deletions=False, exchangeable=False)
    stepper = Stepper(estimator, (0, 1))
    search_scope(stepper, scope)
    return stepper


def test_longer_streams_cost_no_further_calls_of_the_estimator(monkeypatch):
    """No step and no release depends on its moment where the state keeps no noise."""
    calls = counted(monkeypatch, "create", "update", "release")
    costs = []
    for length in (2, 4):
        calls.clear()
        searched(length)
        costs.append(dict(calls))
    assert costs[0] == costs[1]


def test_an_estimator_that_stays_as_it_is_has_its_fingerprint_taken_once(monkeypatch):
    taken = []
    monkeypatch.setattr(constancy, "fingerprint", lambda value: taken.append(value) or "the same")
    stepper = searched(2)
    assert taken == [stepper.estimator]


def test_a_law_is_worked_out_once_and_histories_that_are_equal_are_one():
    stepper = searched(2)
    stream = next(iter(stepper._laws))
    assert stepper.law(stream) is stepper.law(stream)
    paths = [path for law in stepper._laws.values() for mixture in law.values() for _, path in mixture]
    assert len({id(path) for path in paths}) == len(set(paths)) < len(paths)


class ErasesInRelease:
    """A release that empties the state that it is given."""

    def create(self, randomness):
        return [7]

    def update(self, state, ids, randomness):
        return state

    def release(self, state, randomness):
        state.clear()
        return 0


def test_a_release_is_given_a_copy_of_the_state():
    stepper = Stepper(ErasesInRelease(), (0,))
    ((_, key),) = stepper.created()
    with pytest.raises(UnfollowableError, match="release changes the state"):
        stepper.law((SegmentEnd.RELEASE,))
    assert stepper.states[key] == [7]
