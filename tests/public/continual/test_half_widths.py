"""Intervals of each output: all of them hold together. What is released in whole numbers, and the noise covers it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_estimators import kernels
from pan_estimators.continual import right_factor
from pan_estimators.continual.calibrated_adaptive import CalibratedAdaptive
from pan_estimators.continual.decaying_noise import DecayingNoise, decaying_noise, factors
from pan_estimators.continual.members import MEMBERS
from pan_estimators.continual.phases import PhaseIntervals, parts_of
from pan_estimators.continual.right_factor import Release, right_image, rounding, safe_deviation
from pan_estimators.continual.square_root_counter import Presence
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError
from tests.public.continual.test_counters import made

STEPS, RHO = 600, 500.0
"""With this budget few refusals end a phase, so that a short stream has all phases."""
COUNTERS = [name for name in MEMBERS if name != "sparse-vector"]


def restless(steps, elements=12):
    """Elements that come and go in turn."""
    times = np.arange(steps)
    return times % elements, np.where(times // elements % 2, -1, 1)


def adaptive():
    """A counter that computes its count at each step after the phases."""
    return CalibratedAdaptive(steps=STEPS, rho=RHO, period=1)


class Recorded:
    """A source that keeps the noise of released values, and that of computations, apart from that of refusals."""

    def __init__(self, counter, seed):
        self.inner = NumpyRandomness(seed)
        self.released = {phase.deviation for phase in counter.plan.phases}
        self.refusals = {phase.alarm_deviation for phase in counter.plan.phases}
        self.noise, self.computed = [np.empty(0)], [np.empty(0)]

    def gaussian(self, location=0.0, scale=1.0, size=None):
        drawn = self.inner.gaussian(location, scale)
        if scale in self.released:
            self.noise.append(drawn - location)
        elif scale not in self.refusals:
            self.computed.append(drawn - location)
        return drawn

    def errors(self, steps):
        """The distances of the outputs from the followed counts; with a computation at each step after the phases."""
        noise, chosen = np.concatenate(self.noise), factors(steps)
        left = decaying_noise(DecayingNoise(np.zeros(len(chosen.rates))), noise, chosen) if noise.size else noise
        return np.abs(np.concatenate([left, *self.computed]))


def run(counter, seed, react=None):
    """The errors and the widths of one run; ``react`` chooses each entry after it has seen the output before."""
    source = Recorded(counter, seed)
    state = counter.create(source)
    if react is None:
        counter.follow(state, *restless(counter.steps), source)
    else:
        output = 0.0
        for step in range(counter.steps):
            output = counter.follow(state, *([one] for one in react(step, output)), source)[0]
    return source.errors(counter.steps), state


@pytest.mark.parametrize("steps", [1, 7, 100, 5000])
def test_the_norms_of_rows_are_bounds_and_near(steps):
    chosen = factors(steps)
    exact = np.array([chosen.squared_row(time) for time in range(1, steps + 1)])
    found = chosen.squared_rows(np.arange(1, steps + 1))
    assert (found >= exact).all()
    assert (found <= 1.01 * exact).all()


@pytest.mark.parametrize(("phases", "level"), [(0, 0.95), (1, 0.5), (2, 0.95), (5, 0.999)])
def test_the_parts_of_the_error_add_up(phases, level):
    intervals = PhaseIntervals(1000, phases, level)

    def tail(width):
        return math.erfc(width / math.sqrt(2))

    later = sum(2 * 1000 * tail(intervals.of_phase(place)) for place in range(1, phases))
    first = 1000 * tail(intervals.of_phase(0)) if phases else 0
    total = first + later + 30 * tail(intervals.of_computations(30))
    assert total == pytest.approx(1 - level, rel=1e-5)


@given(st.lists(st.integers(1, 30), max_size=4).map(sorted), st.integers(0, 20), st.integers(0, 10))
def test_a_step_belongs_to_the_part_that_has_not_ended_before_it(ended, first, count):
    times = range(first + 1, first + count + 1)
    assert parts_of(ended, np.array(times)).tolist() == [sum(end < time for end in ended) for time in times]


@pytest.mark.parametrize("name", COUNTERS)
def test_the_widths_of_the_last_outputs_are_those_of_all_and_below_the_bound(name):
    counter, randomness = made(name, steps=STEPS, rho=RHO, flippancy=3, period=1), NumpyRandomness(3)
    state, (users, signs) = counter.create(randomness), restless(STEPS)
    parts = []
    for place in range(0, STEPS, 200):
        counter.follow(state, users[place : place + 200], signs[place : place + 200], randomness)
        parts.append(counter.half_widths(state, 200, 0.9))
    widths = counter.half_widths(state, STEPS, 0.9)
    assert np.concatenate(parts).tolist() == widths.tolist()
    assert counter.half_widths(state, 0, 0.9).size == 0
    assert (widths > 0).all()
    assert (widths <= counter.half_width(0.9) * (1 + 1e-12)).all()
    for level in (0.0, 1.0, -0.5):
        for call in (counter.half_width, lambda level: counter.half_widths(state, 0, level)):
            with pytest.raises(InputError, match="level of an interval"):
                call(level)


def test_the_widths_follow_from_what_is_released():
    """Another stream with the same ends of phases has the same widths: nothing else of the state decides."""
    counter, nothing = adaptive(), np.zeros(STEPS, int)
    state = run(counter, 1)[1]
    other = counter.create(NumpyRandomness(5))
    counter.follow(other, nothing, nothing, NumpyRandomness(5))
    assert other.ended != state.ended
    other.ended = list(state.ended)
    widths = counter.half_widths(state, STEPS)
    assert counter.half_widths(other, STEPS).tolist() == widths.tolist()
    # The first phase is narrow, and the last one has one width.
    assert widths[0] < 0.2 * counter.half_width()
    assert np.unique(widths[state.ended[-1] :]).size == 1


@pytest.mark.more
def test_all_intervals_of_a_run_hold_together_and_those_of_the_first_phase_are_for_it_alone():
    """If the true share is 0.7, fewer than 43 of 80 runs have a probability below 0.1%."""
    counter, within, without = adaptive(), 0, 0
    chosen = np.sqrt(factors(STEPS).squared_rows(np.arange(1, STEPS + 1)))
    first = PhaseIntervals(STEPS, 2, 0.7).of_phase(0) * counter.plan.phases[0].deviation * chosen
    for seed in range(80):
        errors, state = run(counter, (15, seed))
        assert len(state.ended) == 2
        within += bool((errors <= counter.half_widths(state, STEPS, 0.7)).all())
        without += bool((errors <= first).all())
    assert within >= 43
    assert without == 0


@pytest.mark.more
def test_they_hold_for_a_stream_that_depends_on_the_outputs():
    """Few elements change while the output is small, and more while it is large: noise decides when a phase ends.

    If the true share is 0.7, fewer than 13 of 30 runs have a probability below 0.1%.
    """
    counter, within = adaptive(), 0
    for seed in range(30):
        present = [False] * 12

        def react(step, output, present=present):
            element = step % (len(present) if output >= sum(present) else 4)
            present[element] = not present[element]
            return element, 1 if present[element] else -1

        errors, state = run(counter, (16, seed), react)
        assert state.ended
        within += bool((errors <= counter.half_widths(state, STEPS, 0.7)).all())
    assert within >= 13


def exact_image(changes, chosen):
    """The values of ``R x`` in fractions, from the definition."""
    shares = [Fraction(numerator, 2**exponent) for numerator, exponent in chosen.right_weights]
    rates = [1 - Fraction(numerator, 2**exponent) for numerator, exponent in chosen.distances]
    entries = [
        sum(share * rate**place for share, rate in zip(shares, rates, strict=True)) for place in range(len(changes))
    ]
    return [sum(entries[time - place] * changes[place] for place in range(time + 1)) for time in range(len(changes))]


counts = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2**31)), min_size=1, max_size=12)


@given(counts, st.lists(st.sampled_from([-1, 0, 1]), min_size=12, max_size=12), st.sampled_from([12, 2**20, 2**31 - 1]))
def test_rounding_adds_at_most_the_bound_to_the_values_and_to_the_difference_of_two_streams(present, differing, steps):
    chosen = factors(steps)
    other = [count + one for count, one in zip(present, differing, strict=False)]
    one, two = (np.diff([0, *each]) for each in (present, other))
    found, second = (right_image(Release.begin(chosen), each, chosen) for each in (one, two))
    assert all((value * 2.0**21).is_integer() for value in found.tolist())
    for values, changes in ((found, one), (found - second, one - two)):
        stated = exact_image(changes.tolist(), chosen)
        assert all(abs(Fraction(a) - b) <= rounding(chosen) for a, b in zip(values.tolist(), stated, strict=True))


@given(counts, st.integers(0, 12), st.sampled_from([12, 2**20, 2**31 - 1]))
def test_python_computes_the_same_values_part_by_part(present, cut, steps):
    chosen = factors(steps)
    changes = np.diff([0, *present])
    compiled, plain = Release.begin(chosen), Release.begin(chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(right_factor, "FEW", 0)
        whole = right_image(compiled, changes, chosen)
        patch.setattr(kernels, "compiling", lambda: False)
        parts = [right_image(plain, part, chosen) for part in (changes[:cut], changes[cut:])]
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert compiled.wholes.tolist() == plain.wholes.tolist()
    assert compiled.parts.tolist() == plain.parts.tolist()


@pytest.mark.parametrize("steps", [1, 2**20, 2**31 - 1])
def test_the_noise_covers_the_rounding(steps):
    """The distance of two streams after rounding, over the deviation, gives a loss of at most rho."""
    rounded = rounding(factors(steps))
    assert rounded < 2.0**-20
    for sensitivity, rho in itertools.product((1.0, 30.0), (1e-4, 0.5, 20.0)):
        deviation = safe_deviation(sensitivity, rho, steps, rounded)
        distance = sensitivity + steps**0.5 * (rounded + deviation * 2.0**-32)
        assert distance**2 / (2 * deviation**2) <= rho * (1 + 1e-12)
        assert deviation <= sensitivity / (2 * rho) ** 0.5 * 1.06
    assert all(made.has_exact_noise for made in MEMBERS.values())
    with pytest.raises(InputError, match="rho must be at least"):
        Presence(steps=2**31 - 1, rho=1e-10)
