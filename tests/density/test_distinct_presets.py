"""The shipped presets of the distinct user counter."""

import pytest

from pan_estimators import InputError
from pan_estimators.density.distinct_presets import (
    PRESET_EPSILONS,
    PRESET_KIB,
    PRESET_RANGES,
    planned_counter,
    presets,
    worst_error,
)


def test_every_preset_keeps_its_promise_and_its_error():
    assert len(presets()) == len(PRESET_EPSILONS) * len(PRESET_KIB) * len(PRESET_RANGES)
    for (epsilon, bits, least, most), row in presets().items():
        found = planned_counter(epsilon=epsilon, bits=bits, least=least, most=most)
        assert found.geometry.cells <= bits
        assert 0.999 * 2 * epsilon < found.calibration.loss <= 2 * epsilon
        assert worst_error(found, least, most) == pytest.approx(row["worst_error"], rel=0.01)


def test_a_preset_that_loses_more_is_refused(monkeypatch):
    key = (0.5, 2**16, 1e4, 1e9)
    broken = {key: presets()[key] | {"p_upd": 0.9}}
    monkeypatch.setattr("pan_estimators.density.distinct_presets.presets", lambda: broken)
    with pytest.raises(InputError, match="the state alone loses"):
        planned_counter(epsilon=0.5, bits=2**16, least=1e4, most=1e9)
