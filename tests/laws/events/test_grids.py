"""Coarse grids: rounding errors vanish, whole numbers and differences of real numbers stay."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.events import Condition, Event, Grids, Table
from pan_audits.events.grids import Grid, lacks_grid, lowest_bit
from pan_promises.errors import InputError

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20)


def grid_of(values, offset=0.1):
    return Grid.of(np.asarray(values, dtype=float), offset)


@given(NUMBERS, NUMBERS, st.integers(-(2**53), 2**53), st.floats(-0.25, 0.25))
def test_rounding_keeps_the_size_of_a_number_and_whole_numbers_as_they_are(sample, values, whole, offset):
    grid, values = grid_of(sample, offset), np.array(values)
    allowed = np.maximum(np.abs(values), grid.scale) * 2.0**-19
    assert np.all(np.abs(grid(values) - values) <= allowed)
    special = np.array([float(whole), np.nan, np.inf, -np.inf, 0.0])
    np.testing.assert_array_equal(grid(special), special)


@pytest.mark.parametrize("constant", [0.1, 1.0, 1 / 3, 1e-9, 12345.678])
def test_rounding_errors_of_a_constant_vanish_at_nearly_every_offset(constant):
    errors = constant + np.arange(-8, 9) * np.spacing(constant)
    alone = [np.unique(grid_of(errors, offset)(errors)).size for offset in np.linspace(-0.25, 0.25, 101)]
    assert np.mean(np.array(alone) > 1) < 0.03
    noise = np.random.default_rng(1).laplace(0, 1, 64)
    assert np.unique(grid_of(np.concatenate([errors, noise]))(errors)).size == 1


@pytest.mark.parametrize(("place", "scale"), [(0.0, 1.0), (1e9, 1.0), (1e12, 1.0), (-3.0, 1e-9), (1e-30, 1e-30)])
def test_noise_keeps_its_shape_wherever_it_lies(place, scale):
    noise = place + np.random.default_rng(2).laplace(0, scale, 4000)
    rounded = grid_of(noise[:16])(noise)
    assert np.abs(rounded - noise).max() <= 0.01 * scale + np.spacing(place)
    assert np.unique(rounded).size > (1000 if place < 1e12 else 100)


def test_two_scales_in_one_column_keep_both_shapes():
    generator = np.random.default_rng(3)
    mixed = np.concatenate([generator.laplace(0, 1, 500), 1e100 * generator.laplace(0, 1, 500)])
    rounded = grid_of(generator.permutation(mixed)[:16])(mixed)
    assert min(np.unique(rounded[:500]).size, np.unique(rounded[500:]).size) > 400


def test_the_difference_of_two_columns_tells_no_rounding_error():
    generator = np.random.default_rng(4)
    patterns, errors = [], []
    for value in (0.4, 1.5 / 3):
        v = value + np.rint(generator.laplace(0, 4, 20_000) * 2**30) / 2**30
        table = Table(("output[0]", "output.sum"), np.column_stack([v, v + 3.0]))
        grids = Grids(5)
        grids.learn([table.rows(0, 8)])
        rounded = grids(table)
        steps = (rounded.column("output.sum") - rounded.column("output[0]") - 3.0) * 2**22
        patterns.append(np.bincount(np.clip(np.rint(steps) + 8, 0, 16).astype(int), minlength=17) / v.size)
        errors.append(np.unique(table.column("output.sum") - table.column("output[0]")).size)
    assert errors[0] > errors[1] == 1
    assert np.abs(patterns[0] - patterns[1]).max() < 0.03


def test_an_event_carries_its_grids_through_a_document():
    grids = Grids(6)
    table = Table(("output",), np.array([[0.1], [1.7], [2.3]]))
    grids.learn([table])
    event = Event((Condition("output", ">", float(grids(table).values[0, 0])),)).on(grids)
    assert Event.from_dict(json.loads(json.dumps(event.to_dict()))) == event
    assert event(table).tolist() == [False, True, True]
    assert event.on(grids.anew(7)).grids != event.grids
    for wrong in ([0.0, -1.0, 0.0], [0.0, 1.0, 0.3], [0.0, 1.0], ["0", 1.0, 0.0]):
        with pytest.raises(InputError, match="rounding"):
            Event.from_dict(event.to_dict() | {"rounding": {"output": wrong}})


def test_grids_of_numbers_are_recognised():
    noise = np.random.default_rng(1).laplace(0, 1, 500)
    grid = np.rint(noise * 2**30) / 2**30
    for numbers in (noise, np.concatenate([grid, 1 / 3 + grid]), noise.astype(np.float32).astype(float)):
        assert lacks_grid(numbers)
    for numbers in (grid, np.round(noise, 5), np.rint(noise), noise[:10], grid_of(noise)(noise)):
        assert not lacks_grid(numbers)
    assert lowest_bit(np.array([1.0, 0.5, 3.0, 12.0, 0.1])).tolist() == [0, -1, 0, 2, -55]
    assert np.isnan(lowest_bit(np.array([0.0, np.inf]))).all()
