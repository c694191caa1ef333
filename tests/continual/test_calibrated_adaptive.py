"""The adaptive counter: its loss on every sequence of decisions, what it follows, and its errors on several streams."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_estimators.continual import phases as plans
from pan_estimators.continual.calibrated_adaptive import CalibratedAdaptive
from pan_estimators.continual.calibrated_turnstile import CalibratedTurnstile
from pan_estimators.continual.phases import BUDGET, GROWTH, HINTED, UNKNOWN, Plan
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError

RHO = 0.5


class Scripted:
    """No noise, but the number of refusals seems large at given checks, and small at the others."""

    def __init__(self, plan, ends):
        self.left, self.ends, self.values = len(plan.phases), ends, []
        self.calls = 0

    def gaussian(self, location=0.0, scale=1.0, size=None):
        values = np.array(location, dtype=float)
        self.values += (values / scale).tolist()
        if not self.left:
            return values
        # In a phase each step has its value, and then a check.
        self.calls += 1
        if self.calls % 2:
            return values
        ended = self.calls // 2 in self.ends
        self.left -= ended
        return np.full(1, 1e9 if ended else -1e3)


def small_counter(steps, changes, count, shares, spoil=lambda phase: phase):
    """A counter whose phases end at any step: for so few steps it would recompute alone."""
    counter = CalibratedAdaptive(steps=steps, rho=RHO)
    with pytest.MonkeyPatch.context() as patch:
        # Prices that fall less, so that elements can use up their budget.
        patch.setattr(plans, "GROWTH", 2)
        phases = tuple(map(spoil, plans._phases(steps, steps, RHO, shares, changes, count)))
    object.__setattr__(counter, "plan", Plan(phases, 1, steps, shares.recomputing * RHO))
    return counter


def toggles(vector):
    """Columns of a stream of one element with this existence vector."""
    signs = np.diff([0, *vector])
    return np.zeros(len(vector), dtype=int), signs


def largest_loss(counter):
    """The largest loss of two existence vectors of an element, over all sequences of decisions."""
    steps, most = counter.steps, 0.0
    vectors = list(itertools.product([0, 1], repeat=steps))
    for count in range(len(counter.plan.phases) + 1):
        for ends in itertools.combinations(range(1, steps + 1), count):
            seen = []
            for vector in vectors:
                script = Scripted(counter.plan, ends)
                counter.follow(counter.create(script), *toggles(vector), script)
                seen.append(script.values)
            images = np.array(seen)
            squares = np.sum(images**2, axis=1)
            most = max(most, float((squares[:, None] + squares - 2 * images @ images.T).max()) / 2)
    return most


SMALL = [(1, 1, UNKNOWN), (2, 1, HINTED), (1, 2, UNKNOWN), (2, 2, UNKNOWN), (1, 3, HINTED), (2, 3, UNKNOWN)]


@pytest.mark.parametrize(("changes", "count", "shares"), SMALL[2:4])
def test_no_sequence_of_decisions_has_a_loss_above_rho(changes, count, shares):
    """The accounting is a bound for every sequence of released values. Here all of them are run, for all pairs."""
    assert largest_loss(small_counter(4, changes, count, shares)) <= RHO


@pytest.mark.more
@pytest.mark.parametrize(("changes", "count", "shares"), SMALL)
def test_the_same_for_six_steps(changes, count, shares):
    loss = largest_loss(small_counter(6, changes, count, shares))
    # The bound is no constant that is far too large.
    assert RHO / 4 <= loss <= RHO


SPOILS = {
    "half of the noise": lambda phase: replace(phase, deviation=phase.deviation / 2),
    "changes at a third of their price": lambda phase: replace(phase, price=phase.price // 3),
    "no limit": lambda phase: replace(phase, limit=BUDGET * 2),
    "alarms without noise": lambda phase: replace(phase, alarm_deviation=phase.alarm_deviation / 10),
}


@pytest.mark.parametrize("name", SPOILS)
def test_a_spoiled_plan_has_a_larger_loss(name):
    assert largest_loss(small_counter(5, 1, 1, UNKNOWN, SPOILS[name])) > RHO


@pytest.mark.parametrize("steps", [100, 2**14, 2**20, 2**31 - 1])
@pytest.mark.parametrize("rho", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("hint", [0, 1, 2, 15, 1000])
def test_the_budgets_of_a_plan_add_up(steps, rho, hint):
    """The inequalities of the accounting, from the numbers of the plan alone."""
    counter = CalibratedAdaptive(steps=steps, rho=rho, hint=hint)
    plan, changes = counter.plan, hint or 2
    for number, phase in enumerate(plan.phases):
        # Prices cover the loss that the noise allows, and fall.
        column = counter_column(steps)
        assert phase.price / BUDGET * rho >= column / phase.deviation**2 * (1 - 1e-12) * 0.999
        before = plan.phases[number - 1] if number else None
        if before:
            assert phase.price <= before.price
            assert phase.deviation == pytest.approx(before.deviation * GROWTH**0.5)
            # A change and a refusal can be paid by every element.
            assert phase.limit - before.limit >= phase.price + phase.alarm_price
    if plan.phases:
        first, last = plan.phases[0], plan.phases[-1]
        assert first.limit == changes * first.price + first.alarm_price
        spent = ((2 * changes - 1) * first.price + 2 * first.alarm_price) / BUDGET
        most = max(spent, 2 * last.limit / BUDGET if len(plan.phases) > 1 else 0)
        assert most + plan.recomputing / rho <= 1 + 1e-6
    else:
        assert plan.recomputing <= rho


def counter_column(steps):
    from pan_estimators.continual.decaying_noise import factors

    return factors(steps).squared_column(steps)


@given(st.data())
def test_parts_of_a_stream_give_the_outputs_of_the_whole(data):
    steps = 24
    stream = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1, 0, 1])), min_size=steps, max_size=steps)
    )
    cuts = sorted(data.draw(st.sets(st.integers(0, steps), max_size=3)))
    ends = data.draw(st.sets(st.integers(1, steps), max_size=3))
    counter = small_counter(steps, 1, 3, UNKNOWN)
    elements, signs = np.array(stream).T
    outputs = []
    for places in ([], cuts):
        script = Scripted(counter.plan, ends)
        state, found = counter.create(script), []
        for first, last in itertools.pairwise([0, *places, steps]):
            found += counter.follow(state, elements[first:last], signs[first:last], script).tolist()
        paid, flips = (np.trim_zeros(column, "b").tolist() for column in (state.spent, state.elements.flips))
        outputs.append((found, script.values, paid, flips, state.present))
    assert outputs[0] == outputs[1]


@given(st.data())
def test_without_noise_each_phase_begins_with_the_counts(data):
    """An element is followed while it can pay, by a simulation element by element and step by step."""
    steps, count = 20, 3
    stream = data.draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([-1, 1])), min_size=steps, max_size=steps))
    ends = data.draw(st.sets(st.integers(1, steps), max_size=count))
    counter = small_counter(steps, 1, count, UNKNOWN)
    script = Scripted(counter.plan, ends)
    found = counter.follow(counter.create(script), *np.array(stream).T, script)
    assert found == pytest.approx(simulated(counter, stream, ends), abs=1e-4)


def simulated(counter, stream, ends):
    counts, value, paid, stuck, number, outputs = {}, {}, {}, {}, 0, []
    period, began, held = 0, 0, 0.0
    phases = counter.plan.phases
    for time, (element, sign) in enumerate(stream, start=1):
        counts[element] = counts.get(element, 0) + sign
        if number < len(phases):
            phase = phases[number]
            now = counts[element] > 0
            # A refused element stays as it is until the phase ends.
            if now != value.get(element, False) and not stuck.get(element):
                if paid.get(element, 0) + phase.price + phase.alarm_price <= phase.limit:
                    value[element], paid[element] = now, paid.get(element, 0) + phase.price
                else:
                    stuck[element] = True
            outputs.append(sum(value.values()))
            if time in ends:
                for one in stuck:
                    paid[one] = paid.get(one, 0) + phase.alarm_price
                number, began = number + 1, time
                if number < len(phases):
                    for one in stuck:
                        if (counts[one] > 0) != value.get(one, False):
                            value[one], paid[one] = counts[one] > 0, paid[one] + phases[number].price
                else:
                    period = counter._period(began)
                stuck = {}
        else:
            if (time - began - 1) % period == 0:
                held = sum(count > 0 for count in counts.values())
            outputs.append(held)
    return outputs


def toggled(steps, changes, seed):
    """A stream in which every element changes so many times, in random order."""
    elements = np.repeat(np.arange(steps // changes), changes)
    np.random.default_rng(seed).shuffle(elements)
    order = np.argsort(elements, kind="stable")
    signs = np.empty(elements.size, dtype=np.int8)
    signs[order] = np.where(np.arange(elements.size) % changes % 2 == 0, 1, -1)
    return elements, signs, np.cumsum(signs)


def error(counter, elements, signs, counts, seed=3):
    randomness = NumpyRandomness(seed)
    outputs = counter.follow(counter.create(randomness), elements, signs, randomness)
    return float(np.sqrt(np.mean((outputs - counts) ** 2)))


@pytest.mark.parametrize("changes", [2, 16, 64])
def test_the_error_is_near_that_of_the_better_counter_that_knows_the_flippancy(changes):
    steps = 2**16
    stream = toggled(steps, changes, seed=1)
    known = {"steps": stream[0].size, "rho": RHO}
    better = min(
        error(CalibratedTurnstile(flippancy=changes, **known), *stream), error(TurnstileRecompute(**known), *stream)
    )
    assert error(CalibratedAdaptive(**known), *stream) <= 2.5 * better
    assert error(CalibratedAdaptive(hint=changes, **known), *stream) <= 1.4 * better


def test_phases_end_only_for_streams_beyond_them():
    within, beyond = (toggled(2**16, changes, seed=1) for changes in (2, 64))
    found = []
    for elements, signs, _ in (within, beyond):
        counter = CalibratedAdaptive(steps=elements.size, rho=RHO)
        randomness = NumpyRandomness(2)
        state = counter.create(randomness)
        counter.follow(state, elements, signs, randomness)
        found.append(state.phase)
    assert found[0] == 0 < found[1]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"hint": -1}, "the hint for the flippancy"),
        ({"hint": 1.5}, "the hint for the flippancy"),
        ({"period": 11}, "the period"),
        ({"rho": 0.0}, "rho must be positive"),
        ({"rho": 1e-18}, "rho must be larger"),
    ],
)
def test_a_bad_parameter_is_one_sentence(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        CalibratedAdaptive(**{"steps": 10, "rho": 1.0, **wrong})


def test_a_forbidden_entry_leaves_the_state_as_before():
    counter = small_counter(8, 1, 2, UNKNOWN)
    counter = replace(counter, model="strict")
    randomness = NumpyRandomness(1)
    state = counter.create(randomness)
    counter.follow(state, [0, 1], [1, 1], randomness)
    with pytest.raises(InputError, match="no deletion of an absent element"):
        counter.follow(state, [0, 2], [-1, -1], randomness)
    assert (state.elements.counts[:2].tolist(), state.elements.steps, state.present) == ([1, 1], 2, 2)
