"""The adaptive counter: its loss on every sequence of decisions, what it follows, and its errors on several streams."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_estimators.continual import phases as plans
from pan_estimators.continual.calibrated_adaptive import CalibratedAdaptive
from pan_estimators.continual.decaying_noise import factors
from pan_estimators.continual.phases import BUDGET, GROWTH, HINTED, UNKNOWN, Plan
from tests.public.continual.streams import followed

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


@pytest.mark.parametrize(
    ("steps", "changes", "count", "shares"),
    [
        (4, 1, 2, UNKNOWN),
        (4, 2, 2, UNKNOWN),
        pytest.param(6, 2, 1, HINTED, marks=pytest.mark.more),
        pytest.param(6, 1, 3, HINTED, marks=pytest.mark.more),
        pytest.param(6, 2, 3, UNKNOWN, marks=pytest.mark.more),
    ],
)
def test_no_sequence_of_decisions_has_a_loss_above_rho(steps, changes, count, shares):
    """The accounting is a bound for every sequence of released values. Here all of them are run, for all pairs."""
    loss = largest_loss(small_counter(steps, changes, count, shares))
    assert loss <= RHO
    # The bound is no constant that is far too large.
    assert steps < 6 or loss >= RHO / 4


SPOILS = {
    "half of the noise": lambda phase: replace(phase, deviation=phase.deviation / 2),
    "changes at a third of their price": lambda phase: replace(phase, price=phase.price // 3),
    "no limit": lambda phase: replace(phase, limit=BUDGET * 2),
    "alarms without noise": lambda phase: replace(phase, alarm_deviation=phase.alarm_deviation / 10),
}


@pytest.mark.parametrize("name", SPOILS)
def test_a_spoiled_plan_has_a_larger_loss(name):
    assert largest_loss(small_counter(5, 1, 1, UNKNOWN, SPOILS[name])) > RHO


@pytest.mark.parametrize("steps", [100, 2**14, 2**31 - 1])
@pytest.mark.parametrize("rho", [0.05, 5.0])
@pytest.mark.parametrize("hint", [0, 1, 15, 1000])
def test_the_budgets_of_a_plan_add_up(steps, rho, hint):
    """The inequalities of the accounting, from the numbers of the plan alone."""
    counter = CalibratedAdaptive(steps=steps, rho=rho, hint=hint)
    plan, changes = counter.plan, hint or 2
    for number, phase in enumerate(plan.phases):
        # Prices cover the loss that the noise allows, and fall.
        column = factors(steps).squared_column(steps)
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


@given(st.data())
def test_without_noise_each_phase_begins_with_the_counts_in_any_parts(data):
    """An element is followed while it can pay, by a simulation element by element and step by step."""
    steps, count = 20, 3
    stream = data.draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([-1, 1])), min_size=steps, max_size=steps))
    ends = data.draw(st.sets(st.integers(1, steps), max_size=count))
    cuts = sorted(data.draw(st.sets(st.integers(0, steps), max_size=3)))
    counter = small_counter(steps, 1, count, UNKNOWN)
    outputs = []
    for places in ([], cuts):
        script = Scripted(counter.plan, ends)
        found = followed(counter, (*zip(*stream, strict=True), range(1, steps + 1), places), script)
        assert found == pytest.approx(simulated(counter, stream, ends), abs=1e-4)
        outputs.append((found, script.values))
    assert outputs[0] == outputs[1]


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
