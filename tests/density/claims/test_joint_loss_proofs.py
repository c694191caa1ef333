"""The joint loss is derived: every step discharged, every mutant refuted, and the formula is what brute force finds."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
import sympy as sp

from pan_promises.promise import Adjacency
from pan_proofs import (
    SETTINGS,
    Inequality,
    MissingEngine,
    Setting,
    Status,
    bernoulli_family_loss,
    distinct_ratios,
    dominance,
    false_below,
    inversion,
    joint_loss,
    loss_at_zero,
    loss_table,
    maximal_ratios,
    monotone,
    noise_for_total,
    promise_fails,
    published_losses,
    symmetric_pair,
)
from pan_proofs.density.lemmas.losses.published_losses import epsilon
from pan_proofs.engines import obligation as engines
from tests.turns import every

GRID = np.concatenate([np.linspace(-3, 4, 1401), [0.0, 1.0]])


def brute_force(p0, p1, eta, *, deletions=False, allowed=lambda one, other: True, others=()):
    """The joint loss, by maximising over patterns, the seen bit, and a grid of outputs."""

    def f(y):
        return np.exp(-eta * np.abs(y))

    def density(pattern, bit):
        before, after = pattern
        seen = p1 if before == "insert" else p0
        chance = seen if bit else 1 - seen
        distribution = (
            {bit: 1.0} if after == "none" else {1: p1, 0: 1 - p1} if after == "insert" else {1: p0, 0: 1 - p0}
        )
        for p in others:
            distribution = {
                total: distribution.get(total, 0) * (1 - p) + distribution.get(total - 1, 0) * p
                for total in range(max(distribution) + 2)
            }
        return chance * sum(weight * f(GRID - count) for count, weight in distribution.items())

    updates = ("none", "insert", "delete") if deletions else ("none", "insert")
    patterns = list(itertools.product(updates, repeat=2))
    return max(
        float(np.log(density(one, bit) / density(other, bit)).max())
        for one, other in itertools.permutations(patterns, 2)
        if allowed(one, other)
        for bit in (0, 1)
    )


def nested(one, other):
    def inside(less, more):
        return all(a == "none" or b != "none" for a, b in zip(less, more, strict=True))

    return inside(one, other) or inside(other, one)


def one_phase(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True)) == 1


CASES = [
    (Adjacency.USER_LEVEL, False, lambda one, other: True),
    (Adjacency.USER_LEVEL, True, lambda one, other: True),
    (Adjacency.USER_LEVEL_NESTED, False, nested),
    (Adjacency.EVENT_LEVEL, False, one_phase),
]


@pytest.mark.parametrize(("adjacency", "deletions", "allowed"), CASES)
def test_the_formula_is_what_brute_force_finds(adjacency, deletions, allowed):
    p0, p1, eta = sp.symbols("a b h", positive=True)
    general = sp.lambdify((p0, p1, eta), joint_loss(p0, p1, eta, adjacency=adjacency, deletions=deletions).loss, "math")
    source = random.Random(1)
    for _ in range(25):
        low, high = sorted(source.uniform(0.01, 0.99) for _ in range(2))
        noise = source.uniform(0.05, 5)
        found = brute_force(low, high, noise, deletions=deletions, allowed=allowed)
        assert found == pytest.approx(general(low, high, noise), abs=1e-9)


@pytest.mark.parametrize("pair", [(sp.Rational(1, 4), sp.Rational(3, 4)), (sp.Rational(1, 3), sp.Rational(5, 6))])
def test_the_shorter_formulas_for_special_pairs_agree_with_brute_force(pair):
    for (adjacency, deletions, allowed), eta in itertools.product(CASES, (sp.Rational(1, 5), sp.Integer(3))):
        result = joint_loss(*pair, eta, adjacency=adjacency, deletions=deletions)
        assert result.setting.pair == ("symmetric" if sum(pair) == 1 else "heavy")
        found = brute_force(*(float(p) for p in pair), float(eta), deletions=deletions, allowed=allowed)
        assert found == pytest.approx(float(result.loss), abs=1e-9)


def test_later_redraws_of_other_users_only_lower_the_loss():
    source = random.Random(2)
    for _ in range(20):
        low, high = sorted(source.uniform(0.05, 0.95) for _ in range(2))
        noise = source.uniform(0.1, 3)
        assert brute_force(low, high, noise, others=(high,)) <= brute_force(low, high, noise) + 1e-12


@pytest.mark.more
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_other_ratio_is_dominated_and_none_of_the_maximal_ones_can_be_dropped(setting):
    obligations = dominance(setting)
    assert len(obligations) == len(distinct_ratios(setting)) - len(maximal_ratios(setting))
    assert {obligation.status for obligation in obligations} == {Status.DISCHARGED}
    assert all(obligation.engines == ("z3", "cvc5", "sympy") for obligation in obligations)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_no_maximal_ratio_is_dominated_by_another(setting):
    for one, other in itertools.permutations(maximal_ratios(setting), 2):
        claim = Inequality("mutant", one.value, other.value, setting.hypotheses, gap=sp.Rational(1, 2))
        assert claim.discharge().status is Status.FAILED


def test_two_of_the_four_ratios_are_redundant_for_noise_with_equal_limits():
    assert len(maximal_ratios(Setting("general"))) == 2
    assert len(maximal_ratios(Setting("general", symmetric_noise=False))) == 4


def test_ratios_are_monotone_the_symmetric_pair_has_its_closed_form_and_inverts():
    for obligation in (monotone(), *symmetric_pair(), *inversion()):
        assert obligation.status is Status.DISCHARGED, str(obligation)


def test_the_noise_for_a_total_gives_that_total():
    for total, state in ((1.0, 0.5), (2.0, 0.1), (0.3, 0.29)):
        after = math.exp(state) / (1 + math.exp(state))
        assert brute_force(1 - after, after, float(noise_for_total(total, state))) == pytest.approx(total, abs=1e-9)


def test_the_printed_promises_are_proved_false():
    obligations = promise_fails()
    assert len({obligation.name for obligation in obligations}) == len(obligations)
    for obligation in obligations:
        assert obligation.status is Status.DISCHARGED, str(obligation)
        assert not obligation.skipped


@pytest.mark.parametrize("at", [sp.Rational(1, 10), sp.log(sp.Rational(3, 2)), sp.Rational(1, 2)])
def test_the_table_is_what_brute_force_finds_and_beyond_the_promise(at):
    rows = {row.name: row for row in loss_table(at)}
    assert set(rows) == {entry.name for entry in published_losses()}
    for entry in published_losses():
        row = rows[entry.name]
        assert row.least > row.promised == float(entry.promised.subs(epsilon, at))
        assert false_below(entry) >= at
        if entry.loss.is_infinite or entry.name == "announced-intrusions":
            continue
        numbers = (float(expression.subs(epsilon, at)) for expression in (entry.before, entry.after, entry.eta))
        found = brute_force(*numbers, deletions=entry.claim == "density.insert_delete")
        assert row.least - 1e-9 <= found <= row.most + 1e-9
        assert row.most - row.least < 1e-9


def test_the_announced_intrusion_by_brute_force():
    (entry,) = (entry for entry in published_losses() if entry.name == "announced-intrusions")
    for at in (0.1, 0.5):
        t = math.tanh(at / 2)
        p0, p1, flip = (1 - t) / 2, (1 + t) / 2, 1 / (1 + math.exp(at))
        later = flip + (1 - 2 * flip) * p1
        # The gap that the output divides by, computed from the flips: the printed noise is one over eps m.
        eta = at / (later - (flip + (1 - 2 * flip) * p0))

        def sights(pattern, p0=p0, p1=p1, flip=flip, later=later, eta=eta):
            first, second, last = pattern
            for one, two in itertools.product((0, 1), repeat=2):
                start = p1 if first else p0
                chance = start if one else 1 - start
                ahead = later if second else (1 - flip if one else flip)
                chance *= ahead if two else 1 - ahead
                count = later if last else two
                for y in (-1.0, 0.0, 0.25, 0.5, 1.0, 2.0):
                    yield chance * (count * math.exp(-eta * abs(y - 1)) + (1 - count) * math.exp(-eta * abs(y)))

        every = [list(sights(pattern)) for pattern in itertools.product((0, 1), repeat=3)]
        pairs = itertools.permutations(every, 2)
        worst = max(math.log(a / b) for more, less in pairs for a, b in zip(more, less, strict=True))
        assert worst == pytest.approx(float(entry.loss.subs(epsilon, at)), abs=1e-9)


CENTRES = (sp.Rational(1, 10), sp.Rational(1, 4), sp.Rational(12, 25), sp.Rational(7, 10))


@pytest.mark.parametrize("centre", every(4, CENTRES))
def test_the_family_has_its_loss_at_every_centre(centre):
    entry = bernoulli_family_loss(centre)
    at = sp.Rational(2, 5)
    numbers = (float(expression.subs(epsilon, at)) for expression in (entry.before, entry.after, entry.eta))
    assert brute_force(*numbers) == pytest.approx(float(entry.loss.subs(epsilon, at)), abs=1e-9)
    assert (float(entry.state_loss.subs(epsilon, at)) > at + sp.Rational(1, 10**9)) == (centre > sp.Rational(1, 2))


def test_the_losses_do_not_vanish_with_epsilon():
    for entry in published_losses():
        limit = loss_at_zero(entry)
        if entry.loss.is_infinite:
            continue
        near = float(entry.loss.subs(epsilon, sp.Rational(1, 10**4)).evalf(30))
        assert near > 1e4 if limit is sp.oo else near == pytest.approx(float(limit), abs=1e-3)


def test_a_false_inequality_fails_and_a_bound_without_a_control_is_refused():
    x = sp.Symbol("x", real=True)
    false = Inequality("false", x**2, x, (x > 0,), touching={x: sp.Integer(1)})
    assert false.discharge().status is Status.FAILED
    vacuous = Inequality("vacuous", x, x + 1, (x > 1, x < 0), gap=sp.Rational(1, 2))
    assert vacuous.discharge().status is Status.FAILED
    slack = Inequality("slack", x, x + 1, (x > 0, x < 1), gap=sp.Rational(1, 2))
    assert slack.discharge().status is Status.FAILED
    with pytest.raises(ValueError, match="touched"):
        Inequality("bare", x, x + 1, (x > 0,)).discharge()


def test_an_absent_engine_is_shown_as_skipped_and_named_with_its_extra(monkeypatch):
    def absent(name):
        raise ImportError(name)

    with monkeypatch.context() as patch:
        patch.setattr(engines.importlib, "import_module", absent)
        with pytest.raises(MissingEngine, match=r"panproof\[proofs\]"):
            engines.load_engine("z3")
        x = sp.Symbol("x", real=True)
        alone = Inequality("alone", x, x**2, (x > 1,), touching={x: sp.Integer(1)}).discharge()
    assert alone.status is Status.SKIPPED
    assert alone.skipped == ("z3", "cvc5")
    assert alone.engines == ("sympy",)


def test_an_epsilon_that_is_not_exact_is_refused():
    with pytest.raises(ValueError, match="exact"):
        loss_table(sp.Float(0.1))
