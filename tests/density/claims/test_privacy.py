import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators import calibrate_symmetric
from pan_estimators.density.cell_loss import noise_limits, worst_ratio
from pan_proofs.density.claims.bernoulli_family.privacy import ratio as family_ratio
from pan_proofs.density.lemmas.intrusions.coin_cells import COIN, FACTOR, STATE_KEPT_BELOW, ratio_of_bits
from pan_proofs.density.lemmas.intrusions.flipped_bits import joint_ratio as announced_ratio
from pan_proofs.density.lemmas.intrusions.flipped_bits import least_noise, pairs_after
from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import FIRST, SECOND, WITH_DELETIONS, A, B, q1
from pan_proofs.density.lemmas.intrusions.noise_limits import LIMITS
from pan_proofs.density.lemmas.intrusions.published_events import AFTER, BEFORE, BOTH, NEVER, probability
from pan_proofs.density.lemmas.intrusions.several_releases import E, joint_ratio, r
from pan_proofs.density.lemmas.intrusions.split_error import CASES, ERROR, S, balance, m, near, published_error
from pan_proofs.density.lemmas.intrusions.split_error import E as E_SPLIT
from pan_proofs.density.lemmas.intrusions.tanh_cells import EXAMPLE, PAIR
from pan_proofs.density.lemmas.losses.joint_loss import limit
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.engines.obligation import Status
from pan_proofs.ledger.claim import ProofVerdict
from pan_proofs.ledger.notation import epsilon
from tests.density.claims.false_privacy import FALSE

VERDICTS = {
    "joint_loss.tight": ProofVerdict.PROVED,
    "density.dwork_privacy": ProofVerdict.REFUTED,
    "lecture.privacy": ProofVerdict.REFUTED,
    "density.dwork_budget": ProofVerdict.PROVED,
    "density.bernoulli_family": ProofVerdict.PROVED_AMENDED,
    "density.optbern_privacy": ProofVerdict.REFUTED,
    "density.insert_delete": ProofVerdict.REFUTED,
    "density.announced_intrusions": ProofVerdict.PROVED_AMENDED,
    "density.continual_output": ProofVerdict.PROVED_AMENDED,
    "calibrated.joint_privacy": ProofVerdict.PROVED,
    "calibrated.insert_delete": ProofVerdict.PROVED,
    "calibrated.announced_intrusions": ProofVerdict.PROVED,
    "calibrated.continual_output": ProofVerdict.PROVED,
    "calibrated.optimal_split": ProofVerdict.PROVED,
}
NEARBY = {
    "density.insert_delete": "calibrated.insert_delete",
}
_few = settings(max_examples=30, deadline=None)
_chances = st.lists(
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50), min_size=2, max_size=2, unique=True
)
_rates = st.fractions(Fraction(11, 10), 20, max_denominator=10)
_odds = st.fractions(Fraction(11, 10), 9, max_denominator=10)
_flips = st.fractions(Fraction(1, 20), Fraction(9, 20), max_denominator=20)


def exact(expression, **values):
    found = expression.subs({p0: values["low"], p1: values["high"], limit: values["rate"]})
    return Fraction(int(found.p), int(found.q))


def densities(low, high, ratios, updates):
    """By hand: for every pattern, what a seen bit and an output of each ratio weigh."""
    table = {}
    for before, after in product(updates, repeat=2):
        one = {"none": low, "insert": high, "delete": low}[before]
        final = {"insert": high, "delete": low}.get(after)
        for bit, rho in product((0, 1), ratios):
            chance = one if bit else 1 - one
            last = bit if final is None else final
            table.setdefault((before, after), []).append(chance * (last * rho + (1 - last)))
    return table


def largest(table, allowed=lambda one, other: True):
    pairs = (pair for pair in permutations(table, 2) if allowed(*pair))
    return max(x / y for one, other in pairs for x, y in zip(table[one], table[other], strict=True))


