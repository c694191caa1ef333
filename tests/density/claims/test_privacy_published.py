import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.density.lemmas.intrusions.coin_cells import COIN
from pan_proofs.density.lemmas.intrusions.published_events import added_appearance
from pan_proofs.density.lemmas.intrusions.tanh_cells import EXAMPLE, PAIR
from pan_proofs.density.lemmas.losses.joint_loss import joint_loss
from pan_proofs.density.lemmas.losses.published_losses import published_losses
from pan_proofs.engines.obligation import Status
from pan_proofs.ledger.claim import ProofVerdict
from pan_proofs.ledger.notation import epsilon
from tests.density.claims.false_privacy_published import FALSE

_VERDICTS = {
    "joint_loss.tight": ProofVerdict.PROVED,
    "density.dwork_privacy": ProofVerdict.REFUTED,
    "lecture.privacy": ProofVerdict.REFUTED,
    "density.dwork_budget": ProofVerdict.PROVED,
    "density.optbern_privacy": ProofVerdict.REFUTED,
}
_few = settings(max_examples=30, deadline=None)
_chances = st.fractions(Fraction(1, 40), Fraction(39, 40), max_denominator=40)
_rates = st.fractions(Fraction(11, 10), 60, max_denominator=20)


@pytest.mark.parametrize("identifier", _VERDICTS)
def test_every_claim_has_its_verdict_and_no_engine_disagrees(identifier, entries):
    claim = entries[identifier].claim
    assert claim.verdict is _VERDICTS[identifier]
    assert all(one.status is Status.DISCHARGED for one in claim.obligations)
    assert {"sympy", "flint", "z3", "cvc5"} <= set(claim.engines)
    if claim.verdict is ProofVerdict.REFUTED:
        assert claim.nearby == "calibrated.joint_privacy"


def test_false_statements_of_every_kind_are_tried():
    kinds = {"wrong constant", "wrong sign", "wrong range", "missing hypothesis", "correct only in the limit"}
    assert {kind for kind, _ in FALSE.values()} == kinds


def _weight(pair, appears, seen, rho):
    """Density of a seen bit and an output over the noise's, by going through all draws of one user's bit."""
    total = Fraction(0)
    for draws in product((0, 1), repeat=3):
        at_intrusion = draws[1] if appears[0] else draws[0]
        final = draws[2] if appears[1] else at_intrusion
        if at_intrusion == seen:
            chances = (one if bit else 1 - one for bit, one in zip(draws, (pair[0], pair[1], pair[1]), strict=True))
            total += math.prod(chances) * (rho if final else 1)
    return total


def _enumerated(pair, rate):
    patterns = tuple(product((False, True), repeat=2))
    return max(
        _weight(pair, one, seen, rho) / _weight(pair, other, seen, rho)
        for one, other in product(patterns, repeat=2)
        for seen in (0, 1)
        for rho in (1 / rate, rate)
    )


def _closed(pair, rate):
    (p0, p1), (q0, q1) = pair, (1 - pair[0], 1 - pair[1])
    return max(q0 / q1 * (q1 + p1 * rate), p1 / p0 * (p1 + q1 * rate))


@_few
@given(_chances, _chances, _rates)
def test_the_closed_form_is_what_enumeration_finds(one, other, rate):
    if one == other:
        return
    pair = (min(one, other), max(one, other))
    assert _enumerated(pair, rate) == _closed(pair, rate)
    if sum(pair) >= 1:
        assert _closed(pair, rate) == (1 - pair[0]) / (1 - pair[1]) * (1 - pair[1] + pair[1] * rate)


@pytest.mark.more
@_few
@given(_chances, _chances, _rates, st.fractions(0, 1, max_denominator=30))
def test_between_the_ends_of_the_noise_there_is_nothing_worse(one, other, rate, share):
    pair = (min(one, other), max(one, other))
    rho = share / rate + (1 - share) * rate
    patterns = tuple(product((False, True), repeat=2))
    for first, second in product(patterns, repeat=2):
        for seen in (0, 1):
            assert _weight(pair, first, seen, rho) <= _enumerated(pair, rate) * _weight(pair, second, seen, rho)


@_few
@given(st.fractions(Fraction(11, 10), 12, max_denominator=20), _rates)
def test_the_symmetric_pair_has_its_closed_form(factor, rate):
    pair = (1 / (1 + factor), factor / (1 + factor))
    assert _enumerated(pair, rate) == factor * (1 + factor * rate) / (1 + factor) < factor * rate


@_few
@given(_chances, _chances, _rates, st.lists(st.tuples(_chances, st.integers(-3, 4)), min_size=1, max_size=4))
def test_what_others_add_makes_no_ratio_larger(one, other, rate, others):
    pair = (min(one, other), max(one, other))
    largest = _enumerated(pair, rate)

    def mixed(appears, seen):
        # An output at 0 and two-sided geometric noise: others add k with some weight.
        terms = ((w * rate ** -abs(k), rate ** (abs(k) - abs(k + 1))) for w, k in others)
        return sum(size * _weight(pair, appears, seen, rho) for size, rho in terms)

    patterns = tuple(product((False, True), repeat=2))
    for first, second in product(patterns, repeat=2):
        for seen in (0, 1):
            assert mixed(first, seen) <= largest * mixed(second, seen)


