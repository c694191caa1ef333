"""The right factor in whole numbers: near the exact values, with a bound on what rounding adds for two streams."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_estimators import kernels
from pan_estimators.continual import right_factor
from pan_estimators.continual.decaying_noise import factors
from pan_estimators.continual.members import MEMBERS
from pan_estimators.continual.presence import Presence
from pan_estimators.continual.right_factor import Release, right_image, rounding, safe_deviation
from pan_promises.errors import InputError


def exact_image(changes, chosen):
    """The values of ``R x`` in fractions, from the definition."""
    shares = [Fraction(numerator, 2**exponent) for numerator, exponent in chosen.right_weights]
    rates = [1 - Fraction(numerator, 2**exponent) for numerator, exponent in chosen.distances]
    entries = [
        sum(share * rate**place for share, rate in zip(shares, rates, strict=True)) for place in range(len(changes))
    ]
    return [sum(entries[time - place] * changes[place] for place in range(time + 1)) for time in range(len(changes))]


counts = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2**31)), min_size=1, max_size=12)


@given(counts, st.sampled_from([12, 1000, 2**20, 2**31 - 1]))
def test_values_are_those_of_the_right_factor_but_for_rounding(present, steps):
    chosen = factors(steps)
    changes = np.diff([0, *present])
    found = right_image(Release.begin(chosen), changes, chosen)
    stated = exact_image(changes.tolist(), chosen)
    assert all(abs(Fraction(one) - other) <= rounding(chosen) for one, other in zip(found, stated, strict=True))
    assert all((value * 2.0**21).is_integer() for value in found.tolist())


@given(counts, st.lists(st.sampled_from([-1, 0, 1]), min_size=12, max_size=12), st.sampled_from([12, 2**31 - 1]))
def test_rounding_adds_at_most_the_bound_to_the_difference_of_two_streams(present, differing, steps):
    chosen = factors(steps)
    other = [count + one for count, one in zip(present, differing, strict=False)]
    one, two = (np.diff([0, *each]) for each in (present, other))
    found = right_image(Release.begin(chosen), one, chosen) - right_image(Release.begin(chosen), two, chosen)
    stated = exact_image((one - two).tolist(), chosen)
    assert all(abs(Fraction(a) - b) <= rounding(chosen) for a, b in zip(found.tolist(), stated, strict=True))


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


def test_long_streams_stay_within_the_bound():
    chosen = factors(4096)
    changes = np.random.default_rng(3).integers(-1, 2, 4096)
    changes[0] = 2**30
    found = right_image(Release.begin(chosen), changes, chosen)
    rates = 1 - np.array(chosen.right_distances)
    entries = np.array([np.dot(chosen.right_shares, rates**place) for place in range(4096)])
    # Without the first change floating-point numbers are exact enough.
    rest = right_image(Release.begin(chosen), np.append(0, changes[1:]), chosen)
    assert np.abs(rest - np.convolve(entries, np.append(0, changes[1:]))[:4096]).max() <= rounding(chosen) + 1e-9
    assert np.abs(found - rest - entries * 2.0**30).max() <= rounding(chosen) + 1e-6


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


def test_a_rho_below_the_grid_of_the_noise_is_refused():
    with pytest.raises(InputError, match="rho must be at least"):
        Presence(steps=2**31 - 1, rho=1e-10)


@pytest.mark.parametrize("name", MEMBERS)
def test_every_counter_covers_the_rounding_of_its_noise(name):
    assert MEMBERS[name].has_exact_noise