def nested(one, other):
    return all(b != "none" or a == "none" for a, b in zip(one, other, strict=True)) or all(
        a != "none" or b == "none" for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("identifier", VERDICTS)
def test_every_claim_has_its_verdict_and_no_open_obligation(identifier, entries):
    claim = entries[identifier].claim
    assert claim.verdict is VERDICTS[identifier]
    assert all(one.status is Status.DISCHARGED for one in claim.obligations)
    assert {"sympy", "flint", "z3", "cvc5"} <= set(claim.engines)
    if claim.verdict is ProofVerdict.REFUTED:
        assert claim.nearby == NEARBY.get(identifier, "calibrated.joint_privacy")
        assert VERDICTS[claim.nearby] is ProofVerdict.PROVED


def test_false_statements_of_every_kind_are_tried():
    kinds = {"wrong constant", "wrong sign", "wrong range", "missing hypothesis", "correct only in the limit"}
    assert {kind for kind, _ in FALSE.values()} == kinds


@_few
@given(_chances, _rates)
def test_the_joint_loss_is_what_listing_all_patterns_finds(chances, rate):
    low, high = sorted(chances)
    values = {"low": low, "high": high, "rate": rate}
    table = densities(low, high, (rate, 1 / rate), ("none", "insert"))
    assert largest(table) == max(exact(FIRST, **values), exact(SECOND, **values))
    deleted = densities(low, high, (rate, 1 / rate), ("none", "insert", "delete"))
    assert largest(deleted) == max(exact(FIRST, **values), exact(WITH_DELETIONS, **values))
    third = exact(B / (q1 + p1 / limit), **values)
    assert largest(table, nested) == max(exact(q1 + p1 * limit, **values), exact(SECOND, **values), third)
    single = largest(table, lambda one, other: sum(a != b for a, b in zip(one, other, strict=True)) == 1)
    event = (exact(one, **values) for one in (A, B, q1 + p1 * limit, p1 + q1 * limit))
    assert single == max(event)


@_few
@given(_chances, _rates, st.fractions(0, 1, max_denominator=20))
def test_no_output_between_the_ends_of_the_noise_tells_more(chances, rate, place):
    low, high = sorted(chances)
    inside = 1 / rate + place * (rate - 1 / rate)
    ends, between = ((rate, 1 / rate), (inside,))
    assert largest(densities(low, high, between, ("none", "insert"))) <= largest(
        densities(low, high, ends, ("none", "insert"))
    )


@_few
@given(_chances, st.fractions(Fraction(21, 20), 5, max_denominator=20))
def test_the_limits_of_the_noise_are_those_of_the_estimators(chances, excess):
    low, high = sorted(chances)
    total = max(high / low, (1 - low) / (1 - high)) * excess
    found = {
        name: Fraction(int(value.p), int(value.q))
        for name, one in LIMITS.items()
        for value in [one.subs({p0: low, p1: high, sp.Symbol("S", real=True): total})]
    }
    up, down = noise_limits(low, high, total)
    assert up == max(found["zero_high"], found["one_high"])
    assert down == max(found["one_low"], found["zero_low"])
    assert worst_ratio([(low, high)], up=up, down=down) == total


@_few
@given(_odds, _rates, st.integers(1, 5), st.booleans())
def test_several_outputs_lose_what_the_closed_form_says(odds, rate, outputs, deletions):
    pair = (1 / (1 + odds), odds / (1 + odds))
    stated = joint_ratio(sp.Integer(outputs)).subs({E: odds, r: rate})
    found = worst_ratio([pair], up=1 / rate, down=1 / rate, releases=outputs, deletions=deletions)
    assert found == Fraction(int(stated.p), int(stated.q))


def test_eight_outputs_need_an_eighth_of_the_rate():
    odds, rate = 1.5, 1.3
    pair = (1 / (1 + odds), odds / (1 + odds))
    found = worst_ratio([pair], up=1 / rate, down=1 / rate, releases=8)
    assert found == pytest.approx(odds * (1 + odds * rate**8) / (1 + odds), rel=1e-12)


@_few
@given(_odds, _flips, _rates, st.integers(0, 3))
def test_announced_intrusions_lose_what_the_recursion_says(odds, flip, rate, announced):
    pairs = pairs_after(odds, flip, announced)
    found = worst_ratio(pairs, up=1 / rate, down=1 / rate, flip=flip)
    assert found == announced_ratio(odds, flip, announced, rate)
    total = found * Fraction(6, 5)
    noise = least_noise(odds, flip, announced, total)
    assert noise > 1
    assert announced_ratio(odds, flip, announced, noise) == total


@_few
@given(_chances, st.fractions(Fraction(11, 10), 6, max_denominator=10))
def test_the_family_is_private_exactly_under_the_amended_condition(chances, budget):
    low, high = sorted(chances)
    centre, spread = (low + high) / 2, (high - low) / 2
    t = (budget - 1) / (budget + 1)
    ratios = [high / low, (1 - high) / (1 - low)]
    private = all(1 / budget <= one <= budget for one in ratios)
    assert private == (spread <= min(centre, 1 - centre) * t)
    c, x = sp.symbols("c x", real=True)
    assert [Fraction(str(family_ratio(bit).subs({c: centre, x: spread}))) for bit in (1, 0)] == ratios


def test_the_budget_of_algorithm_1_is_that_of_its_two_distributions():
    for at in (0.1, 0.5, 1.0, 1.593, 1.594, 1.9):
        bit_one, bit_zero = (0.5 + at / 4) / 0.5, (0.5 - at / 4) / 0.5
        assert float(ratio_of_bits(1).subs(epsilon, at)) == pytest.approx(bit_one)
        assert float(ratio_of_bits(0).subs(epsilon, at)) == pytest.approx(bit_zero)
        used = max(abs(math.log(bit_one)), abs(math.log(bit_zero)))
        assert used == pytest.approx(-math.log(1 - at / 2))
        assert (used <= at) == (at <= STATE_KEPT_BELOW[0])


@pytest.mark.parametrize(("pair", "at"), [(COIN, sp.Rational(1, 2)), (PAIR, EXAMPLE), (COIN, sp.S.One)])
def test_the_events_of_the_counterexamples_have_their_probabilities_in_simulation(pair, at):
    generator, runs = np.random.default_rng(11), 400_000
    low, high = (float(one.subs(epsilon, at)) for one in pair)
    for pattern, bit, above in ((AFTER, 0, True), (BEFORE, 0, True), (BOTH, 1, False), (NEVER, 1, False)):
        before, after = ("none" not in str(one) for one in pattern)
        seen = generator.random(runs) < (high if before else low)
        final = generator.random(runs) < high if after else seen
        output = (final - low) / (high - low) + generator.laplace(0, 1 / float(at), runs)
        beyond = output > (1 - low) / (high - low) if above else output < -low / (high - low)
        frequency = float(np.mean((seen == bool(bit)) & beyond))
        stated = float(probability(pair, pattern, bit, above=above).subs(epsilon, at))
        assert abs(frequency - stated) < 6 * math.sqrt(stated * (1 - stated) / runs) + 1e-9


def test_the_joint_loss_of_algorithm_1_by_listing_patterns():
    for at in (Fraction(1, 10), Fraction(1, 2), Fraction(3, 2)):
        table = densities(0.5, 0.5 + float(at) / 4, (math.exp(4), math.exp(-4)), ("none", "insert"))
        assert largest(table) == pytest.approx(float(FACTOR.subs(epsilon, sp.Rational(at.numerator, at.denominator))))
        assert math.log(largest(table)) > 2 * at


@pytest.mark.parametrize(("total", "size", "quoted"), [(*CASES[0], 0.3984), (*CASES[1], 0.4051)])
def test_the_best_split_is_what_the_estimators_find(total, size, quoted):
    found = calibrate_symmetric(float(total), size)
    low, high = (float(one) for one in near(total, size))
    p_init, p_upd = found.pairs[0].p_init, found.pairs[0].p_upd
    assert low * (1 - 1e-3) < p_upd / p_init < high * (1 + 1e-3)
    published = float(published_error(total, sp.Integer(size)))
    least = float(ERROR.subs({E_SPLIT: (low + high) / 2, S: math.exp(total), m: size}))
    assert least / published == pytest.approx(quoted, abs=1e-4)
    assert found.squared_error(size) == pytest.approx(least, rel=1e-6)


def test_the_balance_vanishes_at_the_least_error_on_a_grid():
    for total, size in CASES:
        promised = math.exp(total)
        grid = np.linspace(1, promised, 20_001)[1:-1]
        errors = sp.lambdify((E_SPLIT, S, m), ERROR)(grid, promised, size)
        best = grid[int(np.argmin(errors))]
        low, high = (float(one) for one in near(total, size))
        assert abs(best - (low + high) / 2) < 2 * (promised - 1) / 20_000
        assert float(balance().subs({E_SPLIT: (low + high) / 2, S: promised})) == pytest.approx(size, rel=1e-2)