def test_the_hand_example_of_the_tanh_pair_is_exact():
    factor = Fraction(3, 2)
    gap = (factor - 1) / (factor + 1)
    pair = ((1 - gap) / 2, (1 + gap) / 2)
    rate = factor ** int(1 / gap)
    ratio = _weight(pair, (False, True), 0, rate) / _weight(pair, (True, False), 0, rate)
    assert gap == Fraction(1, 5)
    assert ratio == Fraction(2379, 320) == _enumerated(pair, rate) > factor**2


def _shown(pair, rate, updates):
    """By all draws of two sampled users, u first: the bit of u seen as 0, the output above both, over the tail "
    "there."""
    total = Fraction(0)
    for start in product((0, 1), repeat=2):
        for drawn in product((0, 1), repeat=len(updates)):
            bits, seen_zero = list(start), False
            chance = math.prod(pair[0] if bit else 1 - pair[0] for bit in start)
            for number, (user, bit) in enumerate(zip(updates, drawn, strict=True)):
                bits[user] = bit
                chance *= pair[1] if bit else 1 - pair[1]
                if number == 0:
                    seen_zero = bits[0] == 0
            total += seen_zero * chance / rate ** (2 - sum(bits))
    return total


@_few
@given(_chances, _chances, _rates)
def test_one_more_appearance_after_the_intrusion_has_the_stated_ratio(one, other, rate):
    pair = (min(one, other), max(one, other))
    ratio = _shown(pair, rate, (1, 0)) / _shown(pair, rate, (1,))
    assert ratio == 1 - pair[1] + pair[1] * rate


@pytest.mark.parametrize(("pair", "at"), [(COIN, sp.Rational(1, 2)), (COIN, sp.S.One), (PAIR, EXAMPLE)])
def test_the_probabilities_of_the_lead_events_are_those_of_simulated_runs(pair, at):
    source, runs = np.random.default_rng(5), 500_000
    before, after = (float(one.subs(epsilon, at)) for one in pair)
    for stream, stated in zip(((1, 0), (1,)), added_appearance(pair), strict=True):
        bits = source.random((2, runs)) < before
        looks = []
        for user in stream:
            bits[user] = source.random(runs) < after
            looks.append(bits[0].copy())
        output = (bits.mean(axis=0) - before) / (after - before) + source.laplace(0, 1 / (float(at) * 2), runs)
        frequency = float(np.mean(~looks[0] & (output > (1 - before) / (after - before))))
        expected = float(stated.subs(epsilon, at))
        assert abs(frequency - expected) < 6 * math.sqrt(expected * (1 - expected) / runs)


def test_the_hand_example_of_the_coin_breaks_the_promise():
    pair = (Fraction(1, 2), Fraction(5, 8))
    ratio = _weight(pair, (False, True), 0, Fraction(54)) / _weight(pair, (True, False), 0, Fraction(54))
    assert ratio == Fraction(91, 2) > 3


@pytest.mark.parametrize("name", ["dwork", "lecture", "optimal-bernoulli"])
@pytest.mark.parametrize("budget", [0.05, 0.3, 0.5, 1.2, 1.9])
def test_the_listed_losses_are_the_closed_form_and_exceed_the_promise(name, budget):
    (entry,) = (one for one in published_losses() if one.name == name)
    pair = tuple(float(one.subs(epsilon, budget)) for one in (entry.before, entry.after))
    rate = math.exp(1 / (pair[1] - pair[0]) * budget)
    loss = float(entry.loss.subs(epsilon, budget))
    assert loss == pytest.approx(math.log(_closed(pair, rate)), rel=1e-12)
    assert loss > 2 * budget


@pytest.mark.parametrize("budget", [0.01, 0.25, 0.5, 1.0, 1.5, 1.593, 1.594, 1.9])
def test_the_state_keeps_its_budget_up_to_the_threshold(budget):
    pair = (0.5, 0.5 + budget / 4)
    loss = max(abs(math.log(pair[1] / pair[0])), abs(math.log((1 - pair[1]) / (1 - pair[0]))))
    assert loss == pytest.approx(-math.log(1 - budget / 2), rel=1e-12)
    assert loss > budget / 2
    assert (loss < budget) is (budget < 1.5936)


def test_noise_without_end_leaves_the_loss_of_the_state():
    for entry in published_losses():
        if entry.name in ("dwork", "optimal-bernoulli"):
            without = joint_loss(entry.before, entry.after, sp.Integer(0)).loss
            for budget in (sp.Rational(1, 5), sp.Rational(1, 2)):
                values = [float(one.subs(epsilon, budget)) for one in (without, entry.state_loss)]
                assert values[0] == pytest.approx(values[1], rel=1e-12)


@pytest.mark.parametrize(
    ("before", "after", "budget"),
    [
        (0.5, 0.625, 0.5),
        (0.4, 0.6, math.log(1.5)),
    ],
)
def test_the_printed_algorithms_run_on_the_two_streams_show_the_ratio(before, after, budget):
    source = np.random.default_rng(11)
    runs, size = 2_000_000, 1
    place = 1 - before  # of a one, in units of the output times the gap
    gap = after - before
    counts = []
    for first, last in ((before, after), (after, None)):
        seen = source.random(runs) < first
        final = seen if last is None else source.random(runs) < last
        output = (final / size - before) / gap + source.laplace(0, 1 / (budget * size), runs)
        counts.append(np.count_nonzero(~seen & (output > place / gap)))
    rate = math.exp(budget / gap)
    exact = (1 - before) / (1 - after) * (1 - after + after * rate)
    spread = exact * math.sqrt(1 / counts[0] + 1 / counts[1])
    assert abs(counts[0] / counts[1] - exact) < 6 * spread
    assert counts[0] > math.exp(2 * budget) * counts[1]
