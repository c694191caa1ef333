"""The formula of the joint loss is what brute force finds, and the largest ratio of mixtures is at an atom."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
import sympy as sp

from pan_promises.promise import Adjacency
from pan_proofs import (
    Inequality,
    Status,
    bernoulli_family_loss,
    constant_beyond_atoms,
    inversion,
    joint_loss,
    loss_table,
    monotone_between_atoms,
    monotone_in_one_coordinate,
    published_losses,
)
from pan_proofs.density.lemmas.joint_loss import WORST, limit, p0, p1
from pan_proofs.density.lemmas.published_losses import epsilon
from tests.turns import every

REGION = (p0 > 0, p0 < p1, p1 < 1, limit > 1)
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
        assert len(result.worst) == 1 or adjacency is not Adjacency.USER_LEVEL
        found = brute_force(*(float(p) for p in pair), float(eta), deletions=deletions, allowed=allowed)
        assert found == pytest.approx(float(result.loss), abs=1e-9)


@pytest.mark.parametrize("case", WORST, ids=str)
def test_no_ratio_is_dominated_by_another(case):
    for one, other in itertools.permutations(WORST[case], 2):
        claim = Inequality("mutant", one.value, other.value, REGION, gap=sp.Rational(1, 2))
        assert claim.discharge().status is Status.FAILED


def test_the_noise_of_a_total_is_the_inverse_of_the_loss():
    for obligation in inversion():
        assert obligation.status is Status.DISCHARGED, str(obligation)


@pytest.mark.parametrize("options", [{"announced": 2}, {"announced": 1, "deletions": True}])
def test_a_loss_that_no_theorem_has_is_refused(options):
    with pytest.raises(ValueError, match="once only"):
        joint_loss(sp.Rational(1, 3), sp.Rational(2, 3), sp.Integer(1), **options)
    with pytest.raises(ValueError, match="at user level only"):
        joint_loss(*sp.symbols("a b", positive=True), 1, adjacency=Adjacency.EVENT_LEVEL, deletions=True)


@pytest.mark.parametrize("at", [sp.Rational(1, 10), sp.log(sp.Rational(3, 2)), sp.Rational(1, 2)])
def test_the_table_is_what_brute_force_finds_and_beyond_the_promise(at):
    rows = {row.name: row for row in loss_table(at)}
    assert set(rows) == {entry.name for entry in published_losses()}
    for entry in published_losses():
        row = rows[entry.name]
        assert row.least > row.promised == float(entry.promised.subs(epsilon, at))
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


def test_an_epsilon_that_is_not_exact_is_refused():
    with pytest.raises(ValueError, match="exact"):
        loss_table(sp.Float(0.1))


def test_the_largest_ratio_of_mixtures_is_at_an_atom():
    for obligation in (*monotone_between_atoms(), *constant_beyond_atoms(), monotone_in_one_coordinate()):
        assert obligation.status is Status.DISCHARGED, str(obligation)
