from fractions import Fraction
from itertools import product

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pan_proofs.density.claims.any_estimator.count_lower_bound import (
    average_risk,
    halves,
    largest_factor,
    never,
    tanh_channel,
)
from pan_proofs.density.claims.any_estimator.randomized_response_cell import kernel, through
from pan_proofs.density.lemmas.private_pairs import density_variance, region_vertices, slacks
from pan_proofs.ledger.notation import p_init, p_upd, present, x

_IDS = ("density.tanh_optimality", "cell.randomized_response", "cell.variance_floor", "pan_private.count_lower_bound")
_few = settings(max_examples=30, deadline=None)
_factors = st.fractions(Fraction(11, 10), 20, max_denominator=20)
_parts = st.fractions(0, 1, max_denominator=40)
_weights = st.integers(1, 9)
_slacks = sp.lambdify((p_init, p_upd, x), slacks())
_variance = sp.lambdify((present, p_init, p_upd), density_variance(present))


def _floor(factor):
    return factor / (factor - 1) ** 2


@_few
@given(_factors, _parts, _parts)
def test_a_pair_keeps_the_budget_exactly_inside_the_polygon(factor, before, after):
    corners = [tuple(Fraction(int(v.p), int(v.q)) for v in corner) for corner in region_vertices(factor)]
    sides = [
        (b[0] - a[0]) * (after - a[1]) - (b[1] - a[1]) * (before - a[0])
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    assert (max(sides) <= 0) == (min(_slacks(before, after, factor)) >= 0)


@_few
@given(_factors, _parts, _parts, _parts)
def test_no_private_pair_has_a_larger_gap_or_a_smaller_variance(factor, s, r, density):
    _, (a, b), _, _ = ([Fraction(int(v.p), int(v.q)) for v in corner] for corner in region_vertices(factor))
    before, after = s * a + r * b, s * b + r * a
    assume(before != after)
    assert abs(after - before) <= (factor - 1) / (factor + 1)
    assert _variance(density, before, after) >= _floor(factor)
    assert _variance(density, a, b) == _floor(factor)
    if {s, r} != {0, 1}:
        assert _variance(density, before, after) > _floor(factor)


@_few
@given(st.fractions(Fraction(1, 20), Fraction(1, 2)), st.fractions(Fraction(1, 20), Fraction(19, 20)), _parts)
def test_the_published_family_is_worse_by_the_stated_amount(c, t, density):
    excess = _variance(density, c * (1 - t), c * (1 + t)) - _variance(density, (1 - t) / 2, (1 + t) / 2)
    assert excess == (1 - 2 * c) * (1 - t + 2 * t * density) / (4 * c * t**2)


def _distributions(weights, tilts):
    absent = [Fraction(w, sum(weights)) for w in weights]
    tilted = [w * t for w, t in zip(weights, tilts, strict=True)]
    present_distribution = [Fraction(w, sum(tilted)) for w in tilted]
    ratios = [p / q for p, q in zip(present_distribution, absent, strict=True)]
    return absent, present_distribution, max(*ratios, *(1 / ratio for ratio in ratios))


@_few
@given(st.lists(_weights, min_size=4, max_size=4), st.lists(_weights, min_size=4, max_size=4), _parts)
def test_the_kernel_makes_any_private_cell_from_the_bit(weights, tilts, spare):
    absent, present_distribution, factor = _distributions(weights, tilts)
    assume(factor > 1)
    factor += spare
    zero, one = kernel(absent, present_distribution, factor)
    assert min(*zero, *one) >= 0
    assert sum(zero) == sum(one) == 1
    for parameter, distribution in ((1 / (1 + factor), absent), (factor / (1 + factor), present_distribution)):
        assert [through(parameter, *pair) for pair in zip(zero, one, strict=True)] == distribution


def _unseen(absent, present_distribution):
    """A function of three values with mean zero under both distributions."""
    (a, b, c), (p, q, r) = absent, present_distribution
    return (b * r - c * q, c * p - a * r, a * q - b * p)


@_few
@given(st.data())
def test_unbiased_estimators_from_two_cells_stay_above_the_floor(data):
    triples = st.lists(_weights, min_size=3, max_size=3)
    cells = [_distributions(data.draw(triples), data.draw(triples)) for _ in range(2)]
    assume(all(factor > 1 for *_, factor in cells))
    single, unseen = [], []
    for absent, present_distribution, _ in cells:
        scores = [q / p - 1 for p, q in zip(absent, present_distribution, strict=True)]
        single.append([score / sum(p * s**2 for p, s in zip(absent, scores, strict=True)) for score in scores])
        unseen.append(_unseen(absent, present_distribution))
    mixed = [data.draw(st.lists(st.integers(-300, 300), min_size=3, max_size=3)) for _ in range(4)]
    estimator = {
        (i, j): single[0][i] + single[1][j] + unseen[0][i] * (mixed[0][j] + mixed[1][i]) + mixed[2][i] * unseen[1][j]
        for i, j in product(range(3), repeat=2)
    }
    # Terms in one cell alone shift its mean unless they are seen by neither distribution.
    shift = [
        sum(w * u * v for w, u, v in zip(distribution, unseen[0], mixed[1], strict=True))
        for distribution in cells[0][:2]
    ]
    for (i, j), value in estimator.items():
        estimator[i, j] = value - shift[0] - (shift[1] - shift[0]) * single[0][i]
    factor = max(cells[0][2], cells[1][2])
    for configuration in product((0, 1), repeat=2):
        distributions = [cell[bit] for cell, bit in zip(cells, configuration, strict=True)]
        others = [cell[1 - bit] for cell, bit in zip(cells, configuration, strict=True)]
        weights = {(i, j): distributions[0][i] * distributions[1][j] for i, j in estimator}
        count = sum(configuration)
        assert sum(weights[key] * estimator[key] for key in weights) == count
        variance = sum(weights[key] * (estimator[key] - count) ** 2 for key in weights)
        divergences = [
            sum((q - p) ** 2 / p for p, q in zip(a, b, strict=True)) for a, b in zip(distributions, others, strict=True)
        ]
        assert variance >= sum(1 / one for one in divergences) >= 2 * _floor(factor)


def _channel(data, users, states):
    distributions = st.lists(_weights, min_size=states, max_size=states)
    drawn = {pattern: data.draw(distributions) for pattern in product((0, 1), repeat=users)}
    return {p: {s: Fraction(w, sum(ws)) for s, w in enumerate(ws)} for p, ws in drawn.items()}


@_few
@given(st.data(), st.sampled_from([1, 2, 3]))
def test_the_best_output_from_any_private_state_stays_above_the_bound(data, users):
    channel = _channel(data, users, 4)
    factor = largest_factor(channel)
    doubt = users * factor / (1 + factor) ** 2
    assert average_risk(channel) >= doubt / 4
    if users == 1:
        assert average_risk(channel, never(1)) >= doubt
    if users == 2:
        assert average_risk(channel, halves(2)) >= doubt / 2


@pytest.mark.parametrize("users", [1, 2, 3])
def test_tanh_bits_attain_the_means_for_independent_cells(users):
    factor = Fraction(7, 3)
    channel = tanh_channel(users, factor)
    assert largest_factor(channel) == factor
    assert average_risk(channel, never(users)) == users * factor / (1 + factor) ** 2
    assert average_risk(channel) == users * factor / (2 * (1 + factor) ** 2)
