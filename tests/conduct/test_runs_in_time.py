"""Checks of conduct make fewer runs of a slow estimator, and all runs of a fast one, also beside other work."""

from __future__ import annotations

import time

import pytest

from pan_audits.conduct.randomness import runs_in_time
from pan_audits.subject.running.course import Observation


class Apart:
    """An estimator in a process of its own, as a check sees it. A run takes some seconds."""

    def __init__(self, seconds, output=0.5):
        self.seconds, self.output = seconds, output
        self.runs = 0

    def runs_apart(self, course, runs, seed, *, states_seen, users_told=False):
        time.sleep(self.seconds * runs)
        self.runs += runs
        yield [Observation((), (self.output,)) for _ in range(runs)]

    def secure_runs_apart(self, course, runs, *, states_seen):
        yield from self.runs_apart(course, runs, (), states_seen=states_seen)


@pytest.mark.parametrize(
    ("estimator", "least", "most"),
    [
        (Apart(0.0), 400, 400),
        (Apart(0.004), 400, 400),
        (Apart(0.032), 20, 100),
        (Apart(0.4), 20, 20),
        (object(), 400, 400),
    ],
)
def test_a_slow_estimator_makes_fewer_runs_and_an_even_number(estimator, least, most):
    runs = runs_in_time(estimator, [], 400, fewest=20, seconds=0.4)
    assert least <= runs <= most
    assert runs % 2 == 0
